/// The work of an operator with state on the payloads of one connection.
///
/// It takes in one payload at a time, each of them once.
@usableFromInline
protocol StatefulStep: SendableMetatype {
  associatedtype Source
  associatedtype Result

  /// Takes in a payload, and returns what to send, or nil.
  ///
  /// This may run a closure of the user. What the closure emits to its own chain follows.
  mutating func next(_ payload: Source) -> Result?
}

extension SignalSource {
  /// Attaches `slot` behind `step`, which runs in the place of the slot.
  ///
  /// `dropsNone` says whether it has a result for each payload.
  @inlinable
  func attach<Step: StatefulStep>(
    _ slot: SignalSlot<Step.Result>, behind step: Step, dropsNone: Bool, _ name: String
  ) -> SignalObserver where Step.Source == Payload {
    unsafe attach(slot.behind(StepInPlace(step, slot.request.body), dropsNone).passing(name))
  }

  /// Attaches `slot` behind `step`, which runs on the emitting thread.
  @inlinable
  func attach<Step: StatefulStep>(
    _ slot: SignalSlot<Step.Result>, inTurn step: Step, _ name: String
  ) -> SignalObserver where Step.Source == Payload {
    let (parts, end) = (ObserverBag(), Finally())
    let steps = StepInTurn(Relay(slot, holding: end), step)
    steps.end(with: end, parts)
    parts.insert(attach(steps.part(slot, name)))
    return steps.relay.observer
  }
}

/// A step on the emitting thread.
///
/// Results are made and delivered one at a time, in the order of the payloads.
///
/// `@unchecked Sendable`: the worklist does one item at a time, and only an item uses the step. A
/// step that is not `Sendable` stays in the isolation domain of its source.
@usableFromInline
final class StepInTurn<Step: StatefulStep>: Worker, @unchecked Sendable {
  @usableFromInline typealias Item = (payload: Step.Source, isSent: Bool, cause: Cause)

  @usableFromInline let relay: Relay
  @usableFromInline let worklist = Worklist<Void, Item>(())
  /// Unchecked exclusivity: see above.
  @exclusivity(unchecked) @usableFromInline var step: Step

  @inlinable
  init(_ relay: Relay, _ step: Step) {
    self.relay = relay
    unsafe self.step = step
  }

  @inlinable
  func part(_ slot: SignalSlot<Step.Result>, _ name: String) -> SignalSlot<Step.Source> {
    let feed = unsafe relay.feed(slot)
    // Captured by itself, which saves an emission from retaining the relay.
    let handle = relay.handle
    return unsafe slot.part(Step.Source.self, name, of: relay) { target, part, address in
      let payload = unsafe address.assumingMemoryBound(to: Step.Source.self).pointee
      // What is emitted while the handle is suspended is not sent later (guarantee 11).
      let isSent = handle.isActive
      self.add(from: nil) { _, _ in
        true
      } item: {
        (payload, isSent, .passing)
      } now: {
        let result = self.take(payload)
        guard isSent, let result else { return part.noteDrop() }
        unsafe withUnsafePointer(to: result) { unsafe feed(target, part, $0) }
      }
    }
  }

  /// Takes in a payload that had to wait.
  @inlinable
  func work(_ item: Item, isOwn: Bool, from isolation: ObjectIdentifier?) {
    guard !relay.handle.isEnded, let result = take(item.payload), item.isSent else { return }
    unsafe withUnsafePointer(to: result) { unsafe relay.send($0, item.cause.known(isOwn)) }
  }

  /// Takes in a payload, and returns what to send.
  ///
  /// What a closure emits to its own chain meanwhile waits for its turn.
  @inlinable
  func take(_ payload: Step.Source) -> Step.Result? {
    worklist.close { unsafe step.next(payload) }
  }
}

/// A step in the place of its slot.
///
/// It takes in one payload at a time, and calls the slot with the result before it takes in the
/// next. What the closure emits to its own chain waits for that. Only an inline slot can be called
/// by several threads: one of them then takes in what the others emit, at most 128 payloads, and a
/// global queue or the next thread that emits takes in the rest.
///
/// `@unchecked Sendable`: only the thread that works uses the step. A step that is not `Sendable`
/// stays in the isolation domain of its source, and so do its payloads.
@safe
@usableFromInline
final class StepInPlace<Step: StatefulStep>: @unchecked Sendable {
  @usableFromInline typealias Entry = (payload: Step.Source, thread: UInt)
  @usableFromInline typealias Call = (__owned AnyObject?, SignalObserver, UnsafeRawPointer) -> Void

  @usableFromInline
  struct State {
    @usableFromInline var pending = Fifo<Entry>()
    /// How many payloads wait, which saves an emission from looking at them.
    @usableFromInline var count = 0
    /// The thread that works; zero, which is the number of no thread, if none does.
    @usableFromInline var worker: UInt = 0

    @inlinable
    init() {}

    @inlinable
    mutating func append(_ entry: Entry) {
      pending.append(entry)
      count += 1
    }

    @inlinable
    mutating func popFirst() -> Entry? {
      guard let entry = pending.popFirst() else { return nil }
      count -= 1
      return entry
    }
  }

  @usableFromInline let state = Lock(State())
  /// What calls the slot; nil if it is asynchronous.
  @usableFromInline let call: Call?
  /// Unchecked exclusivity: only the thread that works uses both.
  @exclusivity(unchecked) @usableFromInline var step: Step
  /// Whether the step is taking in a payload, so that another one has to wait.
  @exclusivity(unchecked) @usableFromInline var isClosed = false

  @inlinable
  init(_ step: Step, _ body: SlotBody) {
    if case .sync(let call) = unsafe body { unsafe self.call = call } else { unsafe call = nil }
    unsafe self.step = step
  }

  /// Takes in a payload, and what has to wait meanwhile, and calls `send` with each result.
  @inlinable
  func take(
    _ payload: Step.Source, _ connection: SignalObserver, _ send: (Step.Result?) -> Void
  ) {
    let thread = currentThread()
    let (isFirst, isNested) = state.withLock { state in
      if state.count > 0 { return (false, false) }
      let isFirst = state.worker == 0
      if isFirst { state.worker = thread }
      return (isFirst, unsafe !isFirst && state.worker == thread && !isClosed)
    }
    guard isFirst || isNested else { return takeLater(payload, thread, connection, send) }
    run(payload, connection, send)
    if isFirst, mayNotStop() { finish(connection, nil, send) }
  }

  /// Takes in a payload behind those that wait, or leaves it to the thread that works.
  @inlinable
  @inline(never)
  func takeLater(
    _ payload: Step.Source, _ thread: UInt, _ connection: SignalObserver,
    _ send: (Step.Result?) -> Void
  ) {
    let (isNested, before, isFirst) = state.withLock { state in
      let isNested = unsafe state.worker == thread && !isClosed
      let isFirst = state.worker == 0
      if isFirst { state.worker = thread }
      let before = state.count
      if !isNested { state.append((payload, thread)) }
      return (isNested, before, isFirst)
    }
    if isFirst { return finish(connection, nil, send) }
    if !isNested { return }
    // What is emitted in the slot is delivered before that emission returns.
    var lent = Lent()
    for _ in 0..<before {
      if !lent.take() { return state.withLock { $0.append((payload, thread)) } }
      takePending(connection, send)
    }
    run(payload, connection, send)
  }

  /// Whether something waits; otherwise, this thread does not work any more.
  @inlinable
  func mayNotStop() -> Bool {
    state.withLock { state in
      if state.count == 0 { state.worker = 0 }
      return state.count > 0
    }
  }

  /// Takes in a payload.
  @inlinable
  func run(
    _ payload: Step.Source, _ connection: SignalObserver, _ send: (Step.Result?) -> Void
  ) {
    // The connection may be suspended, or have ended, since the payload was emitted.
    guard connection.isActive else { return }
    unsafe isClosed = true
    let result = unsafe step.next(payload)
    unsafe isClosed = false
    send(result)
  }

  /// Takes in the oldest payload that waits, if there is one.
  @inlinable
  func takePending(_ connection: SignalObserver, _ send: (Step.Result?) -> Void) {
    guard let entry = state.withLock({ $0.popFirst() }) else { return }
    // It is not of the emission in progress.
    outsideEmissions { run(entry.payload, connection, send) }
  }

  /// Takes in all payloads that wait, or hands those of other threads over.
  ///
  /// The connection is in `list`, or in that of the emission in progress.
  @inlinable
  @inline(never)
  func finish(
    _ connection: SignalObserver, _ list: ConnectionList?, _ send: (Step.Result?) -> Void
  ) {
    var lent = Lent()
    while mayNotStop() {
      let isOwn = state.withLock { $0.pending.first?.thread == $0.worker }
      if !isOwn, !lent.take(), handOver(connection, list) { return }
      takePending(connection, send)
    }
  }

  /// Lets a global queue, or the next thread that emits, take in what waits.
  ///
  /// Until then, the connection lives even if the emitter dies. Returns false if the slot is
  /// asynchronous, and so is called by one thread alone.
  @inlinable
  func handOver(_ connection: SignalObserver, _ list: ConnectionList?) -> Bool {
    guard unsafe call != nil, let list = list ?? currentList() else { return false }
    list.hold()
    state.withLock { $0.worker = 0 }
    // Weak: if the connection ends, it releases this object, and with it what waits.
    onGlobalQueue { [weak self] in
      connection.callAgain { target in
        guard let self, let slot = unsafe self.call else { return }
        let isTaken = self.state.withLock { state in
          let isFree = state.worker == 0 && state.count > 0
          if isFree { state.worker = currentThread() }
          return isFree
        }
        guard isTaken else { return }
        self.finish(connection, list) { result in
          guard let result, connection.isActive else { return }
          unsafe withUnsafePointer(to: result) { unsafe slot(target, connection, $0) }
        }
      }
      list.letGo()
    }
    return true
  }
}

extension SignalSlot {
  /// Returns a slot that calls this one with the results of a step.
  @inlinable
  func behind<Step: StatefulStep>(
    _ step: StepInPlace<Step>, _ dropsNone: Bool
  ) -> SignalSlot<Step.Source> where Step.Result == Payload {
    switch unsafe request.body {
    case .sync(let call):
      unsafe SignalSlot<Step.Source>(
        self, dropsNone: dropsNone,
        .sync { target, connection, source in
          step.take(
            unsafe source.assumingMemoryBound(to: Step.Source.self).pointee, connection
          ) { result in
            guard let result, connection.isActive else { return connection.noteDrop() }
            unsafe withUnsafePointer(to: result) { unsafe call(target, connection, $0) }
          }
        })
    case .async(let makeCall):
      unsafe SignalSlot<Step.Source>(
        self, dropsNone: dropsNone,
        .async { target, connection, source in
          // There are several only if a slot is attached twice, and two threads call it.
          var calls: [SlotCall] = []
          step.take(
            unsafe source.assumingMemoryBound(to: Step.Source.self).pointee, connection
          ) { result in
            guard let result, connection.isActive else { return }
            let call = unsafe withUnsafePointer(to: result) {
              unsafe makeCall(target, connection, $0)
            }
            if let call { calls.append(call) }
          }
          if calls.isEmpty { return nil }
          return { [calls] in for call in calls { await call() } }
        })
    }
  }
}
