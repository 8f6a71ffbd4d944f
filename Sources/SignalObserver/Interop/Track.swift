/// Calls a method, and calls it again when a property or a value that it has read has changed.
///
/// It follows properties of `@Observable` models, and values of an ``EmitterValue``. To make a
/// source from what a closure reads, use ``observed(_:)``.
///
/// ```swift
/// track(self, TitleView.render)
/// ```
///
/// The method runs on its actor. A method of a plain class runs on the isolation of the caller, or
/// else on the main queue. If the caller is on that isolation, the first call is made before this
/// returns, unless something must be delivered there first ([guarantee 13](doc:Guarantees)). Later
/// calls are made there, too, after the code that made a change has returned. All changes until
/// then lead to one call. Change the models on that isolation, too.
///
/// If the method changes an ``EmitterValue`` that it has read, it is called again, until it no
/// longer changes such a value. Each call waits its turn behind other work of the isolation, so a
/// method that never settles keeps the processor busy, but blocks nobody. A method does not follow
/// its own changes to a property of an `@Observable` model, because Observation registers the reads
/// when the method has returned. Let the method write first, and then read.
///
/// If another tracked method calls `track`, the reads of the first call count as reads of that
/// outer method, too, as with a nested `withObservationTracking`. A change then calls the outer
/// method again. To avoid that, call `track` outside of tracked methods.
///
/// The connection holds its target weakly. It ends when the target dies
/// ([guarantee 8](doc:Guarantees)), or when no model is left that could change. While the observer
/// is suspended, the method is not called. After ``SignalObserver/SignalObserver/resume()``, it is
/// called once if it has missed a change.
///
/// Observation cannot remove a registration from a model. When the observer is cancelled, the
/// registration stays until the property changes or the model dies. It takes some 1.5 kB, about
/// half of which is Observation's own.
///
/// A second call from the same line of code for the same target, as in a `viewWillAppear`, connects
/// nothing, and returns the existing observer. The library recognises a call by its line and
/// column, because methods have no identity: two methods with the same code may be one function.
/// Calls on two lines make two connections. If you wrap this in a function of your own that takes
/// methods, pass on the `fileID`, `line` and `column` of its caller.
///
/// It needs macOS 14, iOS 17, tvOS 17 or watchOS 10, where Observation begins. On older systems,
/// keep the state in values ([Values](doc:Values)), and connect to them.
///
/// - Parameters:
///   - target: The object whose method is called.
///   - method: The method. It may be private.
///   - isolation: The isolation of the caller. Leave it out: the compiler fills it in.
///   - fileID: The file of the caller, by which the call is recognised.
///   - line: The line of the caller, by which the call is recognised.
///   - column: The column of the caller, by which the call is recognised.
/// - Returns: The handle of the connection.
/// - Complexity: O(1), besides the call.
@available(macOS 14, iOS 17, tvOS 17, watchOS 10, visionOS 1, *)
@discardableResult
public func track<Target: AnyObject>(
  _ target: Target, _ method: @escaping @Sendable (Target) -> @isolated(any) () -> Void,
  isolation: isolated (any Actor)? = #isolation,
  fileID: StaticString = #fileID, line: UInt32 = #line, column: UInt32 = #column
) -> SignalObserver {
  track(target, [TrackedMethod(method, of: target)], from: isolation, fileID, line, column)
}

/// Calls several methods of one isolation, and calls each one again when a property or a value that
/// it has read has changed.
///
/// ```swift
/// track(self, SongView.renderTitle, SongView.renderPlays)
/// ```
///
/// Each method is called as ``track(_:_:isolation:fileID:line:column:)`` calls one, and all share
/// one connection. A change calls only the methods that have read the changed property or value. A
/// method may change what another method has read: the other method is then called again.
///
/// It needs macOS 15, iOS 18, tvOS 18, watchOS 11 or visionOS 2, whose Swift runtime knows the type
/// of a list of such methods. On older systems, call ``track(_:_:isolation:fileID:line:column:)``
/// once for each method.
///
/// - Parameters:
///   - target: The object whose methods are called.
///   - first: A method. It may be private.
///   - second: Another one.
///   - others: More methods, all of the same isolation.
///   - isolation: The isolation of the caller. Leave it out: the compiler fills it in.
///   - fileID: The file of the caller, by which the call is recognised.
///   - line: The line of the caller, by which the call is recognised.
///   - column: The column of the caller, by which the call is recognised.
/// - Returns: The handle of the connection, which includes all the methods.
/// - Complexity: O(*n*) in the number of methods, besides their calls.
/// - Precondition: The methods have the same isolation.
@available(macOS 15, iOS 18, tvOS 18, watchOS 11, visionOS 2, *)
@discardableResult
public func track<Target: AnyObject>(
  _ target: Target, _ first: @escaping @Sendable (Target) -> @isolated(any) () -> Void,
  _ second: @escaping @Sendable (Target) -> @isolated(any) () -> Void,
  _ others: (@Sendable (Target) -> @isolated(any) () -> Void)...,
  isolation: isolated (any Actor)? = #isolation,
  fileID: StaticString = #fileID, line: UInt32 = #line, column: UInt32 = #column
) -> SignalObserver {
  let methods = ([first, second] + others).map { TrackedMethod($0, of: target) }
  return track(target, methods, from: isolation, fileID, line, column)
}

@available(macOS 14, iOS 17, tvOS 17, watchOS 10, visionOS 1, *)
private func track<Target: AnyObject>(
  _ target: Target, _ methods: [TrackedMethod<Target>], from isolation: (any Actor)?,
  _ fileID: StaticString, _ line: UInt32, _ column: UInt32
) -> SignalObserver {
  let call = TrackingCall(
    target: ObjectIdentifier(target), fileID: "\(fileID)", line: line, column: column)
  if let observer = TrackingCall.observer(of: call) { return observer }
  let place = methods.first?.isolation ?? isolation
  precondition(
    methods.allSatisfy { ($0.isolation ?? isolation) === place },
    "give all methods of one `track` the same isolation")
  let tracking = Tracking()
  let observer = tracking.attach(
    SignalSlot(target, RequestedPlace(isolation: place), fileID, line) { target, run in
      Tracking.perform(run) { methods[run.index].call(target) }
    })
  if let other = TrackingCall.set(observer, of: call) {
    observer.cancel()
    return other
  }
  tracking.start(methods.count, from: isolation.map { ObjectIdentifier($0) })
  return observer
}

/// A method, and the actor on which its caller must call it.
private struct TrackedMethod<Target: AnyObject>: Sendable {
  let isolation: (any Actor)?
  let call: @Sendable (Target) -> Void

  init(_ method: @escaping @Sendable (Target) -> @isolated(any) () -> Void, of target: Target) {
    isolation = method(target).isolation
    call = { onItsIsolation(method($0))() }
  }
}

/// The identity of a call: its line of code, and its target.
private struct TrackingCall: Hashable {
  let target: ObjectIdentifier
  let fileID: String
  let line: UInt32
  let column: UInt32

  /// The observers of calls, and how many there are when those that have ended are removed.
  private static let table = Lock((observers: [TrackingCall: SignalObserver](), limit: 32))

  /// The observer of a connection that has not ended.
  ///
  /// The target of such a connection is alive, so no other object has its identity.
  static func observer(of call: Self) -> SignalObserver? {
    let observer = table.withLock { $0.observers[call] }
    guard let observer, !observer.isCancelled else { return nil }
    return observer
  }

  /// Sets the observer, and returns nil.
  ///
  /// If another thread has set one meanwhile, returns that one.
  static func set(_ observer: SignalObserver, of call: Self) -> SignalObserver? {
    let old = table.withLock { $0.observers.count < $0.limit ? [] : Array($0.observers.values) }
    // Outside the lock, because releasing a target may run its `deinit`.
    for observer in old { _ = observer.isCancelled }
    let (ended, other) = table.withLock { table in
      var ended = old.isEmpty ? [:] : table.observers.filter { $0.value.isOver }
      for call in ended.keys { table.observers[call] = nil }
      if !old.isEmpty { table.limit = max(32, table.observers.count * 2) }
      if let other = table.observers[call], !other.isOver { return (ended, Optional(other)) }
      // The replaced observer is released with the others, after the lock.
      ended[call] = table.observers.updateValue(observer, forKey: call)
      return (ended, nil)
    }
    holdUntilHere(ended)
    return other
  }
}
