// swift-tools-version: 6.2

import PackageDescription

let package = Package(
  name: "RemoteBenchmarks",
  platforms: [.macOS(.v15)],
  dependencies: [
    .package(path: "../../Checks/SignalObserver"),
    .package(name: "Remote", path: ".."),
  ],
  targets: [
    .executableTarget(
      name: "figures",
      dependencies: [
        .product(name: "SignalObserverNATS", package: "Remote"),
        .product(name: "SignalObserver", package: "SignalObserver"),
      ])
  ],
  swiftLanguageModes: [.v6]
)
