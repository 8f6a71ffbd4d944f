// swift-tools-version: 6.2

// The tests of what only optimised code shows, by `Scripts/check "optimised tests"`: what the library takes
// from the compiler, and that an emission allocates nothing (guarantee 17). A package of its own, since
// optimising all tests takes minutes.

import PackageDescription

let settings: [SwiftSetting] = [
  .enableUpcomingFeature("ExistentialAny"),
  .enableUpcomingFeature("InternalImportsByDefault"),
  .enableUpcomingFeature("MemberImportVisibility"),
  .enableUpcomingFeature("NonisolatedNonsendingByDefault"),
  .enableUpcomingFeature("InferIsolatedConformances"),
]

let package = Package(
  name: "Release",
  platforms: [.macOS(.v15)],
  dependencies: [.package(path: "../SignalObserver")],
  targets: [
    .target(name: "CAllocationCount"),
    .target(name: "Turns"),
    .testTarget(
      name: "AllocationTests",
      dependencies: [
        "CAllocationCount", "Turns",
        .product(name: "SignalObserver", package: "SignalObserver"),
        .product(name: "SignalObserverTesting", package: "SignalObserver"),
      ],
      swiftSettings: settings),
    .executableTarget(
      name: "custom-main",
      dependencies: [.product(name: "SignalObserver", package: "SignalObserver")]),
    .testTarget(
      name: "CompilerTests",
      dependencies: [
        "Turns", "custom-main", .product(name: "SignalObserver", package: "SignalObserver"),
      ],
      swiftSettings: settings),
  ],
  swiftLanguageModes: [.v6]
)
