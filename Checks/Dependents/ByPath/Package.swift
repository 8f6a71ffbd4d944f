// swift-tools-version: 6.2

import PackageDescription

let package = Package(
  name: "ByPath",
  platforms: [.macOS(.v15)],
  dependencies: [
    // The name is the package's, whatever its folder is called.
    .package(name: "SignalObserver", path: "../a folder of any name")
  ],
  targets: [
    .executableTarget(
      name: "App",
      dependencies: [.product(name: "SignalObserver", package: "SignalObserver")],
      swiftSettings: [.treatAllWarnings(as: .error)]),
    .target(name: "Other"),
    .target(
      name: "Names",
      dependencies: ["Other", .product(name: "SignalObserver", package: "SignalObserver")],
      swiftSettings: [.treatAllWarnings(as: .error)]),
  ],
  swiftLanguageModes: [.v6]
)
