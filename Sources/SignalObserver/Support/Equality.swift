import Dispatch

/// Returns a function that says whether two payloads of a type are equal; nil if they cannot be
/// compared.
///
/// A binding looks the function up once, when it is made. The lookup uses the type at run time, so
/// generic code compares as concrete code does. If a conformance belongs to an actor, or that of a
/// part does, the function runs it on that actor alone, and says "no" elsewhere.
@inlinable
func equality<Value>(of _: Value.Type) -> (@Sendable (Value, Value) -> Bool)? {
  func open<Comparable: Equatable & SendableMetatype>(
    _: Comparable.Type
  ) -> @Sendable (Value, Value) -> Bool {
    let comparison = Comparison.of(Value.self)
    return {
      if !comparison.isAllowed { return false }
      // This is right, because `Value` and `Comparable` are the same type.
      return unsafe unsafeBitCast($0, to: Comparable.self)
        == unsafeBitCast($1, to: Comparable.self)
    }
  }
  // This also finds conformances that belong to actors.
  guard let type = Value.self as? any (Equatable & SendableMetatype).Type else { return nil }
  return open(type)
}

/// Where the values of one type may be compared.
@usableFromInline
final class Comparison: Sendable {
  /// One, once it is known that any thread may compare them.
  private let isAllowedAnywhere = Atomic(0)
  /// One, once it is known that the main actor may.
  private let isAllowedOnMain = Atomic(0)
  private let isAllowedHere: @Sendable () -> Bool

  private static let all = Lock([ObjectIdentifier: Comparison]())

  private init(_ isAllowedHere: @escaping @Sendable () -> Bool) {
    self.isAllowedHere = isAllowedHere
  }

  @usableFromInline
  static func of<Value>(_ type: Value.Type) -> Comparison {
    let (comparison, isNew) = all.withLock { all in
      let found = all[ObjectIdentifier(type)]
      let comparison = found ?? Comparison { isComparable(type) }
      all[ObjectIdentifier(type)] = comparison
      return (comparison, found == nil)
    }
    if isNew { comparison.lookElsewhere() }
    // If a task of the main actor makes the binding, the runtime knows that actor here.
    if !comparison.isKnownToBeAllowed, MainQueue.isCurrent, comparison.isAllowedHere() {
      comparison.isAllowedOnMain.store(1, ordering: .relaxed)
    }
    return comparison
  }

  /// Whether the calling thread may compare them.
  ///
  /// To ask the runtime costs 900 instructions.
  @usableFromInline
  var isAllowed: Bool { isKnownToBeAllowed || isAllowedHere() }

  /// Whether it is known already that it may.
  ///
  /// Outside of tasks, the runtime takes the main thread for the main actor. On Linux, another
  /// thread may run the main queue. Relaxed: the answers order nothing.
  private var isKnownToBeAllowed: Bool {
    isAllowedAnywhere.load(ordering: .relaxed) != 0
      || isAllowedOnMain.load(ordering: .relaxed) != 0 && MainQueue.isCurrent
  }

  /// Asks a thread that is on no actor.
  private func lookElsewhere() {
    #if !SO_EXPLORE
      DispatchQueue.global().async {
        if self.isAllowedHere() { self.isAllowedAnywhere.store(1, ordering: .relaxed) }
      }
    #endif
  }
}

/// Whether the calling thread may compare values of a type.
///
/// A cast of a value asks for the actor of a conformance on which the cast depends. That of a type
/// does not.
private func isComparable<Value>(_: Value.Type) -> Bool {
  Compared<Value>() as Any is any HasComparison
}

private protocol HasComparison {}
private struct Compared<Value> {}
extension Compared: HasComparison where Value: Equatable {}
