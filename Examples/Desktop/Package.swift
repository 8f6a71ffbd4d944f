// swift-tools-version: 6.2

// The example with a window, in a package of its own: the root package needs no GTK.

import PackageDescription

let package = Package(
  name: "Desktop",
  platforms: [.macOS(.v15)],
  dependencies: [.package(path: "../../Checks/SignalObserver")],
  targets: [
    .systemLibrary(name: "CGtk", pkgConfig: "gtk4", providers: [.apt(["libgtk-4-dev"])]),
    // A link to the example that searches.
    .target(
      name: "DuplicateFinder",
      dependencies: [.product(name: "SignalObserver", package: "SignalObserver")]),
    .executableTarget(
      name: "desktop",
      dependencies: [
        "CGtk", "DuplicateFinder", .product(name: "SignalObserver", package: "SignalObserver"),
      ]),
  ],
  swiftLanguageModes: [.v6]
)

// Without strict memory safety, which would mark every call of GTK as unsafe.
for target in package.targets where target.type != .system {
  target.swiftSettings = [
    .enableUpcomingFeature("ExistentialAny"),
    .enableUpcomingFeature("InternalImportsByDefault"),
    .enableUpcomingFeature("MemberImportVisibility"),
    .enableUpcomingFeature("InferIsolatedConformances"),
    .treatAllWarnings(as: .error),
  ]
}
