// Stands in for the parts of the Objective-C runtime that UIKit and AppKit hand on, and that the
// library uses. Each declaration has the address of Apple's own.

public import Foundation

/// An object that others can be associated with, which UIKit's and AppKit's are.
///
/// It belongs to the main actor, as they do, and is `Sendable` by that.
@MainActor open class AssociatingObject: NSObject {
  // Used on the main actor; Apple's functions do not say so.
  fileprivate nonisolated(unsafe) var associated: [UnsafeRawPointer: Any] = [:]

  public nonisolated override init() {}
}

/// https://developer.apple.com/documentation/objectivec/objc_associationpolicy
public enum objc_AssociationPolicy: UInt, Sendable {
  case OBJC_ASSOCIATION_RETAIN_NONATOMIC = 1
}

/// https://developer.apple.com/documentation/objectivec/objc_getassociatedobject(_:_:)
public func objc_getAssociatedObject(_ object: Any, _ key: UnsafeRawPointer) -> Any? {
  (object as? AssociatingObject)?.associated[key]
}

/// https://developer.apple.com/documentation/objectivec/objc_setassociatedobject(_:_:_:_:)
public func objc_setAssociatedObject(
  _ object: Any, _ key: UnsafeRawPointer, _ value: Any?, _ policy: objc_AssociationPolicy
) {
  (object as? AssociatingObject)?.associated[key] = value
}

/// https://developer.apple.com/documentation/objectivec/selector
public struct Selector: Hashable, Sendable, CustomStringConvertible {
  public let name: String
  public var description: String { name }

  /// https://developer.apple.com/documentation/objectivec/selector/init(_:)
  public init(_ str: String) { name = str }
}

/// What the Objective-C runtime does where there is one: it finds a method by its name.
@MainActor public protocol Receiving: AnyObject {
  func perform(_ selector: Selector, with sender: Any?)
}
