/// What others connect to of an ``EmitterValue``: a signal that has a current value.
///
/// Connecting delivers the current value first and then every new one, without a gap or a double
/// also when it is set meanwhile. Sets are delivered one at a time, in order: a value set by a slot,
/// or by another thread, is delivered after the one in progress, and every slot ends on the newest
/// (guarantee 16).
///
/// ```swift
/// model.$title.connect(label, Label.show)  // the current title, then every new one
/// ```
public final class SignalValue<Value> {
  @usableFromInline
  struct Model {
    /// Nil if a getter has the value.
    @usableFromInline var value: Value?
    @usableFromInline var version: UInt64 = 0

    @inlinable
    init(value: Value?) { self.value = value }
  }

  /// A change to be delivered, or a slot to be connected and given the value.
  ///
  /// A structure, because an enumeration of generic payloads is destroyed by way of the runtime (130
  /// instructions).
  @usableFromInline
  struct Work {
    @usableFromInline
    enum Kind {
      case change
      /// A slot that is connected and given the value.
      case connection
      /// A slot that is told of what is set after it was connected.
      case changes
      /// The emitter's death, which waits until what was set before is delivered.
      case end
    }

    @usableFromInline let kind: Kind
    /// Nil if a getter has it; for a slot, the newest when it was connected, and so the one whose
    /// delivery was last begun when its turn comes.
    @usableFromInline let new: Value?
    /// Nil for a slot, which is told of no change.
    @usableFromInline let old: Value?
    @usableFromInline let origin: Origin?
    @usableFromInline let slot: SignalObserver?

    @inlinable
    init(
      _ kind: Kind, new: Value? = nil, old: Value? = nil, origin: Origin? = nil, slot: SignalObserver? = nil
    ) {
      self.kind = kind
      self.new = new
      self.old = old
      self.origin = origin
      self.slot = slot
    }
  }

  @usableFromInline let list = ConnectionList()
  @usableFromInline let worklist: Worklist<Model, Work>
  @usableFromInline let custom: (get: @Sendable () -> Value, set: @Sendable (Value) -> Void)?
  @usableFromInline let observation = ValueObservation()

  @inlinable
  init(_ value: Value) {
    worklist = Worklist(Model(value: value))
    custom = nil
  }

  @inlinable
  init(get: @escaping @Sendable () -> Value, set: @escaping @Sendable (Value) -> Void) {
    worklist = Worklist(Model(value: nil))
    custom = (get, set)
  }

  /// The newest value, which slots may still have to be told of.
  ///
  /// Read by code that is observed (`withObservationTracking`, `Observations`, a SwiftUI view's body),
  /// it makes that code depend on the value.
  @inlinable
  public var value: Value {
    observation.read()
    return unobserved
  }

  /// The newest value, for those who do not depend on it.
  @usableFromInline
  var unobserved: Value { current(worklist.read { $0.value }) }

  /// The old and the new value of each set, from now on: the current value is not sent.
  ///
  /// ```swift
  /// model.$title.changes.connect(log, Log.titleChanged(from:to:))
  /// ```
  @inlinable
  public var changes: some SignalSource<(Value, Value)> { ValueChanges(value: self) }

  /// The number of connections that have not ended, those of ``changes`` too; suspended ones count.
  ///
  /// One that is made while the value is being delivered counts when its turn has come.
  ///
  /// - Complexity: O(*n*) in the number of slots, since each one's target is looked at.
  public var slotCount: Int { list.liveSlots { _ in }.count }

  /// Cancels every connection whose target is `target`, those to ``changes`` included.
  ///
  /// See ``Signal/cancelObservers(of:)``.
  public func cancelObservers(of target: AnyObject) {
    list.cancelAll(of: target)
  }

  @inlinable
  func current(_ stored: Value?) -> Value {
    // Nil only if there is a getter: `init` stores a value or has one.
    unsafe stored ?? custom.unsafelyUnwrapped.get()
  }
}

/// What is shared is guarded by the worklist and the list; getter and setter are `Sendable`.
extension SignalValue: @unchecked Sendable where Value: Sendable {}

// MARK: - Setting

extension SignalValue {
  /// Sets the value and delivers it, unless a delivery is in progress, which then does.
  ///
  /// - Parameters:
  ///   - value: The new value.
  ///   - isolation: Where this is called.
  ///   - origin: Who sets, if that is a bond, so that it knows its own.
  @inlinable
  func set(_ value: Value, from isolation: ObjectIdentifier?, origin: Origin? = nil) {
    if let custom {
      let old = custom.get()
      observation.willChange()
      custom.set(value)
      add(
        from: isolation, { _ in Work(.change, old: old, origin: origin) },
        changed: { observation.hasChanged() })
    } else {
      change(from: isolation) { model in
        let old = model.value
        model.value = value
        model.version += 1
        return Work(.change, new: value, old: old, origin: origin)
      }
    }
  }

  @inlinable
  func modify<Result, Failure: Error>(
    from isolation: ObjectIdentifier?, _ body: (inout Value) throws(Failure) -> Result
  ) throws(Failure) -> Result {
    while true {
      let model = worklist.read { $0 }
      var value = current(model.value)
      let result = try body(&value)
      guard custom == nil else {
        set(value, from: isolation)
        return result
      }
      var isStored = false
      observation.willChange()
      add(
        from: isolation,
        { [value] newest in
          guard newest.version == model.version else { return nil }
          isStored = true
          let old = newest.value
          newest.value = value
          newest.version += 1
          return Work(.change, new: value, old: old)
        }, changed: { if isStored { observation.hasChanged() } })
      if isStored { return result }
    }
  }

  /// Delivers the current value again.
  @inlinable
  func send(from isolation: ObjectIdentifier?) {
    let old = custom?.get()
    change(from: isolation) { Work(.change, new: $0.value, old: $0.value ?? old) }
  }

  @usableFromInline
  func cancelAll() { list.cancelAll() }

  @usableFromInline
  func finish() { add(from: nil) { _ in Work(.end) } }

  /// Makes a change that Observation is told of when it is made, whoever delivers it and when.
  @inlinable
  func change(from isolation: ObjectIdentifier?, _ change: (inout Model) -> Work?) {
    observation.willChange()
    add(from: isolation, change, changed: { observation.hasChanged() })
  }

  @inlinable
  func add(
    from isolation: ObjectIdentifier?, _ change: (inout Model) -> Work?,
    changed: () -> Void = {}
  ) {
    worklist.add(change, changed: changed) { work in
      if let slot = work.slot { list.attach(slot) }
      switch work.kind {
      case .changes: return
      case .end: return list.finish()
      case .change: if list.isEmpty { return }
      case .connection: break
      }
      let new = current(work.new)
      let change = ValueChange(new: new, old: work.old ?? new, origin: work.origin)
      unsafe withUnsafePointer(to: change) { address in
        if let slot = work.slot {
          unsafe list.emit(address, to: slot, from: isolation)
        } else {
          unsafe list.emit(address, from: isolation)
        }
      }
    }
  }
}

// MARK: - Connecting

extension SignalValue: SignalSource {
  /// Adds a slot behind the others and delivers the current value to it.
  ///
  /// The connect forms call this. An inline slot has been called when this returns, unless a value
  /// is being delivered: then its turn comes after that.
  ///
  /// On a value whose emitter is gone, the returned observer is cancelled from the start, and the
  /// slot is not called.
  ///
  /// - Complexity: O(1), amortised.
  @inlinable
  public func attach(_ slot: SignalSlot<Value>) -> SignalObserver {
    let slot = list.makeObserver(slot.request)
    add(from: nil) { Work(.connection, new: $0.value, slot: slot) }
    return slot
  }

  /// Adds a slot that is told of changes from now on, and of who made them.
  @inlinable
  func attachToChanges(_ slot: SignalSlot<ValueChange<Value>>) -> SignalObserver {
    let slot = list.makeObserver(slot.request)
    add(from: nil) { _ in Work(.changes, slot: slot) }
    return slot
  }
}

/// What the slots of a value are sent.
///
/// The new value comes first, at the address of the whole, so that a slot for values needs no
/// function before it, and a pending delivery keeps nothing but the value. That is how the compiler
/// lays out a structure and not what the language promises: a test says when it changes.
@usableFromInline
struct ValueChange<Value> {
  @usableFromInline let new: Value
  @usableFromInline let old: Value
  @usableFromInline let origin: Origin?

  @inlinable
  init(new: Value, old: Value, origin: Origin?) {
    self.new = new
    self.old = old
    self.origin = origin
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
