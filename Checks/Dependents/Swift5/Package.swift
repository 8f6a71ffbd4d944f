// swift-tools-version: 5.9

import PackageDescription

// A client of today's: an older format of the manifest, Swift 5, and the systems that its own users have.
let package = Package(
  name: "Swift5",
  platforms: [.macOS(.v14), .iOS(.v16)],
  dependencies: [
    .package(name: "SignalObserver", path: "../a folder of any name")
  ],
  targets: [
    .executableTarget(
      name: "App",
      dependencies: [.product(name: "SignalObserver", package: "SignalObserver")],
      // With it, a method of a Sendable type counts as Sendable, as in Swift 6.
      swiftSettings: [.enableUpcomingFeature("InferSendableFromCaptures")])
  ],
  swiftLanguageVersions: [.v5]
)
