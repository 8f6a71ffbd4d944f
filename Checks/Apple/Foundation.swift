// Stands in for Foundation of Apple's systems: what SignalObserverUI and the stand-ins for UIKit and AppKit use, and no
// more. Each declaration has Apple's availability. Nothing here runs.
// swift-format-ignore-file: AllPublicDeclarationsHaveDocumentation, BeginDocumentationCommentWithOneLineSummary

/// https://developer.apple.com/documentation/objectivec/nsobjectprotocol
public protocol NSObjectProtocol: AnyObject {}

/// https://developer.apple.com/documentation/objectivec/nsobject-swift.class
open class NSObject: NSObjectProtocol, Equatable, Hashable {
  public init() {}

  public static func == (a: NSObject, b: NSObject) -> Bool { fatalError() }

  public func hash(into hasher: inout Hasher) {}
}

/// https://developer.apple.com/documentation/foundation/indexpath
@available(macOS 10.10, iOS 8.0, tvOS 9.0, watchOS 2.0, visionOS 1.0, *)
public struct IndexPath: Hashable, Sendable {
  public init(indexes: [Int]) {}
}

/// https://developer.apple.com/documentation/foundation/date
@available(macOS 10.10, iOS 8.0, tvOS 9.0, watchOS 2.0, visionOS 1.0, *)
public struct Date: Hashable, Sendable {
  public init(timeIntervalSince1970: Double) {}
}

/// https://developer.apple.com/documentation/foundation/nsnotification
open class NSNotification: NSObject {
  /// https://developer.apple.com/documentation/foundation/nsnotification/name-swift.struct
  public struct Name: Hashable, RawRepresentable, Sendable {
    public var rawValue: String

    public init(_ rawValue: String) { self.rawValue = rawValue }
    public init(rawValue: String) { self.rawValue = rawValue }
  }
}

/// https://developer.apple.com/documentation/foundation/notification
@available(macOS 10.10, iOS 8.0, tvOS 9.0, watchOS 2.0, visionOS 1.0, *)
public struct Notification {
  public typealias Name = NSNotification.Name

  public var name: Name
  public var object: Any?
  public var userInfo: [AnyHashable: Any]?
}

@available(*, unavailable)
extension Notification: Sendable {}

/// https://developer.apple.com/documentation/foundation/operationqueue
open class OperationQueue: NSObject, @unchecked Sendable {}

/// https://developer.apple.com/documentation/foundation/nslock
open class NSLock: NSObject, @unchecked Sendable {
  open func lock() {}
  open func unlock() {}
}

/// https://developer.apple.com/documentation/foundation/notificationcenter
open class NotificationCenter: NSObject, @unchecked Sendable {
  open class var `default`: NotificationCenter { fatalError() }

  /// https://developer.apple.com/documentation/foundation/notificationcenter/addobserver(forname:object:queue:using:)
  open func addObserver(
    forName name: Notification.Name?, object: Any?, queue: OperationQueue?,
    using block: @escaping @Sendable (Notification) -> Void
  ) -> any NSObjectProtocol { fatalError() }

  open func removeObserver(_ observer: Any) {}

  open func post(name: Notification.Name, object: Any?) {}
}
