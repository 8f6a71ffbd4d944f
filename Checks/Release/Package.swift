// swift-tools-version: 6.2

// The tests of what the library takes from the compiler, optimised: `Scripts/check-compiler`. A package
// of its own, since optimising all tests takes minutes.

import PackageDescription

let package = Package(
  name: "Release",
  platforms: [.macOS(.v15)],
  dependencies: [.package(path: "../SignalObserver")],
  targets: [
    .executableTarget(
      name: "custom-main",
      dependencies: [.product(name: "SignalObserver", package: "SignalObserver")]),
    .testTarget(
      name: "CompilerTests",
      dependencies: [
        "custom-main", .product(name: "SignalObserver", package: "SignalObserver"),
      ],
      swiftSettings: [
        .enableUpcomingFeature("ExistentialAny"),
        .enableUpcomingFeature("InternalImportsByDefault"),
        .enableUpcomingFeature("MemberImportVisibility"),
        .enableUpcomingFeature("NonisolatedNonsendingByDefault"),
        .enableUpcomingFeature("InferIsolatedConformances"),
      ]),
  ],
  swiftLanguageModes: [.v6]
)
