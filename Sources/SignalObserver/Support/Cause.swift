import CSignalObserver

/// Why a value or an operator emits: the program sets it, a binding or an operator passes an
/// emission on, or a slot is being connected.
@usableFromInline
struct Cause: Sendable {
  /// The number of the call that connects a slot, if the emission is made for that slot, or zero.
  ///
  /// A value or a replay may have to deliver later, on another thread, and an operator of time
  /// waits for a clock, so the cause carries it there.
  @usableFromInline var call: UInt
  /// The number of the emission that a binding or an operator passes on, in one of its slots; zero
  /// if there is none.
  @usableFromInline var passedOn: UInt
  /// The version of a value that is delivered.
  @usableFromInline var version: UInt64 = 0
  /// Whether a newer change of the same value waits behind this one.
  @usableFromInline var isStale: Bool
  /// Whether another thread has added what is delivered.
  @usableFromInline var isOfOther = false

  /// The cause of an emission by the program, if nothing else is said.
  @inlinable
  init(call: UInt = 0, passedOn: UInt = 0, isStale: Bool = false) {
    (self.call, self.passedOn, self.isStale) = (call, passedOn, isStale)
  }

  /// The cause of what is sent later, outside of the emission in progress.
  @usableFromInline
  static var later: Cause { Cause(call: currentCall) }

  /// The cause of a set by a binding.
  @usableFromInline
  static var binding: Cause { Cause(call: currentCall, passedOn: currentEmission()) }

  /// The cause of what an operator passes on.
  @usableFromInline
  static var passing: Cause {
    Cause(call: currentCall, passedOn: currentEmission(), isStale: isStale)
  }

  /// Calls `body`, which delivers what has waited, with the cause as it is now.
  ///
  /// The emission that passes it on may be one around that in progress. What another thread has
  /// added, or what has waited until its emission was over, is passed on by none.
  @usableFromInline
  func resume(_ isOwn: Bool, _ body: (Cause) -> Void) {
    var cause = self
    cause.isOfOther = !isOwn
    let frame = isOwn ? Emission.frame(of: passedOn) : nil
    if frame == nil { cause.passedOn = 0 }
    Self.deliver(for: call) {
      if let frame { Emission.asSlot(of: frame) { body(cause) } } else { body(cause) }
    }
  }

  /// The number of the call for which this thread delivers, or zero.
  @usableFromInline
  static var currentCall: UInt { unsafe signal_observer_this_thread().pointee.call }

  /// Delivers what a source has, for the call with this number; for none, if it is zero.
  @usableFromInline
  static func deliver<Result>(for call: UInt, _ body: () -> Result) -> Result {
    let thread = unsafe signal_observer_this_thread()
    let outer = unsafe thread.pointee.call
    unsafe thread.pointee.call = call
    defer { unsafe thread.pointee.call = outer }
    return body()
  }

  /// Whether a binding passes nothing on, because it would pass a newer change on after this one.
  @usableFromInline
  static var isStale: Bool {
    guard let emission = Emission.current, emission.pointee.why?.pointee.isStale == true
    else { return false }
    // An operator before the slot may drop the newer change.
    return Emission.innermost?.pointee.connection?.origin.mayDrop != true
  }

  /// Marks the outer emissions of a value, which is about to emit a newer change inside them.
  @usableFromInline
  static func outdate(_ list: ConnectionList) {
    guard Emission.mayBeInProgress(list) else { return }
    var emission = Emission.innermost
    while let each = emission {
      if each.pointee.isOf(list), let why = each.pointee.why {
        if why.pointee.isStale { return }
        why.pointee.isStale = true
      }
      emission = each.pointee.outer
    }
  }

  /// Whether a binding would return a payload to `list`: the thread is in an emission of `list`,
  /// with only bindings and operators between it and this call.
  @usableFromInline
  static func returns(to list: ConnectionList) -> Bool { passedOn(by: list) != nil }

  /// The version of the value with this list that a binding would pass on.
  @usableFromInline
  static func version(of list: ConnectionList) -> UInt64? {
    passedOn(by: list)?.pointee.why?.pointee.version
  }

  /// The innermost emission of `list` with only bindings and operators between it and this call.
  private static func passedOn(by list: ConnectionList) -> OnStack<Emission>? {
    guard Emission.mayBeInProgress(list) else { return nil }
    var emission = Emission.current
    while let each = emission, !each.pointee.isOf(list) {
      guard let why = each.pointee.why, why.pointee.passedOn != 0 else { return nil }
      emission = each.pointee.source
    }
    return emission
  }

  /// Sets a property for a binding, unless `isDone` reads it and finds nothing to set.
  ///
  /// If `isDone` has read one value alone, the property is stored in that value. The first set of
  /// the value is then one by the binding.
  @usableFromInline
  static func bind(unless isDone: () -> Bool, set: () -> Void) {
    var reads = ValueReads(areTracked: false)
    if ValueReads.note(&reads, during: isDone) { return }
    var binding = BindingSet(address: reads.only, emission: Emission.innermost)
    let outer = BindingSet.current
    OnStack.of(&binding) {
      BindingSet.current = $0
      set()
      BindingSet.current = outer
    }
  }

  /// Whether a set of the value at an address, by the slot that this thread is in, is the one that
  /// a binding makes.
  @usableFromInline
  static func takeBinding(of address: Int) -> Bool {
    guard address != 0, Emission.current != nil, let set = BindingSet.current,
      set.pointee.address == address, set.pointee.emission == Emission.innermost
    else { return false }
    set.pointee.address = 0
    return true
  }
}

/// A set that a binding makes, on the stack of the thread that makes it.
private struct BindingSet {
  /// The address of the value that it is to set; zero if it has been set, or if there is none.
  var address: Int
  /// The innermost emission around the binding: what slots of inner ones set is not its set.
  let emission: OnStack<Emission>?

  static var current: OnStack<BindingSet>? {
    get { unsafe signal_observer_this_thread().pointee.binding.map { unsafe OnStack(address: $0) } }
    set { unsafe signal_observer_this_thread().pointee.binding = newValue?.address }
  }
}

extension Emission {
  /// Whether another thread has added what is delivered.
  var isOfOther: Bool { why?.pointee.isOfOther == true }

  /// Whether a binding or an operator makes it, to pass on the emission in whose slot it is.
  var isPassedOn: Bool { why.map { $0.pointee.passedOn != 0 } ?? false }

  fileprivate var why: OnStack<Cause>? { unsafe cause.map { unsafe OnStack(address: $0) } }
}

extension ConnectionList {
  /// Emits with a cause, which bindings and operators find when they pass the emission on.
  @inlinable @inline(__always)
  func emit<Payload>(_ payload: Payload, from isolation: ObjectIdentifier?, because cause: Cause) {
    var cause = cause
    unsafe withUnsafePointer(to: payload) { unsafe emit($0, from: isolation, &cause) }
  }
}
