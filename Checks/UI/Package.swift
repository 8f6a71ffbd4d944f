// swift-tools-version: 6.2

// The library's forms for screens, which are compiled out elsewhere, on modules that stand in for
// UIKit, AppKit and SwiftUI: `Scripts/check screens`.

import PackageDescription

let package = Package(
  name: "UICheck",
  platforms: [.macOS(.v15), .iOS(.v18), .tvOS(.v18), .watchOS(.v11), .visionOS(.v2)],
  targets: [
    .target(name: "AppleRuntime"),
    .target(name: "UIKit", dependencies: ["AppleRuntime"]),
    .target(name: "AppKit", dependencies: ["AppleRuntime"]),
    .target(name: "SwiftUI"),
    .target(name: "CSignalObserver"),
    .target(
      name: "SignalObserver", dependencies: ["CSignalObserver"], exclude: ["Documentation.docc"]),
    .target(
      name: "SignalObserverUI", dependencies: ["AppKit", "SignalObserver", "SwiftUI", "UIKit"]),
    .executableTarget(
      name: "Scoreboard", dependencies: ["SignalObserver", "SignalObserverUI", "SwiftUI"]),
    .target(
      name: "Snippets",
      dependencies: ["AppKit", "SignalObserver", "SignalObserverUI", "SwiftUI", "UIKit"]),
    .testTarget(
      name: "UIKitTests", dependencies: ["Snippets", "SignalObserver", "SignalObserverUI", "UIKit"]),
    .testTarget(
      name: "AppKitTests", dependencies: ["AppKit", "SignalObserver", "SignalObserverUI"]),
    .testTarget(
      name: "SwiftUITests",
      dependencies: ["Scoreboard", "SignalObserver", "SignalObserverUI", "SwiftUI"]),
  ],
  swiftLanguageModes: [.v6]
)

for target in package.targets where target.name.hasPrefix("SignalObserver") {
  target.swiftSettings = [
    .enableUpcomingFeature("ExistentialAny"),
    .enableUpcomingFeature("InternalImportsByDefault"),
    .enableUpcomingFeature("NonisolatedNonsendingByDefault"),
    .enableUpcomingFeature("InferIsolatedConformances"),
    .enableUpcomingFeature("MemberImportVisibility"),
    .strictMemorySafety(),
    .treatAllWarnings(as: .error),
  ]
}

// The test library has additions of its own for the modules of these names, which are not here.
for target in package.targets where target.type == .test {
  target.swiftSettings = [.unsafeFlags(["-Xfrontend", "-disable-cross-import-overlays"])]
}
