// swift-tools-version: 6.2

import PackageDescription

let package = Package(
  name: "Remote",
  platforms: [.macOS(.v15)],
  products: [
    .library(name: "SignalObserverNATS", targets: ["SignalObserverNATS"]),
    .library(name: "SignalObserverNATSTesting", targets: ["SignalObserverNATSTesting"]),
    .library(name: "SignalObserverNATSTracing", targets: ["SignalObserverNATSTracing"]),
    .library(name: "SignalObserverNATSLogging", targets: ["SignalObserverNATSLogging"]),
    .library(name: "SignalObserverNATSMetrics", targets: ["SignalObserverNATSMetrics"]),
    .library(name: "SignalObserverNATSLifecycle", targets: ["SignalObserverNATSLifecycle"]),
    .executable(name: "remote-demo", targets: ["remote-demo"]),
  ],
  dependencies: [
    .package(path: "../Checks/SignalObserver"),
    // Each for one product. Whoever uses only the others does not build it.
    .package(url: "https://github.com/apple/swift-distributed-tracing", from: "1.7.3"),
    .package(url: "https://github.com/apple/swift-log", from: "1.16.2"),
    .package(url: "https://github.com/apple/swift-metrics", from: "2.13.0"),
    .package(url: "https://github.com/swift-server/swift-service-lifecycle", from: "2.13.0"),
  ],
  targets: [
    .systemLibrary(
      name: "CNats", pkgConfig: "libnats",
      providers: [.apt(["libnats-dev"]), .brew(["cnats"])]),
    .target(
      name: "SignalObserverNATS",
      dependencies: ["CNats", .product(name: "SignalObserver", package: "SignalObserver")]),
    // A server in memory, for users' tests.
    .target(name: "SignalObserverNATSTesting", dependencies: ["SignalObserverNATS"]),

    .target(
      name: "SignalObserverNATSTracing",
      dependencies: [
        "SignalObserverNATS",
        .product(name: "Instrumentation", package: "swift-distributed-tracing"),
      ]),

    .target(
      name: "SignalObserverNATSLogging",
      dependencies: ["SignalObserverNATS", .product(name: "Logging", package: "swift-log")]),
    .target(
      name: "SignalObserverNATSMetrics",
      dependencies: [
        "SignalObserverNATS", .product(name: "CoreMetrics", package: "swift-metrics"),
      ]),
    .target(
      name: "SignalObserverNATSLifecycle",
      dependencies: [
        "SignalObserverNATS",
        .product(name: "ServiceLifecycle", package: "swift-service-lifecycle"),
      ]),

    // A nats-server process on a free loopback port, for the demo, the tests and the figures.
    .target(name: "NATSServer"),
    .executableTarget(
      name: "remote-demo",
      dependencies: [
        "SignalObserverNATS", "NATSServer",
        .product(name: "SignalObserver", package: "SignalObserver"),
      ]),

    // What the tests start, stop and kill: the other process.
    .executableTarget(
      name: "remote-peer",
      dependencies: [
        "SignalObserverNATS", .product(name: "SignalObserver", package: "SignalObserver"),
      ]),
    .testTarget(
      name: "SignalObserverNATSTests",
      dependencies: [
        "CNats", "SignalObserverNATS", "SignalObserverNATSTesting", "NATSServer", "remote-peer",
        "remote-demo",
        "SignalObserverNATSTracing", "SignalObserverNATSLogging", "SignalObserverNATSMetrics",
        "SignalObserverNATSLifecycle",
        .product(name: "InMemoryLogging", package: "swift-log"),
        .product(name: "Logging", package: "swift-log"),
        .product(name: "MetricsTestKit", package: "swift-metrics"),
        .product(name: "CoreMetrics", package: "swift-metrics"),
        .product(name: "ServiceLifecycle", package: "swift-service-lifecycle"),
        .product(name: "ServiceLifecycleTestKit", package: "swift-service-lifecycle"),
        .product(name: "UnixSignals", package: "swift-service-lifecycle"),
        .product(name: "InMemoryTracing", package: "swift-distributed-tracing"),
        .product(name: "Tracing", package: "swift-distributed-tracing"),
        .product(name: "SignalObserver", package: "SignalObserver"),
        .product(name: "SignalObserverTesting", package: "SignalObserver"),
      ],
      // A certificate, a key and credentials that serve nobody but the tests.
      exclude: ["Fixtures"]),
  ],
  swiftLanguageModes: [.v6]
)

for target in package.targets where target.type != .system {
  target.swiftSettings = [
    .enableUpcomingFeature("ExistentialAny"),  // SE-0335
    .enableUpcomingFeature("InternalImportsByDefault"),  // SE-0409
    .enableUpcomingFeature("MemberImportVisibility"),  // SE-0444
  ]
  // A fresh warning of another compiler must not stop those who depend on this package.
  if Context.environment["SIGNAL_OBSERVER_CHECKS"] != nil {
    target.swiftSettings?.append(.treatAllWarnings(as: .error))  // SE-0443
  }
}
