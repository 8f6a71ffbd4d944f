// swift-tools-version: 6.2

import PackageDescription

let package = Package(
  name: "SignalObserver",
  platforms: [.macOS(.v15), .iOS(.v18), .tvOS(.v18), .watchOS(.v11), .visionOS(.v2)],
  products: [
    .library(name: "SignalObserver", targets: ["SignalObserver"]),
    .library(name: "SignalObserverTesting", targets: ["SignalObserverTesting"]),
    .executable(name: "duplicates", targets: ["duplicates"]),
  ],
  targets: [
    .target(name: "CSignalObserver"),
    .target(name: "SignalObserver", dependencies: ["CSignalObserver"]),
    .target(name: "SignalObserverTesting", dependencies: ["SignalObserver"]),

    // Examples
    .target(
      name: "DuplicateFinder", dependencies: ["SignalObserver"], path: "Examples/DuplicateFinder"),
    .executableTarget(
      name: "duplicates", dependencies: ["DuplicateFinder", "SignalObserver"],
      path: "Examples/duplicates"),
    .testTarget(
      name: "DuplicateFinderTests", dependencies: ["DuplicateFinder", "SignalObserver"]),
    .testTarget(name: "DuplicatesTests", dependencies: ["duplicates"]),

    // Tests
    .target(name: "CAllocationCount", path: "Tests/CAllocationCount"),
    .target(name: "CSanitizers", path: "Tests/CSanitizers"),
    .target(name: "Turns", path: "Tests/Turns"),
    .testTarget(
      name: "SignalObserverTests",
      dependencies: ["SignalObserver", "SignalObserverTesting", "CAllocationCount", "CSanitizers", "Turns"],
      exclude: ["Ancestors/README.md", "README.md"]),
    .testTarget(
      name: "SignalObserverTestingTests",
      dependencies: ["SignalObserver", "SignalObserverTesting", "Turns"]),
    .testTarget(
      name: "IsolationTests",
      dependencies: ["SignalObserver", "AsyncMain", "DispatchMain", "RunLoopMain", "Turns"]),
    .testTarget(name: "MainActorByDefaultTests", dependencies: ["SignalObserver", "Turns"]),
    // Programs that run the main queue in three ways; IsolationTests runs them and reads what they
    // print.
    .target(
      name: "MainLoopScenario", dependencies: ["SignalObserver"], path: "Tests/MainLoops/Scenario"),
    .executableTarget(
      name: "AsyncMain", dependencies: ["MainLoopScenario"], path: "Tests/MainLoops/AsyncMain"),
    .executableTarget(
      name: "DispatchMain", dependencies: ["MainLoopScenario"], path: "Tests/MainLoops/DispatchMain"
    ),
    .executableTarget(
      name: "RunLoopMain", dependencies: ["MainLoopScenario"], path: "Tests/MainLoops/RunLoopMain"),

    // Proof
    .executableTarget(name: "explore", dependencies: ["SignalObserver"], path: "Proof/explore"),
    // With what makes mutexes known to ThreadSanitizer.
    .executableTarget(
      name: "model", dependencies: ["SignalObserver", "CSanitizers"], path: "Proof/model"),
    .executableTarget(
      name: "stress", dependencies: ["SignalObserver", "CSanitizers"], path: "Proof/stress"),
    .testTarget(name: "ProofTests", dependencies: ["model", "stress"]),
  ],
  swiftLanguageModes: [.v6]
)

// One list for every Swift target, each with the proposal that says what it does.
for target in package.targets where !target.name.hasPrefix("C") {
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

for target in package.targets where target.name == "MainActorByDefaultTests" {
  target.swiftSettings?.append(.defaultIsolation(MainActor.self))  // SE-0466
}
