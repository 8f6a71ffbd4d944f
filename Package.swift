// swift-tools-version: 6.2

import PackageDescription

// `.ci/run` and the scripts that build set this variable. It turns warnings into errors, and adds the
// programs of the checks. Without it, the package also builds with a compiler that has new warnings.
let isChecked = Context.environment["SIGNAL_OBSERVER_CHECKS"] != nil

let package = Package(
  name: "SignalObserver",
  platforms: [.macOS(.v10_15), .iOS(.v13), .tvOS(.v13), .watchOS(.v6), .visionOS(.v1)],
  products: [
    .library(name: "SignalObserver", targets: ["SignalObserver"]),
    .library(name: "SignalObserverTesting", targets: ["SignalObserverTesting"]),
    .library(name: "SignalObserverUI", targets: ["SignalObserverUI"]),
  ],
  targets: [
    .target(name: "CSignalObserver"),
    .target(name: "SignalObserver", dependencies: ["CSignalObserver"]),
    .target(name: "SignalObserverTesting", dependencies: ["SignalObserver"]),
    // Where there is no UIKit, AppKit or SwiftUI, it has the part that needs Foundation alone.
    .target(name: "SignalObserverUI", dependencies: ["SignalObserver"]),

    // Examples
    .target(
      name: "DuplicateFinder", dependencies: ["SignalObserver"], path: "Examples/DuplicateFinder"),
    .executableTarget(
      name: "duplicates", dependencies: ["DuplicateFinder", "SignalObserver"],
      path: "Examples/duplicates"),
    .testTarget(
      name: "DuplicateFinderTests", dependencies: ["DuplicateFinder", "SignalObserver"]),
    .testTarget(name: "DuplicatesTests", dependencies: ["BuiltProgram", "duplicates"]),
    .executableTarget(
      name: "goals", dependencies: ["SignalObserver", "SignalObserverTesting"],
      path: "Examples/goals"),
    .executableTarget(
      name: "thermometer", dependencies: ["SignalObserver"], path: "Examples/thermometer"),
    .executableTarget(
      name: "jobs", dependencies: ["SignalObserver", "SignalObserverTesting"],
      path: "Examples/jobs"),
    .executableTarget(name: "signup", dependencies: ["SignalObserver"], path: "Examples/signup"),
    .executableTarget(
      name: "search", dependencies: ["SignalObserver", "SignalObserverTesting"],
      path: "Examples/search"),
    .testTarget(
      name: "ExamplesTests",
      dependencies: ["BuiltProgram", "goals", "thermometer", "jobs", "signup", "search"]),

    // Tests
    .target(name: "BuiltProgram", path: "Tests/BuiltProgram"),
    .target(name: "CAllocationCount", path: "Tests/CAllocationCount"),
    .target(name: "CSanitizers", path: "Tests/CSanitizers"),
    .target(name: "Turns", path: "Tests/Turns"),
    .testTarget(
      name: "SignalObserverTests",
      dependencies: [
        "SignalObserver", "SignalObserverTesting", "CAllocationCount", "CSanitizers", "Turns",
      ],
      exclude: ["Ancestors/README.md", "README.md"]),
    .testTarget(
      name: "SignalObserverTestingTests",
      dependencies: ["SignalObserver", "SignalObserverTesting", "Turns"]),
    .testTarget(
      name: "IsolationTests",
      dependencies: ["SignalObserver", "SignalObserverUI", "BuiltProgram", "CSanitizers", "Turns"]),
    .testTarget(name: "MainActorByDefaultTests", dependencies: ["SignalObserver", "Turns"]),
    .testTarget(name: "ProofTests", dependencies: ["BuiltProgram"]),
  ],
  swiftLanguageModes: [.v6]
)

if isChecked {
  package.targets += [
    // Programs that run the main queue, late or in three ways; IsolationTests runs them and reads what they
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
    .executableTarget(
      name: "LateMain", dependencies: ["SignalObserver"], path: "Tests/MainLoops/LateMain"),
    // What a loop of somebody else's needs, in the program that the articles show.
    .systemLibrary(name: "CMainQueue", path: "Examples/Snippets/CMainQueue"),

    // Proof
    // What takes the place of atomics and locks where the library is built for `explore`.
    .target(name: "Explored", path: "Proof/Explored"),
    .executableTarget(
      name: "explore", dependencies: ["SignalObserver", "Explored"], path: "Proof/explore"),
    // With what makes mutexes known to ThreadSanitizer.
    .executableTarget(
      name: "model", dependencies: ["SignalObserver", "SignalObserverTesting", "CSanitizers"],
      path: "Proof/model"),
    .executableTarget(
      name: "stress", dependencies: ["SignalObserver", "CSanitizers"], path: "Proof/stress"),
  ]

  // The code that the documentation shows, in a few programs: `Scripts/check-text snippets`.
  let snippets = [
    "Async", "Connecting", "Declaring", "FirstLook", "FromClosures", "FromDelegates", "FromKVO",
    "FromNotifications", "ListenerLists", "Mapping", "Models", "Names", "Observers", "Operators",
    "PollLoop", "Recipes", "Screens", "ScreensInAppKit", "ScreensInSwiftUI", "TestingSignals",
    "Values", "Wirings",
  ]
  package.targets += snippets.map { snippet in
    .executableTarget(
      name: snippet,
      dependencies: ["SignalObserver", "SignalObserverTesting", "SignalObserverUI"]
        + (snippet == "PollLoop" ? ["CMainQueue", "MainLoopScenario"] : []),
      path: "Examples/Snippets",
      exclude: snippets.filter { $0 != snippet }.map { "\($0).swift" } + ["CMainQueue"])
  }
}

// The example walks folders by calls of POSIX.
#if os(Windows)
  package.targets.removeAll { $0.name.lowercased().hasPrefix("duplicate") }
#endif

// One list for every target, each with the proposal that says what it does. Those of C ignore it.
for target in package.targets where target.type != .system {
  target.swiftSettings = [
    .enableUpcomingFeature("ExistentialAny"),  // SE-0335
    .enableUpcomingFeature("InternalImportsByDefault"),  // SE-0409
    .enableUpcomingFeature("MemberImportVisibility"),  // SE-0444
    .enableUpcomingFeature("NonisolatedNonsendingByDefault"),  // SE-0461
    .enableUpcomingFeature("InferIsolatedConformances"),  // SE-0470
  ]
  if isChecked {
    target.swiftSettings? += [
      .strictMemorySafety(),  // SE-0458
      .treatAllWarnings(as: .error),  // SE-0443
      .define("CHECKED"),
    ]
  }
}

// On Apple's systems, the library's atomic word is memory at an address that never changes. It says
// so by `@_rawLayout`, as the standard library's does.
for target in package.targets where target.name == "SignalObserver" {
  target.swiftSettings?.append(
    .enableExperimentalFeature(
      "RawLayout", .when(platforms: [.macOS, .iOS, .tvOS, .watchOS, .visionOS])))
}

// Only the products are for the oldest systems. The rest is for the machine that builds it, and
// uses what macOS 15 has.
for target in package.targets
where !target.name.contains("SignalObserver") || target.type == .test {
  target.swiftSettings?.append(
    .unsafeFlags(["-Xfrontend", "-disable-availability-checking"], .when(platforms: [.macOS])))
}

for target in package.targets where target.name == "MainActorByDefaultTests" {
  target.swiftSettings?.append(.defaultIsolation(MainActor.self))  // SE-0466
}

// The library reaches what takes the place of its atomics and locks by a dependency, which has code only in a
// build for `explore`. Tests that run a program of the checks are skipped, with a message, if it is not built.
let checks: [String: [Target.Dependency]] = [
  "SignalObserver": ["Explored"],
  "IsolationTests": ["AsyncMain", "DispatchMain", "LateMain", "PollLoop", "RunLoopMain"],
  "ProofTests": ["model", "stress"],
]
for target in package.targets where isChecked {
  target.dependencies += checks[target.name] ?? []
}
