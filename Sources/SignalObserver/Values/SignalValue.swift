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
  private struct Model {
    /// Nil if a getter has the value.
    var value: Value?
    var version: UInt64 = 0
  }

  private enum Work {
    /// The new value is nil if a getter has it.
    case change(old: Value, new: Value?, origin: Origin?)
    /// The value is the newest when the slot was connected, and so the one whose delivery was last
    /// begun when its turn comes.
    case connection(Slot, Value?)
  }

  let list = SlotList()
  private let worklist: Worklist<Model, Work>
  private let custom: (get: @Sendable () -> Value, set: @Sendable (Value) -> Void)?

  init(_ value: Value) {
    worklist = Worklist(Model(value: value))
    custom = nil
  }

  init(get: @escaping @Sendable () -> Value, set: @escaping @Sendable (Value) -> Void) {
    worklist = Worklist(Model(value: nil))
    custom = (get, set)
  }

  /// The newest value, which slots may still have to be told of.
  public var value: Value { current(worklist.read { $0.value }) }

  /// The old and the new value of each set, from now on: the current value is not sent.
  ///
  /// ```swift
  /// model.$title.changes.connect(log, Log.titleChanged(from:to:))
  /// ```
  public var changes: some SignalSource<(Value, Value)> { ValueChanges(value: self) }

  private func current(_ stored: Value?) -> Value {
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
  func set(_ value: Value, from isolation: ObjectIdentifier?, origin: Origin? = nil) {
    if let custom {
      let old = custom.get()
      custom.set(value)
      add(from: isolation) { _ in .change(old: old, new: nil, origin: origin) }
    } else {
      add(from: isolation) { model in
        // There is a value, since there is no getter.
        let old = unsafe model.value.unsafelyUnwrapped
        model.value = value
        model.version += 1
        return .change(old: old, new: value, origin: origin)
      }
    }
  }

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
      add(from: isolation) { [value] newest in
        guard newest.version == model.version else { return nil }
        isStored = true
        // There is a value, since there is no getter.
        let old = unsafe newest.value.unsafelyUnwrapped
        newest.value = value
        newest.version += 1
        return .change(old: old, new: value, origin: nil)
      }
      if isStored { return result }
    }
  }

  /// Delivers the current value again.
  func send(from isolation: ObjectIdentifier?) {
    let old = custom?.get()
    add(from: isolation) { model in
      // One of them is there.
      unsafe .change(old: (model.value ?? old).unsafelyUnwrapped, new: model.value, origin: nil)
    }
  }

  func cancelAll() { list.cancelAll() }

  func finish() { list.finish() }

  private func add(from isolation: ObjectIdentifier?, _ change: (inout Model) -> Work?) {
    worklist.add(change) { work in
      switch work {
      case .change(let old, let new, let origin):
        if list.isEmpty { return }
        let change = ValueChange(old: old, new: current(new), origin: origin)
        unsafe withUnsafePointer(to: change) { unsafe list.emit($0, from: isolation) }
      case .connection(let slot, let value):
        list.attach(slot)
        let value = current(value)
        let change = ValueChange(old: value, new: value, origin: nil)
        unsafe withUnsafePointer(to: change) { unsafe list.emit($0, to: slot, from: isolation) }
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
  public func attach(_ slot: SignalSlot<Value>) -> SignalObserver {
    let slot = list.makeSlot(slot.adapted { (change: ValueChange) in change.new }.request)
    add(from: nil) { .connection(slot, $0.value) }
    return slot.observer
  }

  /// Adds a slot that is told of changes from now on, and of who made them.
  func attachToChanges(_ slot: SignalSlot<ValueChange<Value>>) -> SignalObserver {
    list.attach(slot.request)
  }
}

/// What the slots of a value are sent.
struct ValueChange<Value> {
  let old: Value
  let new: Value
  let origin: Origin?
}

/// See ``SignalValue/changes``.
private struct ValueChanges<Value>: SignalSource {
  let value: SignalValue<Value>

  func attach(_ slot: SignalSlot<(Value, Value)>) -> SignalObserver {
    value.attachToChanges(slot.adapted { (change: ValueChange) in (change.old, change.new) })
  }
}
