// Stands in for Dispatch of Apple's systems, which the toolchain for Linux does not have: what the library uses, and no
// more. Each declaration has Apple's availability. Nothing here runs: `Scripts/check-apple` only type-checks.
// swift-format-ignore-file: AllPublicDeclarationsHaveDocumentation, BeginDocumentationCommentWithOneLineSummary

/// https://developer.apple.com/documentation/dispatch/dispatchobject
@available(macOS 10.10, iOS 8.0, tvOS 9.0, watchOS 2.0, visionOS 1.0, *)
open class DispatchObject {
  init() {}
}

/// https://developer.apple.com/documentation/dispatch/dispatchqueue
@available(macOS 10.10, iOS 8.0, tvOS 9.0, watchOS 2.0, visionOS 1.0, *)
public class DispatchQueue: DispatchObject, @unchecked Sendable {
  public convenience init(label: String, qos: DispatchQoS = .unspecified) { fatalError() }

  public class var main: DispatchQueue { fatalError() }

  public class func global(qos: DispatchQoS.QoSClass = .default) -> DispatchQueue { fatalError() }

  public var label: String { fatalError() }

  public func async(execute work: @escaping @Sendable @convention(block) () -> Void) {}

  public func setSpecific<T>(key: DispatchSpecificKey<T>, value: T?) {}

  public func getSpecific<T>(key: DispatchSpecificKey<T>) -> T? { fatalError() }

  public class func getSpecific<T>(key: DispatchSpecificKey<T>) -> T? { fatalError() }
}

/// https://developer.apple.com/documentation/dispatch/dispatchsemaphore
@available(macOS 10.10, iOS 8.0, tvOS 9.0, watchOS 2.0, visionOS 1.0, *)
public class DispatchSemaphore: DispatchObject, @unchecked Sendable {
  public convenience init(value: Int) { fatalError() }

  @available(*, noasync)
  public func wait() {}

  @discardableResult
  public func signal() -> Int { fatalError() }
}

/// https://developer.apple.com/documentation/dispatch/dispatchspecifickey
@available(macOS 10.10, iOS 8.0, tvOS 9.0, watchOS 2.0, visionOS 1.0, *)
public final class DispatchSpecificKey<T>: @unchecked Sendable {
  public init() {}
}

/// https://developer.apple.com/documentation/dispatch/dispatchqos
@available(macOS 10.10, iOS 8.0, tvOS 9.0, watchOS 2.0, visionOS 1.0, *)
public struct DispatchQoS: Sendable {
  public static let unspecified = DispatchQoS()

  /// https://developer.apple.com/documentation/dispatch/dispatchqos/qosclass
  public enum QoSClass: Sendable {
    case background, utility, `default`, userInitiated, userInteractive, unspecified
  }
}

/// https://developer.apple.com/documentation/dispatch/dispatchtime
@available(macOS 10.10, iOS 8.0, tvOS 9.0, watchOS 2.0, visionOS 1.0, *)
public struct DispatchTime: Comparable, Sendable {
  public static func now() -> DispatchTime { fatalError() }

  public var uptimeNanoseconds: UInt64 { fatalError() }

  public static func < (a: DispatchTime, b: DispatchTime) -> Bool { fatalError() }
}
