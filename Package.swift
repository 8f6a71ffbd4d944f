// swift-tools-version: 6.2

import PackageDescription

let package = Package(
  name: "SignalObserver",
  platforms: [.macOS(.v15), .iOS(.v18), .tvOS(.v18), .watchOS(.v11), .visionOS(.v2)],
  products: [
    .library(name: "SignalObserver", targets: ["SignalObserver"]),
    .executable(name: "duplicates", targets: ["duplicates"]),
  ],
  targets: [
    .target(name: "CSignalObserver"),
    .target(name: "SignalObserver", dependencies: ["CSignalObserver"]),
    .testTarget(name: "SignalObserverTests", dependencies: ["SignalObserver"]),
    .target(
      name: "DuplicateFinder", dependencies: ["SignalObserver"], path: "Examples/DuplicateFinder"),
    .executableTarget(
      name: "duplicates", dependencies: ["DuplicateFinder", "SignalObserver"],
      path: "Examples/duplicates"),
    .testTarget(
      name: "DuplicateFinderTests", dependencies: ["DuplicateFinder", "SignalObserver"]),
    .testTarget(name: "DuplicatesTests", dependencies: ["duplicates"]),
  ],
  swiftLanguageModes: [.v6]
)

// One list for every Swift target, each with the proposal that says what it does.
for target in package.targets where target.name != "CSignalObserver" {
  target.swiftSettings = [
    .enableUpcomingFeature("ExistentialAny"),  // SE-0335
    .enableUpcomingFeature("InternalImportsByDefault"),  // SE-0409
    .enableUpcomingFeature("MemberImportVisibility"),  // SE-0444
    .enableUpcomingFeature("NonisolatedNonsendingByDefault"),  // SE-0461
    .enableUpcomingFeature("InferIsolatedConformances"),  // SE-0470
    .strictMemorySafety(),  // SE-0458
    .treatAllWarnings(as: .error),  // SE-0443
  ]
}
