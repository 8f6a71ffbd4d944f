// swift-tools-version: 6.2

import Foundation
import PackageDescription

let package = Package(
  name: "Benchmarks",
  platforms: [.macOS(.v15)],
  dependencies: [
    .package(path: "../Checks/SignalObserver"),
    .package(path: "Probes"),
    .package(url: "https://github.com/OpenCombine/OpenCombine", exact: "0.14.0"),
    .package(url: "https://github.com/apple/swift-async-algorithms", exact: "1.1.4"),
    .package(url: "https://github.com/ordo-one/benchmark", exact: "1.38.1", traits: []),
  ],
  targets: [
    .target(
      name: "Peers",
      dependencies: [
        .product(name: "SignalObserver", package: "SignalObserver"),
        .product(name: "OpenCombine", package: "OpenCombine"),
        .product(name: "OpenCombineDispatch", package: "OpenCombine"),
        .product(name: "AsyncAlgorithms", package: "swift-async-algorithms"),
      ]),
    .executableTarget(name: "Compare", dependencies: ["Peers"]),
    .executableTarget(
      name: "Memory",
      dependencies: [
        "Peers", .product(name: "CAllocations", package: "Probes"),
        .product(name: "SignalObserver", package: "SignalObserver"),
      ]),
    .executableTarget(
      name: "SignalObserverBenchmarks",
      dependencies: ["Peers", .product(name: "Benchmark", package: "benchmark")],
      path: "Benchmarks/SignalObserverBenchmarks",
      plugins: [.plugin(name: "BenchmarkPlugin", package: "benchmark")]),
  ],
  swiftLanguageModes: [.v6]
)

// Peers in C++, where their Debian packages are installed: libboost-dev, libsigc++-2.0-dev and qt6-base-dev.
if ProcessInfo.processInfo.environment["SIGNAL_BENCHMARKS_CXX"] == "1" {
  package.targets += [
    .systemLibrary(
      name: "CSigc", path: "Sources/CSigc", pkgConfig: "sigc++-2.0",
      providers: [.apt(["libsigc++-2.0-dev"])]),
    .systemLibrary(
      name: "CQt", path: "Sources/CQt", pkgConfig: "Qt6Core", providers: [.apt(["qt6-base-dev"])]),
    .target(name: "CxxPeers", dependencies: ["CSigc", "CQt"]),
  ]
  package.cxxLanguageStandard = .cxx17
  for target in package.targets where target.name == "Peers" {
    target.dependencies.append("CxxPeers")
    target.swiftSettings = [.define("CXX_PEERS")]
  }
}
