/// Says which objects are still alive: targets, emitters, and what closures capture.
///
/// ```swift
/// let check = ReleaseCheck()
/// let observer = player.scoreChanged.connect { [capture = check.capture("closure")] _ in
///   _ = capture
/// }
/// observer.cancel()
/// assert(check.alive.isEmpty)
/// ```
///
/// It holds nothing that it is asked to watch.
public final class ReleaseCheck {
  /// An object to be captured by a closure, whose release is the closure's.
  public final class Capture: Sendable {
    init() {}
  }

  private struct Watched {
    let name: String
    /// Weak: it is looked at, and not kept.
    weak var object: AnyObject?
  }

  private var watched: [Watched] = []

  /// Creates a check that watches nothing.
  public init() {}

  /// Watches an object, and returns it.
  ///
  /// - Parameters:
  ///   - object: The object.
  ///   - name: What ``alive`` calls it; its type if left out.
  /// - Returns: `object`.
  @discardableResult
  public func watch<Object: AnyObject>(_ object: Object, _ name: String? = nil) -> Object {
    watched.append(Watched(name: name ?? "\(type(of: object))", object: object))
    return object
  }

  /// Makes an object to be captured, and watches it.
  ///
  /// - Parameter name: What ``alive`` calls it.
  /// - Returns: The object, which nobody else holds.
  public func capture(_ name: String) -> Capture {
    watch(Capture(), name)
  }

  /// The names of what has not been released, in the order in which it was watched.
  public var alive: [String] {
    watched.filter { $0.object != nil }.map(\.name)
  }
}
