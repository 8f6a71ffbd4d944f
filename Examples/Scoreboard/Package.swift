// swift-tools-version: 6.2

// The example with a SwiftUI screen, which only Apple's systems can show: `swift run` on a Mac.

import PackageDescription

let package = Package(
  name: "Scoreboard",
  platforms: [.macOS(.v15), .iOS(.v18)],
  dependencies: [.package(path: "../../Checks/SignalObserver")],
  targets: [
    .executableTarget(
      name: "Scoreboard",
      dependencies: [
        .product(name: "SignalObserver", package: "SignalObserver"),
        .product(name: "SignalObserverUI", package: "SignalObserver"),
      ])
  ],
  swiftLanguageModes: [.v6]
)
