// swift-tools-version: 6.2

import PackageDescription

let package = Package(
  name: "ByTag",
  platforms: [.macOS(.v15)],
  dependencies: [
    // A clone that Scripts/check-dependents has made and tagged.
    .package(url: Context.environment["SIGNAL_OBSERVER_URL"] ?? "", from: "1.0.0")
  ],
  targets: [
    .executableTarget(
      name: "App", dependencies: [.product(name: "SignalObserver", package: "SignalObserver")]),
    .testTarget(
      name: "AppTests",
      dependencies: [
        .product(name: "SignalObserver", package: "SignalObserver"),
        .product(name: "SignalObserverTesting", package: "SignalObserver"),
      ]),
  ],
  swiftLanguageModes: [.v6]
)
