// swift-tools-version: 6.2

// The library with its Combine interop, which is compiled out elsewhere, on OpenCombine's
// implementation of Combine's interface: `Scripts/check Combine`.

import PackageDescription

let package = Package(
  name: "CombineCheck",
  platforms: [.macOS(.v15), .iOS(.v18), .tvOS(.v18), .watchOS(.v11), .visionOS(.v2)],
  dependencies: [
    .package(url: "https://github.com/OpenCombine/OpenCombine", exact: "0.14.0")
  ],
  targets: [
    .target(name: "Combine", dependencies: [.product(name: "OpenCombine", package: "OpenCombine")]),
    .target(name: "CSignalObserver"),
    .target(
      name: "SignalObserver", dependencies: ["CSignalObserver", "Combine"],
      exclude: ["Documentation.docc"],
      swiftSettings: [
        .enableUpcomingFeature("ExistentialAny"),
        .enableUpcomingFeature("InternalImportsByDefault"),
        .enableUpcomingFeature("NonisolatedNonsendingByDefault"),
        .enableUpcomingFeature("InferIsolatedConformances"),
        .enableUpcomingFeature("MemberImportVisibility"),
        .strictMemorySafety(),
        .treatAllWarnings(as: .error),
      ]),
    .testTarget(name: "CombineTests", dependencies: ["SignalObserver", "Combine"]),
  ],
  swiftLanguageModes: [.v6]
)
