// swift-tools-version: 6.2

import PackageDescription

let package = Package(
  name: "SignalObserver",
  platforms: [.macOS(.v15), .iOS(.v18), .tvOS(.v18), .watchOS(.v11), .visionOS(.v2)],
  products: [
    .library(name: "SignalObserver", targets: ["SignalObserver"]),
    .library(name: "SignalObserverTesting", targets: ["SignalObserverTesting"]),
  ],
  targets: [
    .target(name: "CSignalObserver"),
    .target(name: "SignalObserver", dependencies: ["CSignalObserver"]),
    .target(name: "SignalObserverTesting", dependencies: ["SignalObserver"]),
    .testTarget(
      name: "SignalObserverTests", dependencies: ["SignalObserver", "SignalObserverTesting"]),
    .testTarget(
      name: "SignalObserverTestingTests", dependencies: ["SignalObserver", "SignalObserverTesting"]),
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
