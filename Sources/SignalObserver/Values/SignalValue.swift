/// The half of an ``EmitterValue`` to which others connect: a signal with a current value.
///
/// Connecting delivers the current value first, and then every new one. No value is missing or
/// doubled, even if the value is set meanwhile. Sets are delivered one at a time, in order. A value
/// that a slot or another thread sets during a delivery is delivered after it. Every slot ends on
/// the newest value (guarantee 16).
///
/// ```swift
/// model.$title.connect(label, Label.show)  // the current title, then every new one
/// ```
public final class SignalValue<Value> {
  @usableFromInline
  struct Model {
    /// Nil if a getter that any thread may call has the value.
    @usableFromInline var value: Value?
    @usableFromInline var version: UInt64 = 0
    /// The stamp of the newest change.
    @usableFromInline var stamp: UInt64 = 0

    @inlinable
    init(value: Value?) { self.value = value }

    /// Stores a new value if there is one, and returns the old one.
    @inlinable
    mutating func replace(_ new: Value?) -> Value? {
      let old = value
      if let new { value = new }
      return old
    }
  }

  /// A change to deliver, a slot to connect, or the end of the value.
  ///
  /// A structure, because an enumeration of generic payloads is destroyed by way of the runtime
  /// (130 instructions).
  @usableFromInline
  struct Work {
    @usableFromInline
    enum Kind {
      case change
      /// A slot that is connected, and gets the value.
      case connection
      /// A slot that gets only the sets after its connection.
      case changes
      /// The death of the emitter, which waits until earlier sets are delivered.
      case end
    }

    @usableFromInline let kind: Kind
    /// The new value; nil if a getter has it.
    ///
    /// For a slot, it is the newest value at the time of the call that connects. When the turn of
    /// the slot comes, it is also the value whose delivery began last.
    @usableFromInline let new: Value?
    /// The replaced value; nil for a slot, which gets no change.
    @usableFromInline let old: Value?
    @usableFromInline let slot: SignalObserver?
    @usableFromInline let cause: Cause

    @inlinable
    init(
      _ kind: Kind, new: Value? = nil, old: Value? = nil, slot: SignalObserver? = nil,
      cause: Cause = .program(0)
    ) {
      self.kind = kind
      self.new = new
      self.old = old
      self.slot = slot
      self.cause = cause
    }
  }

  @usableFromInline let list = ConnectionList.make()
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
    worklist = Worklist(Model(value: custom.place == nil ? nil : custom.get()))
    self.custom = custom
  }

  /// The newest value, which may still have to be delivered to slots.
  ///
  /// If code that Observation watches (`withObservationTracking`, `Observations`, the body of a
  /// SwiftUI view) reads it, that code depends on the value.
  @inlinable
  public var value: Value {
    observation.read()
    return unobserved
  }

  /// The newest value, read without making the calling code depend on it.
  @usableFromInline
  var unobserved: Value {
    if let custom, custom.isHere { return custom.get() }
    return current(worklist.read { $0.value })
  }

  /// The newest value, and the stamp of the newest change.
  var newest: (value: Value, stamp: UInt64) {
    let model = worklist.read { ($0.value, $0.stamp) }
    return (current(model.0), model.1)
  }

  /// A source that sends the old and the new value of each set, and not the current value.
  ///
  /// ```swift
  /// model.$title.changes.connect(log, Log.titleChanged(from:to:))
  /// ```
  @inlinable
  public var changes: some SignalSource<(Value, Value)> { ValueChanges(value: self) }

  /// The number of connections that have not ended, to the value and to ``changes``.
  ///
  /// It includes suspended ones. A connection that is made during a delivery counts when its turn
  /// has come.
  ///
  /// - Complexity: O(*n*) in the number of slots, because the target of each is looked at.
  public var slotCount: Int { list.liveSlots { _ in }.count }

  /// Cancels every connection whose target is `target`, those to ``changes`` included.
  ///
  /// See ``Signal/cancelObservers(of:)``.
  public func cancelObservers(of target: AnyObject) {
    for slot in waiting where slot.target === target { slot.cancel() }
    list.cancelAll(of: target)
  }

  /// The slots that wait for their turn to be connected.
  ///
  /// Ask for these before the slots of the list, so that a slot that moves is not missed.
  private var waiting: [SignalObserver] { worklist.pending { $0.slot } }

  @inlinable
  func current(_ stored: Value?) -> Value {
    // `stored` is nil only if there is a getter: each `init` sets one of them.
    unsafe stored ?? custom.unsafelyUnwrapped.get()
  }
}

/// The worklist and the list guard all that is shared; getter and setter are `Sendable`.
extension SignalValue: @unchecked Sendable where Value: Sendable {}

// MARK: - Setting

extension SignalValue {
  /// Sets the value, and delivers it unless a delivery is in progress, which then goes on with it.
  ///
  /// - Parameters:
  ///   - value: The new value.
  ///   - isolation: The actor of the caller; nil if it is unknown.
  ///   - cause: The cause of the set; nil if the program sets the value.
  ///   - ifNewer: Whether the value is set only if the cause is newer than the newest change.
  @inlinable
  func set(
    _ value: Value, from isolation: ObjectIdentifier?, cause: Cause? = nil, ifNewer: Bool = false
  ) {
    if ifNewer, let cause, worklist.read({ $0.stamp >= cause.stamp }) { return }
    if let custom {
      custom.check()
      let old = custom.get()
      observation.willChange()
      custom.set(value)
      let new = custom.place == nil ? nil : custom.get()
      add(
        from: isolation,
        { model, mustWait in
          let cause = cause ?? .program(Cause.nextStamp())
          model.stamp = cause.stamp
          return Work(
            .change, new: new, old: model.replace(new) ?? old, cause: cause.kept(mustWait))
        },
        changed: { observation.hasChanged() })
    } else {
      change(from: isolation) { model, mustWait in
        let cause = cause ?? .program(Cause.nextStamp())
        // Compared again under the lock, where no other thread can set the value.
        if ifNewer, model.stamp >= cause.stamp { return nil }
        let old = model.value
        model.value = value
        model.version += 1
        model.stamp = cause.stamp
        return Work(.change, new: value, old: old, cause: cause.kept(mustWait))
      }
    }
  }

  @inlinable
  func modify<Result, Failure: Error>(
    from isolation: ObjectIdentifier?, _ body: (inout Value) throws(Failure) -> Result
  ) throws(Failure) -> Result {
    if let custom {
      custom.check()
      var value = custom.get()
      let result = try body(&value)
      set(value, from: isolation)
      return result
    }
    while true {
      let model = worklist.read { $0 }
      var value = current(model.value)
      let result = try body(&value)
      var isStored = false
      observation.willChange()
      add(
        from: isolation,
        { [value] newest, _ in
          guard newest.version == model.version else { return nil }
          isStored = true
          let old = newest.value
          newest.value = value
          newest.version += 1
          newest.stamp = Cause.nextStamp()
          return Work(.change, new: value, old: old, cause: .program(newest.stamp))
        }, changed: { if isStored { observation.hasChanged() } })
      if isStored { return result }
    }
  }

  /// Delivers the current value again.
  @inlinable
  func send(from isolation: ObjectIdentifier?) {
    custom?.check()
    let now = custom?.get()
    let new = custom?.place == nil ? nil : now
    change(from: isolation) { model, _ in
      let old = model.replace(new)
      model.stamp = Cause.nextStamp()
      return Work(
        .change, new: model.value, old: old ?? now, cause: .program(model.stamp))
    }
  }

  @usableFromInline
  func cancelAll() {
    for slot in waiting { slot.cancel() }
    list.cancelAll()
  }

  @usableFromInline
  func finish() { add(from: nil) { _, _ in Work(.end) } }

  /// Makes a change, and tells Observation of it at once, apart from its delivery.
  @inlinable
  func change(from isolation: ObjectIdentifier?, _ change: (inout Model, Bool) -> Work?) {
    observation.willChange()
    add(from: isolation, change, changed: { observation.hasChanged() })
  }

  @inlinable
  func add(
    from isolation: ObjectIdentifier?, _ change: (inout Model, Bool) -> Work?,
    changed: () -> Void = {}
  ) {
    worklist.add(
      change, changed: changed, work: { deliver($0, from: isolation) },
      elsewhere: { { self.deliver($0, from: nil) } })
  }

  @inlinable
  func deliver(_ work: Work, from isolation: ObjectIdentifier?) {
    if let slot = work.slot { list.attach(slot) }
    switch work.kind {
    case .changes: return
    case .end: return list.finish()
    case .change: if list.isEmpty { return }
    case .connection: break
    }
    let new = current(work.new)
    let change = ValueChange(new: new, old: work.old ?? new)
    unsafe withUnsafePointer(to: change) { address in
      if let slot = work.slot {
        unsafe list.emit(address, to: slot, from: isolation)
      } else {
        unsafe list.emit(address, from: isolation, because: work.cause)
      }
    }
  }
}

// MARK: - Connecting

extension SignalValue: SignalSource {
  /// Adds a slot behind the others, and delivers the current value to it.
  ///
  /// The connect forms call this. An inline slot has been called when this returns, unless a value
  /// is being delivered. The slot is then called after that delivery.
  ///
  /// Once the emitter is gone, the returned observer is cancelled from the start, and the slot is
  /// not called.
  ///
  /// - Complexity: O(1), amortised.
  @inlinable
  public func attach(_ slot: SignalSlot<Value>) -> SignalObserver {
    let slot = list.makeObserver(slot.request)
    add(from: nil) { model, _ in Work(.connection, new: model.value, slot: slot) }
    return slot
  }

  /// Adds a slot that gets the changes from its connection on.
  @inlinable
  func attachToChanges(_ slot: SignalSlot<ValueChange<Value>>) -> SignalObserver {
    let slot = list.makeObserver(slot.request)
    add(from: nil) { _, _ in Work(.changes, slot: slot) }
    return slot
  }
}

/// The payload that a value sends to its slots.
///
/// The new value comes first, at the address of the structure. A slot for values therefore needs no
/// function before it, and a pending delivery keeps only the value. The compiler lays out a
/// structure in this way, and the language does not promise it. A test notices a change.
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
      slot.uncheckedAdapted { (change: ValueChange) in (change.old, change.new) })
  }
}
