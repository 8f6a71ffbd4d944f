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
  /// A source of the results of a step, which runs in the place of the slot.
  ///
  /// Each connection begins with the step as it is. `dropsNone` says whether the step has a result
  /// for each payload.
  @inlinable
  func stepped<Step: StatefulStep>(
    _ name: String, dropsNone: Bool, _ step: Step
  ) -> OperatorSource<Step.Result> where Step.Source == Payload {
    OperatorSource { self.attach($0, behind: name) { $0.behind(step, dropsNone) } }
  }
}

/// A step in the place of its slot.
///
/// It takes in one payload at a time, and calls the slot with the result before it takes in the
/// next. What the closure emits to its own chain waits for that. Only an inline slot can be called
/// by several threads: one of them then takes in what the others emit, as for any ``Worker``.
///
/// `@unchecked Sendable`: only the thread that works uses the step. A step that is not `Sendable`
/// stays in the isolation domain of its source, and so do its payloads.
@safe
@usableFromInline
final class StepInPlace<Step: StatefulStep>: Worker, @unchecked Sendable {
  /// A payload that waits, the emission that has called the slot with it, and the number of the
  /// call that connects a slot, if the payload was made for that.
  @usableFromInline
  typealias Item = (
    payload: Step.Source, connection: SignalObserver, hold: Finally?, emission: UInt, call: UInt
  )

  /// The calls of an asynchronous slot that nobody has begun.
  @usableFromInline let worklist: Worklist<[SlotCall], Item>
  @usableFromInline let body: SlotBody
  /// Unchecked exclusivity: see above.
  @safe @exclusivity(unchecked) @usableFromInline var step: Step

  @inlinable
  init(_ step: Step, _ request: borrowing SlotRequest) {
    self.step = step
    unsafe body = request.body
    // A global queue would not begin the calls of an asynchronous slot.
    let isSync = if case .sync = unsafe body { true } else { false }
    worklist = Worklist([], mayHandOver: isSync)
  }

  /// Takes in a payload, and calls the slot with the result, at once or later.
  @inlinable
  func take(_ payload: Step.Source, _ target: AnyObject?, _ connection: SignalObserver) {
    add(from: nil) { _, _ in
      true
    } item: {
      // Until the payload is taken in, the connection lives even if the emitter dies.
      (payload, connection, currentList()?.hold(), currentEmission(), Cause.currentCall)
    } now: {
      run(payload, target, connection)
    }
  }

  /// Takes in a payload that had to wait.
  @inlinable
  func work(_ item: Item, isOwn: Bool, from isolation: ObjectIdentifier?) {
    Cause.deliver(for: item.call) {
      insideEmission(isOwn ? item.emission : 0) {
        item.connection.callAgain { self.run(item.payload, $0, item.connection) }
      }
    }
  }

  @inlinable
  func run(_ payload: Step.Source, _ target: AnyObject?, _ connection: SignalObserver) {
    // The connection may be suspended, or have ended, since the payload was emitted.
    guard connection.isActive else { return }
    let result = worklist.close { step.next(payload) }
    guard let result, connection.isActive else { return connection.recordDrop() }
    unsafe withUnsafePointer(to: result) { result in
      switch unsafe body {
      case .sync(let call): unsafe call(target, connection, result)
      case .async(let makeCall):
        guard let call = unsafe makeCall(target, connection, result) else { return }
        worklist.state.withLock { $0.model.append(call) }
      }
    }
  }
}

extension SignalSlot {
  /// Returns a slot that calls this one with the results of a step.
  @inlinable
  func behind<Step: StatefulStep>(
    _ step: Step, _ dropsNone: Bool
  ) -> SignalSlot<Step.Source> where Step.Result == Payload {
    let step = StepInPlace(step, request)
    var slot = holding(Finally(step.worklist.drops))
    slot.request.origin.hasStep = true
    switch unsafe request.body {
    case .sync:
      return unsafe SignalSlot<Step.Source>(
        slot, dropsNone: dropsNone,
        .sync { target, connection, source in
          unsafe step.take(
            source.assumingMemoryBound(to: Step.Source.self).pointee, target, connection)
        })
    case .async:
      return unsafe SignalSlot<Step.Source>(
        slot, dropsNone: dropsNone,
        .async { target, connection, source in
          unsafe step.take(
            source.assumingMemoryBound(to: Step.Source.self).pointee, target, connection)
          var calls: [SlotCall] = []
          step.worklist.state.withLock { swap(&calls, &$0.model) }
          // There are several only if a slot is attached twice, and two threads call it.
          if calls.isEmpty { return nil }
          return { [calls] in for call in calls { await call() } }
        })
    }
  }
}
