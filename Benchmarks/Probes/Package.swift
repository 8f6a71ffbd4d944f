// swift-tools-version: 6.2

import PackageDescription

// What needs nothing but the library: the gate's probe, its program with one connection, the load test, and the
// allocation counter.
// A package of its own, so that neither fetches or builds the peers.
let package = Package(
  name: "Probes",
  platforms: [.macOS(.v15)],
  products: [
    .library(name: "CAllocations", targets: ["CAllocations"])
  ],
  dependencies: [
    .package(path: "../../Checks/SignalObserver")
  ],
  targets: [
    .target(name: "CAllocations"),
    .executableTarget(
      name: "probe",
      dependencies: ["CAllocations", .product(name: "SignalObserver", package: "SignalObserver")],
      // Older valgrinds stop at debug information that they do not know.
      linkerSettings: [
        .unsafeFlags(["-Xlinker", "--strip-debug"], .when(platforms: [.linux]))
      ]),
    .executableTarget(
      name: "one",
      dependencies: [.product(name: "SignalObserver", package: "SignalObserver")]),
    .executableTarget(
      name: "load",
      dependencies: ["CAllocations", .product(name: "SignalObserver", package: "SignalObserver")]),
  ],
  swiftLanguageModes: [.v6]
)
