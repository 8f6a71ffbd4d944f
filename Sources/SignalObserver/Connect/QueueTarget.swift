public import Dispatch

/// A queue as the target of a closure.
///
/// The forms that answer to it are constrained to this protocol, and not to the class. In a call
/// with a mistake inside the closure, the compiler then names that mistake.
@_documentation(visibility: internal)
public protocol QueueTarget: AnyObject {}

extension DispatchQueue: QueueTarget {}
