/// Shows which objects are still alive: targets, emitters, and captures of closures.
///
/// ```swift
/// let check = ReleaseCheck()
/// let signal = player.scoreChanged
/// let observer = signal.connect { [capture = check.capture("closure")] _ in
///   _ = capture
/// }
/// assert(check.alive == ["closure"])
/// observer.cancel()
/// assert(check.alive == [])
/// ```
///
/// It does not hold the objects that it watches.
public final class ReleaseCheck {
  /// An object for a closure to capture, which is released with the closure.
  public final class Capture: Sendable {
    init() {}
  }

  private struct Watched {
    let name: String
    /// This reference is weak, so that the check does not keep the object alive.
    weak var object: AnyObject?
  }

  private var watched: [Watched] = []

  /// Creates a check that watches nothing.
  public init() {}

  /// Watches an object, and returns it.
  ///
  /// - Parameters:
  ///   - object: The object to watch.
  ///   - name: The name of the object in ``alive``. Without one, it is the object's type.
  /// - Returns: `object`.
  @discardableResult
  public func watch<Object: AnyObject>(_ object: Object, _ name: String? = nil) -> Object {
    watched.append(Watched(name: name ?? "\(type(of: object))", object: object))
    return object
  }

  /// Makes an object for a closure to capture, and watches it.
  ///
  /// - Parameter name: The name of the object in ``alive``.
  /// - Returns: The object. Only the caller holds it.
  public func capture(_ name: String) -> Capture {
    watch(Capture(), name)
  }

  /// The names of the objects that have not been released, in the order in which they were watched.
  public var alive: [String] {
    watched.filter { $0.object != nil }.map(\.name)
  }
}

/// A check stays in one isolation domain, because nothing guards its list.
@available(*, unavailable)
extension ReleaseCheck: Sendable {}
