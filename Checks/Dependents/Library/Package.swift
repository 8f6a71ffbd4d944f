// swift-tools-version: 6.2

import PackageDescription

let package = Package(
  name: "Weather",
  platforms: [.macOS(.v15)],
  products: [.library(name: "Weather", targets: ["Weather"])],
  dependencies: [
    .package(name: "SignalObserver", path: "../a folder of any name")
  ],
  targets: [
    .target(
      name: "Weather",
      dependencies: [.product(name: "SignalObserver", package: "SignalObserver")],
      swiftSettings: [
        .enableUpcomingFeature("InternalImportsByDefault"),
        .enableUpcomingFeature("MemberImportVisibility"),
        .treatAllWarnings(as: .error),
      ]),
    // Who uses the library, and connects to its signals.
    .executableTarget(
      name: "App",
      dependencies: ["Weather", .product(name: "SignalObserver", package: "SignalObserver")],
      swiftSettings: [.treatAllWarnings(as: .error)]),
  ],
  swiftLanguageModes: [.v6]
)
