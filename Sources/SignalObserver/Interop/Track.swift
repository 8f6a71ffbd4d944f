/// Calls methods, and calls each again when a property or a value that it has read has changed.
///
/// That holds for properties of `@Observable` models, and for values of an ``EmitterValue``.
///
/// ```swift
/// track(self, View.renderTitle, View.renderList)
/// ```
///
/// The methods run on their actor. Methods of plain classes run on the isolation of the caller, or
/// else on the main queue. If the caller is there, the first calls are made before this returns.
/// Later calls come on that isolation, after the code that made a change has returned. All changes
/// until then make one call. Only those methods are called again that have read a changed property
/// or value. Change the models on that isolation, too.
///
/// A change that a method makes is a change for the other methods. It is one for the method itself,
/// too, if it is a change of an ``EmitterValue``: the method is called again until it no longer
/// changes a value that it has read. Each call takes its turn behind other work of the isolation,
/// so a method that never settles keeps the processor busy, and nobody waiting. A method does not
/// follow its own changes of a property of an `@Observable` model, because Observation registers
/// the reads when the method has returned. Let the method write first, and then read.
///
/// If the first call of a method is made inside another tracked method, its reads count as reads of
/// the outer method, too, as with a nested `withObservationTracking`. A change then calls the outer
/// method again. To avoid that, call `track` outside.
///
/// The target is held weakly. The connection ends with it (guarantee 8), or when no model is left
/// that could change. While the observer is suspended, nothing is called. After
/// ``SignalObserver/SignalObserver/resume()``, each method that has missed a change is called once.
///
/// Observation cannot remove a registration from a model. When the observer is cancelled, the
/// registration stays until the property changes, or the model dies. It takes some 1.5 kB a method,
/// about half of it Observation's own.
///
/// A second call from the same place for the same target, as in a `viewWillAppear`, connects
/// nothing, and returns the existing observer. A call is known by its place in the source, because
/// methods have no identity: two methods with the same code may be one function. Two calls in
/// different places are two connections. A function that takes methods and calls this with them
/// passes on the `fileID`, `line` and `column` of its own caller.
///
/// - Parameters:
///   - target: The object whose methods are called.
///   - methods: The methods, private ones included, all of one isolation.
///   - isolation: The isolation of the caller. Leave it out: the compiler fills it in.
///   - fileID: The file of the caller, by which the call is known.
///   - line: The line of the caller, by which the call is known.
///   - column: The column of the caller, by which the call is known.
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

/// The identity of a call: its place in the source, and its target.
private struct TrackingCall: Hashable {
  let target: ObjectIdentifier
  let fileID: String
  let line: UInt32
  let column: UInt32

  private struct Table {
    var observers: [TrackingCall: SignalObserver] = [:]
    /// The number of entries at which ended ones are removed.
    var limit = 32
  }

  private static let table = Lock(Table())

  /// The observer of a connection that has not ended.
  ///
  /// The target of such a connection is alive, so no other object has its identity.
  static func observer(of call: Self) -> SignalObserver? {
    let observer = table.withLock { $0.observers[call] }
    guard let observer, !observer.isCancelled else { return nil }
    return observer
  }

  /// Sets the observer, and returns nil; or returns the observer that another thread has set
  /// meanwhile.
  static func set(_ observer: SignalObserver, of call: Self) -> SignalObserver? {
    let old = table.withLock { $0.observers.count < $0.limit ? [] : Array($0.observers.values) }
    // Outside the lock, because releasing a target may run its `deinit`.
    for observer in old { _ = observer.isCancelled }
    let outcome = table.withLock { table in
      var ended = old.isEmpty ? [:] : table.observers.filter { $0.value.isEnded }
      for call in ended.keys { table.observers[call] = nil }
      if !old.isEmpty { table.limit = max(32, table.observers.count * 2) }
      if let other = table.observers[call], !other.isEnded { return (ended, Optional(other)) }
      // The replaced observer is released with the others, after the lock.
      ended[call] = table.observers.updateValue(observer, forKey: call)
      return (ended, nil)
    }
    return outcome.1
  }
}
