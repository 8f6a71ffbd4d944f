public import Dispatch

/// The half of an ``EmitterValue`` to which others connect: a signal with a current value.
///
/// A slot gets the current value when it is connected, and then every new one. It misses none, and
/// gets none twice, even if the value is set meanwhile. A set is an emission, also if a slot makes
/// it. If another thread sets the value during a delivery, the new value is delivered after that.
/// Every slot ends on the newest value ([guarantee 16](doc:Guarantees)). If the emitter has a
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
    /// The stored value; nil if there is a getter that any thread may call, or while it is taken
    /// out.
    @usableFromInline var value: Value?
    /// The number of changes.
    @usableFromInline var version: UInt64 = 0
    /// The thread that has taken the value out, to change it in place; zero if nobody has.
    @usableFromInline var holder: UInt = 0
    /// Those that wait until the value is put back.
    @usableFromInline var waiting: ContiguousArray<DispatchSemaphore> = []
    /// Whether somebody has connected to ``SignalValue/changes``, so that a change keeps the old
    /// value.
    @usableFromInline var keepsOld = false

    @inlinable
    init(value: Value?) { self.value = value }
  }

  /// A change to deliver, a slot to connect, or the end of the value, behind earlier sets.
  ///
  /// A change has a version in its cause, and a slot has an observer. A structure, because where
  /// Swift does not know `Value`, it makes the type of a tuple again and again (5,000 instructions
  /// for a change), and destroys an enumeration through the runtime.
  @usableFromInline
  struct Work {
    /// The new value; nil if a getter returns it.
    ///
    /// For a slot, this is the newest value when `connect` was called. Every earlier set has its
    /// turn before the slot.
    @usableFromInline let new: Value?
    /// The replaced value; nil for a slot, because connecting is no change.
    @usableFromInline let old: Value?
    @usableFromInline let observer: SignalObserver?
    /// Whether the slot gets the current value first, and not only the sets after that.
    @usableFromInline let getsCurrent: Bool
    @usableFromInline let cause: Cause

    @inlinable
    init(
      new: Value? = nil, old: Value? = nil, observer: SignalObserver? = nil,
      getsCurrent: Bool = false, cause: Cause = Cause()
    ) {
      self.new = new
      self.old = old
      self.observer = observer
      self.getsCurrent = getsCurrent
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
    observation.read()
    if let custom, custom.isHere {
      let value = custom.get()
      // The last read of a property is that of its own value, whatever the getter has read.
      observation.read()
      return value
    }
    return newest
  }

  /// The newest value, for code that does not depend on it.
  ///
  /// This waits while another thread changes the value in place.
  @inlinable
  var newest: Value {
    while true {
      let (holder, value) = worklist.read { ($0.holder, $0.value) }
      if holder == 0 { return current(value) }
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
  /// This includes suspended connections, and those that wait while another thread delivers.
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

  /// Returns whether a connection whose target is `target` has not ended, also one to ``changes``.
  ///
  /// Everything else is as for ``Signal/isConnected(to:)``.
  public func isConnected(to target: AnyObject) -> Bool { list.isConnected(to: target) }

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

extension SignalValue: Worker {
  /// Sets the value for the program, or for a binding to the property, and delivers it.
  @inlinable
  func set(_ value: Value, from isolation: ObjectIdentifier?) {
    if Cause.takeBinding(of: observation.identity) {
      pass(value, from: isolation, nil)
    } else {
      store(value, from: isolation)
    }
  }

  /// Sets the value to a payload that a binding passes on.
  ///
  /// It sets nothing if the two are equal, or if the payload has been sent by this value.
  @inlinable
  func pass(
    _ value: Value, from isolation: ObjectIdentifier?, _ areEqual: ((Value, Value) -> Bool)?
  ) {
    if Cause.isStale || Cause.returns(to: list) { return }
    if let areEqual, areEqual(present, value) { return }
    store(value, from: isolation, isPassedOn: true)
  }

  /// The newest value, for code that then sets it.
  @inlinable
  @inline(never)  // To keep the stack of nested sets small.
  var present: Value {
    custom?.check()
    return custom?.read() ?? newest
  }

  /// Stores the value, and delivers it.
  ///
  /// `note` gets the version of the change, under the lock.
  @inlinable
  func store(
    _ value: Value, from isolation: ObjectIdentifier?, isPassedOn: Bool = false,
    _ note: (UInt64) -> Void = { _ in }
  ) {
    if let custom { return change(custom, to: value, from: isolation, isPassedOn, note) }
    while true {
      // The old value is released after the lock.
      var (old, isTaken): (Value?, Bool) = (nil, false)
      if !willChange(isPassedOn) { return }
      deliver(value, old, isPassedOn, from: isolation, changed: {}) { model in
        isTaken = model.holder != 0
        if isTaken { return false }
        old = model.value
        model.value = value
        note(model.version + 1)
        return true
      }
      holdUntilHere(old)
      if !isTaken { return }
      waitForValue()
    }
  }

  /// Tells Observation that the value is about to change, and returns whether it still is: code
  /// that compares, or is told, may have set what a binding passes on.
  @inlinable @inline(__always)
  func willChange(_ isPassedOn: Bool) -> Bool {
    observation.made?.willChange()
    return !isPassedOn || !Cause.isStale
  }

  /// Changes the model, and delivers the new value, unless `change` returns false.
  @inlinable @inline(__always)
  func deliver(
    _ new: Value?, _ old: @autoclosure () -> Value?, _ isPassedOn: Bool,
    from isolation: ObjectIdentifier?, changed: () -> Void, _ change: (inout Model) -> Bool
  ) {
    var cause = isPassedOn ? Cause.binding : Cause()
    add(
      from: isolation,
      changed: {
        changed()
        if cause.version > 0 { observation.made?.hasChanged() }
      }
    ) { state, waits in
      if !change(&state.model) { return false }
      state.model.version += 1
      cause.version = state.model.version
      return waits || !list.isEmpty
    } item: {
      Work(new: new, old: old(), cause: cause)
    } now: {
      emit(new, old(), cause, from: isolation)
    }
  }

  @inlinable
  func changeInPlace<Result, Failure: Error>(
    from isolation: ObjectIdentifier?, _ body: (inout Value) throws(Failure) -> Result
  ) throws(Failure) -> Result {
    var taken = take()
    // A body that throws sets nothing.
    let before = Failure.self == Never.self ? nil : taken.value
    let result: Result
    do throws(Failure) {
      result = try body(&taken.value)
    } catch {
      taken.value = current(before)
      put(taken, from: isolation, isChanged: false)
      throw error
    }
    put(taken, from: isolation)
    return result
  }

  // MARK: In place

  /// A value that is taken out, and a copy of it, if slots get the old value of a change; whether a
  /// binding changes it; and whether it is a copy, and the value in its place stays as it is.
  @usableFromInline
  typealias Taken = (value: Value, old: Value?, isPassedOn: Bool, isCopy: Bool)

  /// Takes the value out, so that its changes copy nothing.
  ///
  /// Others that read or set the value wait until ``put(_:from:isChanged:)`` is called, unless
  /// other code stores it.
  ///
  /// If a binding would set it to an older payload, this takes a copy, and nothing is set.
  @inlinable
  func take() -> Taken {
    if let custom {
      custom.check()
      return (custom.read(), old: nil, isPassedOn: false, isCopy: false)
    }
    let isPassedOn = Cause.takeBinding(of: observation.identity)
    if !willChange(isPassedOn) { return (newest, old: nil, isPassedOn: true, isCopy: true) }
    while true {
      let taken = worklist.state.withLock { state -> Taken? in
        guard state.model.holder == 0, let value = state.model.value.take() else { return nil }
        state.model.holder = currentThread()
        return (value, old: state.model.keepsOld ? value : nil, isPassedOn, isCopy: false)
      }
      if let taken { return taken }
      waitForValue()
    }
  }

  /// Puts the value in its place, and delivers it if it has changed.
  @inlinable
  @inline(never)  // An assignment into a value is a coroutine, which allocates if it is large.
  func put(_ taken: Taken, from isolation: ObjectIdentifier?, isChanged: Bool = true) {
    if taken.isCopy { return }
    if custom != nil { return isChanged ? set(taken.value, from: isolation) : () }
    var waiting: ContiguousArray<DispatchSemaphore> = []
    deliver(
      taken.value, taken.old, taken.isPassedOn, from: isolation,
      changed: { for waiting in waiting { waiting.signal() } }
    ) { model in
      (model.value, model.holder) = (taken.value, 0)
      swap(&waiting, &model.waiting)
      return isChanged
    }
  }

  /// Returns when the value has been put back, or may have been.
  @usableFromInline
  func waitForValue() {
    let semaphore = DispatchSemaphore(value: 0)
    let isTaken = worklist.state.withLock { state in
      if state.model.holder == 0 { return false }
      if state.model.holder == currentThread() {
        // No precondition, whose text a release build drops.
        fatalError(
          """
          A value is used inside its own change: the closure of modify, or the code that changes \
          the property in place, uses the value itself, or an async function that has it as an \
          inout argument awaits something. Use the closure's argument, or a copy that you set \
          afterwards
          """)
      }
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
      change(custom, to: nil, from: isolation)
    } else {
      changeInPlace(from: isolation) { _ in }
    }
  }

  /// Calls the setter of a value that other code stores, unless the program has done so, and
  /// delivers the value.
  @inlinable
  @inline(never)  // To keep the stack of nested sets small.
  func change(
    _ custom: CustomValue<Value>, to value: Value?, from isolation: ObjectIdentifier?,
    _ isPassedOn: Bool = false, _ note: (UInt64) -> Void = { _ in }
  ) {
    custom.check()
    let old = custom.read()
    if !willChange(isPassedOn) { return }
    if let value { custom.set(value) }
    let new = custom.place == nil ? nil : custom.read()
    // The stored value is released after the lock.
    var last: Value?
    deliver(new, last ?? old, isPassedOn, from: isolation, changed: {}) { model in
      last = model.value
      if let new { model.value = new }
      note(model.version + 1)
      return true
    }
    holdUntilHere(last)
  }

  @usableFromInline
  func finish() {
    // Not inside an emission, which still has slots to reach (guarantee 10).
    add(from: nil, nests: false) { _, _ in Work() }
  }

  @inlinable
  func work(_ work: Work, isOwn: Bool, from isolation: ObjectIdentifier?) {
    if work.cause.version > 0 {
      return work.cause.resume(isOwn) { cause in
        var cause = cause
        if !isOwn { cause.isStale = worklist.read { $0.version } != cause.version }
        emit(work.new, work.old, cause, from: isolation)
      }
    }
    guard let observer = work.observer else { return list.finish() }
    let isAtLimit = list.add(observer)
    if work.getsCurrent {
      let new = current(work.new)
      let change = ValueChange(new: new, old: new)
      Cause.deliver(for: work.cause.call) {
        unsafe withUnsafePointer(to: change) { unsafe list.emit($0, to: observer, from: isolation) }
      }
    }
    // What this releases may set the value, which the slot gets after the current one.
    if isAtLimit { list.endDead() }
  }

  /// Delivers a change.
  @inlinable
  func emit(
    _ new: Value?, _ old: Value?, _ cause: Cause, from isolation: ObjectIdentifier?
  ) {
    if list.isEmpty { return }
    let new = current(new)
    Cause.outdate(list)
    list.emit(ValueChange(new: new, old: old ?? new), from: isolation, because: cause)
  }
}

// MARK: - Connecting

extension SignalValue: SignalSource {
  /// Adds a slot behind the others, and delivers the current value to it.
  ///
  /// The connect forms call this. When it returns, an inline slot has been called, unless another
  /// thread was delivering, or Observation is being told of a change. The slot is then called after
  /// that delivery, or that change.
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
    attach(slot.request, getsCurrent: true, keepsOld: false)
  }

  /// Adds a slot, which waits for its turn while another thread delivers.
  @inlinable
  func attach(
    _ request: borrowing SlotRequest, getsCurrent: Bool, keepsOld: Bool
  ) -> SignalObserver {
    let observer = SignalObserver(request, list)
    let cause = Cause.later
    while true {
      var isTaken = false
      // Released after the lock.
      var ended: ContiguousArray<SignalObserver> = []
      add(
        from: currentIsolation(),
        changed: {
          for each in ended { each.end() }
          worklist.countVoid(ended.count) { $0.observer?.isOver == true }
        }
      ) { state, waits in
        // A change that has begun may not keep the old value.
        isTaken = state.model.holder != 0
        if isTaken { return nil }
        if keepsOld { state.model.keepsOld = true }
        if waits { ended = list.addDeferred(observer) }
        let new = getsCurrent ? state.model.value : nil
        return Work(new: new, observer: observer, getsCurrent: getsCurrent, cause: cause)
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
    let part = slot.uncheckedAdapted { (change: ValueChange) in (change.old, change.new) }
    return value.attach(part.passing("changes").request, getsCurrent: false, keepsOld: true)
  }
}
