// swift-tools-version: 6.2

// The example with a web page, in a package of its own: the root package has no dependencies.

import PackageDescription

let package = Package(
  name: "Live",
  platforms: [.macOS(.v15)],
  dependencies: [
    .package(path: "../../Checks/SignalObserver"),
    .package(url: "https://github.com/apple/swift-async-algorithms", from: "1.1.4"),
    .package(url: "https://github.com/apple/swift-nio", from: "2.101.0"),
    .package(url: "https://github.com/hummingbird-project/hummingbird", from: "2.28.0"),
    .package(url: "https://github.com/swift-server/async-http-client", from: "1.37.0"),
    .package(url: "https://github.com/swift-server/swift-service-lifecycle", from: "2.13.0"),
  ],
  targets: [
    // A link to the example that searches.
    .target(
      name: "DuplicateFinder",
      dependencies: [.product(name: "SignalObserver", package: "SignalObserver")]),
    .target(
      name: "LivePage",
      dependencies: [
        "DuplicateFinder",
        .product(name: "AsyncAlgorithms", package: "swift-async-algorithms"),
        .product(name: "Hummingbird", package: "hummingbird"),
        .product(name: "ServiceLifecycle", package: "swift-service-lifecycle"),
        .product(name: "SignalObserver", package: "SignalObserver"),
        .product(name: "UnixSignals", package: "swift-service-lifecycle"),
      ],
      resources: [.embedInCode("page.html")]),
    .executableTarget(
      name: "live",
      dependencies: [
        "DuplicateFinder", "LivePage",
        .product(name: "ServiceLifecycle", package: "swift-service-lifecycle"),
        .product(name: "SignalObserver", package: "SignalObserver"),
      ]),
    .testTarget(
      name: "LiveTests",
      dependencies: [
        "DuplicateFinder", "LivePage",
        .product(name: "AsyncHTTPClient", package: "async-http-client"),
        .product(name: "NIOCore", package: "swift-nio"),
        .product(name: "NIOHTTP1", package: "swift-nio"),
        .product(name: "ServiceLifecycle", package: "swift-service-lifecycle"),
        .product(name: "SignalObserver", package: "SignalObserver"),
      ]),
  ],
  swiftLanguageModes: [.v6]
)

for target in package.targets {
  target.swiftSettings = [
    .enableUpcomingFeature("ExistentialAny"),
    .enableUpcomingFeature("InternalImportsByDefault"),
    .enableUpcomingFeature("MemberImportVisibility"),
    .enableUpcomingFeature("InferIsolatedConformances"),
    .strictMemorySafety(),
    .treatAllWarnings(as: .error),
  ]
}
