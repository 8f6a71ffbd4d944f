/// Calls methods, and calls each again whenever something that it has read from `@Observable` models,
/// or of an ``EmitterValue``, has changed.
///
/// ```swift
/// track(self, View.renderTitle, View.renderList)
/// ```
///
/// The first calls are made before this returns if it is called where the methods belong: on their
/// actor, for methods of plain classes on the isolation that this is called from, else on the main
/// queue. Later calls come on that isolation, after the code that made the change has returned; all
/// that changed until then is one call. Only the methods that read what changed are called. Change
/// the models on that isolation, too.
///
/// What a method changes is a change for the others. For itself, too, if it is an ``EmitterValue``: it
/// is called again until it leaves as it is what it has read. Each time it takes its turn behind other
/// work of its isolation, so a method that never comes to an end keeps the processor busy and nobody
/// waiting. A property of an `@Observable` model that it changes itself it does not follow, because
/// Observation registers what was read when the method has returned: let it write first, and then
/// read what it needs.
///
/// What a method reads in a first call that is made inside of another tracked method counts as read by
/// that one, too, as with a nested `withObservationTracking`: when it changes, the outer method is called
/// again. Track outside of it if that is not wanted.
///
/// The target is held weakly, and the connection ends with it (guarantee 8), or when no model is left
/// that could change. While the observer is suspended nothing is called; after
/// ``SignalObserver/SignalObserver/resume()``, the methods that have missed a change are called once.
///
/// Observation has no way to take back what it has registered in a model. When this is cancelled, that
/// stays there until what was read changes, or the model dies: some 1.5 kB a method, about half of it
/// Observation's own.
///
/// Reached again for the same target (as in a `viewWillAppear`), the same call connects nothing and
/// returns the observer that is there. It is known by its place in the source, since methods have no
/// identity: two with the same code may be one function. Two calls in different places are two
/// connections. A function that calls this with methods that it is given passes its caller's `fileID`,
/// `line` and `column` on.
///
/// - Parameters:
///   - target: The object whose methods are called.
///   - methods: The methods, private ones included, all of one isolation.
///   - isolation: Where this is called. Leave it out: the compiler fills it in.
///   - fileID: Where this is called, to know the call again.
///   - line: Where this is called, to know the call again.
///   - column: Where this is called, to know the call again.
/// - Returns: The handle of the connection, for all the methods.
/// - Precondition: The methods have the same isolation.
@discardableResult
public func track<Target: AnyObject>(
  _ target: Target, _ methods: (@Sendable (Target) -> @isolated(any) () -> Void)...,
  isolation: isolated (any Actor)? = #isolation,
  fileID: StaticString = #fileID, line: UInt32 = #line, column: UInt32 = #column
) -> SignalObserver {
  let call = TrackingCall(
    target: ObjectIdentifier(target), fileID: "\(fileID)", line: line, column: column)
  if let observer = TrackingCall.observer(of: call) { return observer }
  let place = methods.first?(target).isolation ?? isolation
  precondition(
    methods.allSatisfy { ($0(target).isolation ?? isolation) === place },
    "the methods of one `track` have the same isolation")
  let tracking = Tracking()
  let observer = tracking.attach(
    SignalSlot(target, Delivery(isolation: place), fileID, line) { target, turn in
      Tracking.take(turn, onItsIsolation(methods[turn.index](target)))
    })
  if let other = TrackingCall.set(observer, of: call) {
    observer.cancel()
    return other
  }
  tracking.start(methods.count, from: isolation.map { ObjectIdentifier($0) })
  return observer
}

/// One place in the source that tracks, for one target.
private struct TrackingCall: Hashable {
  let target: ObjectIdentifier
  let fileID: String
  let line: UInt32
  let column: UInt32

  private struct Table {
    var observers: [TrackingCall: SignalObserver] = [:]
    /// The size at which ended ones are looked for.
    var limit = 32
  }

  private static let table = Lock(Table())

  /// The observer of a connection that has not ended; its target is then alive, so no other object
  /// has its identity.
  static func observer(of call: Self) -> SignalObserver? {
    let observer = table.withLock { $0.observers[call] }
    guard let observer, !observer.isCancelled else { return nil }
    return observer
  }

  /// Returns the observer that another thread has set meanwhile, if it has, and sets nothing then.
  static func set(_ observer: SignalObserver, of call: Self) -> SignalObserver? {
    let old = table.withLock { $0.observers.count < $0.limit ? [] : Array($0.observers.values) }
    // Outside the lock, since letting go of a target may run its `deinit`.
    for observer in old { _ = observer.isCancelled }
    let outcome = table.withLock { table in
      var ended = old.isEmpty ? [:] : table.observers.filter { $0.value.isEnded }
      for call in ended.keys { table.observers[call] = nil }
      if !old.isEmpty { table.limit = max(32, table.observers.count * 2) }
      if let other = table.observers[call], !other.isEnded { return (ended, Optional(other)) }
      // What is replaced goes with the rest, after the lock.
      ended[call] = table.observers.updateValue(observer, forKey: call)
      return (ended, nil)
    }
    return outcome.1
  }
}
