public import Dispatch

/// The half of an ``EmitterValue`` to which others connect: a signal with a current value.
///
/// A slot gets the current value when it is connected, and then every new one. It misses none, and
/// gets none twice, even if the value is set meanwhile. Sets are delivered one at a time, in order.
/// If a slot or another thread sets the value during a delivery, the new value is delivered after
/// that. Every slot ends on the newest value ([guarantee 16](doc:Guarantees)). If the emitter has a
/// getter and a setter, a slot may get the newest value twice and skip the one before.
///
/// To connect without the current value, use ``changes``.
///
/// ```swift
/// model.$title.connect(label, Label.show)  // the current title first
/// ```
public final class SignalValue<Value> {
  @usableFromInline
  struct Model {
    /// The stored value; nil if there is a getter that any thread may call.
    @usableFromInline var value: Value?
    @usableFromInline var version: UInt64 = 0
    /// The stamp of the newest change.
    @usableFromInline var stamp: UInt64 = 0
    /// The newest stamp of a change or of an equal payload.
    @usableFromInline var seen: UInt64 = 0
    /// The thread that has taken the value out, to change it in place; zero if nobody has.
    @usableFromInline var holder: UInt = 0
    /// Those that wait until the value is put back.
    @usableFromInline var waiting: ContiguousArray<DispatchSemaphore> = []
    /// Whether somebody has connected to ``SignalValue/changes``, so that a change keeps the old
    /// value.
    @usableFromInline var keepsOld = false

    @inlinable
    init(value: Value?) { self.value = value }

    /// Stores a new value if there is one, and returns the old one.
    @inlinable
    mutating func replace(_ new: Value?) -> Value? {
      let old = value
      if let new { value = new }
      return old
    }

    /// Counts a change, and returns its cause.
    ///
    /// Without a given cause, the program made the change.
    @inlinable
    mutating func change(because cause: Cause?) -> Cause {
      let cause = cause ?? .program(Cause.nextStamp())
      version += 1
      stamp = cause.stamp
      seen = max(seen, stamp)
      return cause
    }
  }

  /// A change to deliver, a slot to connect, or the end of the value.
  ///
  /// A structure, because Swift destroys an enumeration of generic payloads through the runtime
  /// (130 instructions).
  @usableFromInline
  struct Work {
    @usableFromInline
    enum Kind: Sendable {
      case change
      /// A slot to connect, which gets the current value first.
      case connection
      /// A slot to connect, which gets only the sets after that.
      case changes
      /// The death of the emitter, which waits for the delivery of earlier sets.
      case end
    }

    @usableFromInline let kind: Kind
    /// The new value; nil if a getter returns it.
    ///
    /// For a slot, this is the newest value when `connect` was called. Every earlier set has its
    /// turn before the slot.
    @usableFromInline let new: Value?
    /// The replaced value; nil for a slot, because connecting is no change.
    @usableFromInline let old: Value?
    @usableFromInline let observer: SignalObserver?
    @usableFromInline let cause: Cause

    @inlinable
    init(
      _ kind: Kind, new: Value? = nil, old: Value? = nil, observer: SignalObserver? = nil,
      cause: Cause = .program(0)
    ) {
      self.kind = kind
      self.new = new
      self.old = old
      self.observer = observer
      self.cause = cause
    }
  }

  @usableFromInline let list = ConnectionList()
  @usableFromInline let worklist: Worklist<Model, Work>
  @usableFromInline let custom: CustomValue<Value>?
  @usableFromInline let observation = ValueObservation()

  @inlinable
  init(_ value: Value) {
    worklist = Worklist(Model(value: value))
    custom = nil
  }

  @inlinable
  init(_ custom: CustomValue<Value>) {
    custom.check()
    worklist = Worklist(Model(value: custom.place == nil ? nil : custom.read()))
    self.custom = custom
  }

  /// The newest value, which slots may not have received yet.
  ///
  /// To compute a new value from it, use ``EmitterValue/modify(isolation:_:)``.
  ///
  /// If code that Observation watches (`withObservationTracking`, `Observations`, the body of a
  /// SwiftUI view) reads it, that code depends on the value.
  @inlinable
  public var value: Value {
    observation.read(self)
    if let custom, custom.isHere { return custom.get() }
    return newest
  }

  /// The newest value, for code that does not depend on it.
  @inlinable
  var newest: Value { current(stored.value) }

  /// The stored value and its version, stamp and newest stamp seen.
  ///
  /// This waits while another thread changes the value in place.
  @inlinable
  var stored: (value: Value?, version: UInt64, stamp: UInt64, seen: UInt64) {
    while true {
      let (holder, stored) = worklist.read {
        ($0.holder, ($0.value, $0.version, $0.stamp, $0.seen))
      }
      if holder == 0 { return stored }
      waitForValue()
    }
  }

  /// A source that sends the old and the new value of each set, and not the current value.
  ///
  /// ```swift
  /// model.$title.changes.connect(label, Label.changed)  // old and new, from now on
  /// ```
  ///
  /// If the value is `Sendable`, any thread may read this, and connect to it.
  ///
  /// - Complexity: O(1). Connecting is O(1), amortised, and O(*w*) in the number of connections
  ///   that wait for their turn while another thread delivers.
  @inlinable
  public var changes: some SignalSource<(Value, Value)> { ValueChanges(value: self) }

  /// The number of connections to the value and to ``changes`` that have not ended.
  ///
  /// This includes suspended connections, and those made during a delivery, which wait for their
  /// turn.
  ///
  /// - Complexity: O(*n*) in the number of slots, because it checks whether each target is alive.
  public var slotCount: Int { list.live { _ in }.count }

  /// Whether a connection may be there, as ``Signal/hasSlots``.
  ///
  /// - Complexity: O(1), one load.
  @inlinable
  public var hasSlots: Bool { !list.isEmpty }

  /// Cancels every connection whose target is `target`, including those to ``changes``.
  ///
  /// Everything else is as for ``Signal/cancelObservers(of:)``.
  public func cancelObservers(of target: AnyObject) { list.cancelAll(of: target) }

  /// The stored value, or else the result of the getter, which the library reads for itself.
  @inlinable
  func current(_ stored: Value?) -> Value {
    // `stored` is nil only if there is a getter: each `init` sets one of them.
    unsafe stored ?? custom.unsafelyUnwrapped.read()
  }
}

extension SignalValue: Sendable where Value: Sendable {}
extension SignalValue.Model: Sendable where Value: Sendable {}
extension SignalValue.Work: Sendable where Value: Sendable {}

// MARK: - Setting

extension SignalValue: Worker, BoundValue {
  /// Sets the value, and delivers it.
  ///
  /// If a delivery is in progress, the value is delivered after it.
  ///
  /// - Parameters:
  ///   - value: The new value.
  ///   - isolation: The actor of the caller; nil if it is unknown.
  ///   - cause: The cause of the set; nil if the program sets the value.
  ///   - version: The version of the value to replace; nil for any.
  /// - Returns: Whether the value was set.
  @discardableResult
  @inlinable
  func set(
    _ value: Value, from isolation: ObjectIdentifier?, because cause: Cause? = nil,
    over version: UInt64? = nil
  ) -> Bool {
    if cause == nil, let observation = observation.made, let cause = observation.takeCause() {
      if pass(value, from: isolation, cause, nil, over: version) { return true }
      observation.keepCause()
      return false
    }
    if let custom {
      change(custom, to: value, from: isolation, cause)
      return true
    }
    while true {
      var (isSet, isTaken) = (false, false)
      observation.willChange()
      add(from: isolation, changed: { if isSet { observation.hasChanged() } }) { state in
        isTaken = state.model.holder != 0
        if isTaken { return nil }
        if let version, state.model.version != version { return nil }
        isSet = true
        let old = state.model.value
        state.model.value = value
        let cause = state.model.change(because: cause)
        return Work(.change, new: value, old: old, cause: cause.kept(worklist.isBusy))
      }
      if !isTaken { return isSet }
      waitForValue()
    }
  }

  /// Sets the value to a payload that a binding passes on, by the rule in the article "Values".
  ///
  /// `==` runs outside the lock, so another thread may have set the value meanwhile. Every question
  /// is then asked again. Returns false if the value no longer has the given version.
  @discardableResult
  @usableFromInline
  func pass(
    _ value: Value, from isolation: ObjectIdentifier?, _ cause: Cause,
    _ areEqual: ((Value, Value) -> Bool)?, over version: UInt64? = nil
  ) -> Bool {
    custom?.check()
    let isReturning = cause.comes(from: list)
    while true {
      let now = stored
      if let version, version != now.version { return false }
      if isReturning, cause.stamp <= now.stamp { return true }
      let current = custom?.read() ?? current(now.value)
      if let areEqual, areEqual(current, value) {
        if see(cause.stamp, at: now.version) { return true }
        continue
      }
      let isNewer = cause.stamp > now.seen
      // A payload that returns here may be older than the value. The newest value is then sent back
      // along that path.
      let newest = isReturning && !isNewer ? current : value
      let cause = isNewer ? cause : cause.stamped(Cause.nextStamp())
      if set(newest, from: isolation, because: cause, over: now.version) { return true }
    }
  }

  @usableFromInline
  var version: UInt64 { worklist.read { $0.version } }

  @usableFromInline
  func see(_ stamp: UInt64, at version: UInt64) -> Bool {
    worklist.state.withLock { state in
      guard state.model.version == version else { return false }
      state.model.version += 1
      state.model.seen = max(state.model.seen, stamp)
      return true
    }
  }

  @inlinable
  func modify<Result, Failure: Error>(
    from isolation: ObjectIdentifier?, _ body: (inout Value) throws(Failure) -> Result
  ) throws(Failure) -> Result {
    if isChangedInPlace {
      var (value, old) = take()
      // A body that throws sets nothing.
      let before = Failure.self == Never.self ? nil : value
      let result: Result
      do throws(Failure) {
        result = try body(&value)
      } catch {
        putBack(current(before))
        throw error
      }
      put(value, old, from: isolation)
      return result
    }
    custom?.check()
    while true {
      let stored = stored
      var value = custom?.get() ?? current(stored.value)
      let result = try body(&value)
      if set(value, from: isolation, over: stored.version) { return result }
    }
  }

  /// Whether the calling code changes the value in place.
  ///
  /// A value that is kept elsewhere is read and set. So is one that a binding sets through a
  /// property that reads the value: what the setter stores must pass the rules of the binding
  /// first.
  @inlinable
  var isChangedInPlace: Bool {
    if custom != nil { return false }
    guard let observation = observation.made, observation.takeCause() != nil else { return true }
    observation.keepCause()
    return false
  }

  // MARK: In place

  /// Takes the value out, so that its changes copy nothing.
  ///
  /// Others that read or set the value wait until ``put(_:_:from:)`` or ``putBack(_:)`` is called.
  ///
  /// - Returns: The value, and a copy of it if slots get the old value of a change.
  @inlinable
  func take() -> (value: Value, old: Value?) {
    observation.willChange()
    while true {
      let taken = worklist.state.withLock { state -> (Value, Value?)? in
        guard state.model.holder == 0, let value = state.model.value.take() else { return nil }
        state.model.holder = currentThread()
        return (value, state.model.keepsOld ? value : nil)
      }
      if let taken { return taken }
      waitForValue()
    }
  }

  /// Puts the changed value in its place, and delivers it.
  @inlinable
  func put(_ value: Value, _ old: Value?, from isolation: ObjectIdentifier?) {
    var waiting: ContiguousArray<DispatchSemaphore> = []
    let changed = {
      for waiting in waiting { waiting.signal() }
      self.observation.hasChanged()
    }
    add(from: isolation, changed: changed) { state in
      state.model.value = value
      state.model.holder = 0
      swap(&waiting, &state.model.waiting)
      let cause = state.model.change(because: nil)
      return Work(.change, new: value, old: old, cause: cause.kept(worklist.isBusy))
    }
  }

  /// Puts the value back as it was.
  @usableFromInline
  func putBack(_ value: Value) {
    let waiting = worklist.state.withLock { state in
      state.model.value = value
      state.model.holder = 0
      defer { state.model.waiting = [] }
      return state.model.waiting
    }
    for waiting in waiting { waiting.signal() }
  }

  /// Returns when the value has been put back, or may have been.
  @usableFromInline
  func waitForValue() {
    let semaphore = DispatchSemaphore(value: 0)
    let isTaken = worklist.state.withLock { state in
      if state.model.holder == 0 { return false }
      precondition(
        state.model.holder != currentThread(),
        """
        A value is used inside its own change: the closure of modify, or the code that changes the \
        property in place, uses the value itself. Use the closure's argument, or read the value before
        """)
      #if !SO_EXPLORE
        state.model.waiting.append(semaphore)
      #endif
      return true
    }
    #if SO_EXPLORE
      if isTaken { unsafe Schedule.scheduler?.block() }
    #else
      if isTaken { semaphore.wait() }
    #endif
  }

  /// Delivers the current value again.
  @inlinable
  func send(from isolation: ObjectIdentifier?) {
    if let custom {
      change(custom, to: nil, from: isolation, nil)
    } else {
      modify(from: isolation) { _ in }
    }
  }

  /// Calls the setter of a value that other code stores, unless the program has done so, and
  /// delivers the value.
  @inlinable
  func change(
    _ custom: CustomValue<Value>, to value: Value?, from isolation: ObjectIdentifier?,
    _ cause: Cause?
  ) {
    custom.check()
    let old = custom.read()
    observation.willChange()
    if let value { custom.set(value) }
    let new = custom.place == nil ? nil : custom.read()
    add(from: isolation, changed: { observation.hasChanged() }) { state in
      let old = state.model.replace(new) ?? old
      let cause = state.model.change(because: cause)
      return Work(.change, new: new, old: old, cause: cause.kept(worklist.isBusy))
    }
  }

  @usableFromInline
  func cancelAll() { list.cancelAll() }

  @usableFromInline
  func finish() { add(from: nil) { _ in Work(.end) } }

  @inlinable
  func work(_ work: Work, from isolation: ObjectIdentifier?) {
    if let observer = work.observer { list.attach(observer) }
    switch work.kind {
    case .changes: return
    case .end: return list.finish()
    case .change: if list.isEmpty { return }
    case .connection: break
    }
    let new = current(work.new)
    // These are variables, so that the code can take their addresses without a closure.
    var change = ValueChange(new: new, old: work.old ?? new)
    if let observer = work.observer {
      work.cause.deliver {
        unsafe withUnsafePointer(to: change) { unsafe list.emit($0, to: observer, from: isolation) }
      }
    } else {
      var cause = work.cause
      unsafe list.emit(&change, from: isolation, because: &cause)
    }
  }
}

// MARK: - Connecting

extension SignalValue: SignalSource {
  /// Adds a slot behind the others, and delivers the current value to it.
  ///
  /// The connect forms call this. When it returns, an inline slot has been called, unless a
  /// delivery was in progress. The slot is then called after that delivery.
  ///
  /// Once the emitter is gone, the returned observer is cancelled from the start, and the slot is
  /// not called.
  ///
  /// - Parameter slot: The slot.
  /// - Returns: The handle of the connection.
  /// - Complexity: O(1), amortised, and O(*w*) in the number of connections that wait for their
  ///   turn while another thread delivers.
  @inlinable
  public func attach(_ slot: SignalSlot<Value>) -> SignalObserver {
    let observer = SignalObserver(slot.request, list)
    let cause = Cause.connecting()
    while true {
      var isTaken = false
      add(from: nil) { state in
        isTaken = state.model.holder != 0
        if isTaken { return nil }
        if worklist.isBusy { list.addWaiting(observer) }
        return Work(.connection, new: state.model.value, observer: observer, cause: cause)
      }
      if !isTaken { return observer }
      waitForValue()
    }
  }

  /// Adds a slot that gets each change from then on.
  @inlinable
  func attachToChanges(_ slot: SignalSlot<ValueChange<Value>>) -> SignalObserver {
    let observer = SignalObserver(slot.request, list)
    while true {
      var isTaken = false
      add(from: nil) { state in
        // A change that has begun may not keep the old value.
        isTaken = state.model.holder != 0
        if isTaken { return nil }
        state.model.keepsOld = true
        if worklist.isBusy { list.addWaiting(observer) }
        return Work(.changes, observer: observer)
      }
      if !isTaken { return observer }
      waitForValue()
    }
  }
}

/// The payload that a value sends to its slots.
///
/// The new value is the first field, so it has the address of the structure. A slot for values can
/// therefore take that address as it is, and a pending delivery keeps only the value. The compiler
/// lays a structure out in this way, but the language does not promise it. A test would notice a
/// change.
@usableFromInline
struct ValueChange<Value> {
  @usableFromInline let new: Value
  @usableFromInline let old: Value

  @inlinable
  init(new: Value, old: Value) {
    self.new = new
    self.old = old
  }
}

/// See ``SignalValue/changes``.
@usableFromInline
struct ValueChanges<Value>: SignalSource {
  @usableFromInline let value: SignalValue<Value>

  @inlinable
  init(value: SignalValue<Value>) { self.value = value }

  @inlinable
  func attach(_ slot: SignalSlot<(Value, Value)>) -> SignalObserver {
    value.attachToChanges(
      slot.uncheckedAdapted { (change: ValueChange) in (change.old, change.new) }
        .passing("changes"))
  }
}
