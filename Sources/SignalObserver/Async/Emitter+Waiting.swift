extension Emitter {
  /// Calls every slot, and waits until all of them have finished, including asynchronous ones.
  ///
  /// ```swift
  /// await stopping.invokeAndWait()
  /// print("stopped")  // each slot that saves has saved
  /// ```
  ///
  /// Use this if the code after it depends on what the slots do, and ``invoke(_:isolation:)``
  /// otherwise. Both call the slots in the same way. Slots do not wait for each other: asynchronous
  /// slots, and slots of different queues, run at the same time.
  ///
  /// This does not wait for a slot whose connection is cancelled, nor for loops over
  /// ``SignalSource/values``. `merge`, `combineLatest`, `zip`, `reductions(into:)`, `replay`, the
  /// operators of time and bindings are sources of their own: this waits for their slots only if
  /// they run inline. It does not wait for what an operator of time sends later, or for what
  /// another thread delivers to an inline slot behind an operator with a memory
  /// ([guarantee 16](doc:Guarantees)). If the target of a slot dies, this waits until it is the
  /// slot's turn, or until somebody finds the target dead. On a queue that nobody runs, that may
  /// take for ever: cancel the task. A slot that waits in this way for its own signal waits for
  /// ever.
  ///
  /// Cancelling the task ends the wait, but does not cancel the slots. What the wait has left with
  /// each of them, about 170 bytes, is released when it is the slot's turn, or when its connection
  /// ends.
  ///
  /// - Parameters:
  ///   - payload: The value to send.
  ///   - isolation: The isolation of the caller. Leave it out: the compiler fills it in.
  /// - Complexity: O(*n*) in the number of slots.
  public func invokeAndWait(
    _ payload: Payload, isolation: isolated (any Actor)? = #isolation
  ) async {
    var observers: [SignalObserver] = []
    // A `prefix` before a limit leaves the list with its last payload, which waits behind it.
    core.signal.list.forEach { observer in
      if let handle = observer.origin.onlyPartHandle { observers.append(handle) }
    }
    core.signal.emit(payload, from: isolation.map { ObjectIdentifier($0) })
    core.signal.list.forEach { observers.append($0.origin.onlyPartHandle ?? $0) }
    let countdown = Countdown()
    for observer in observers {
      _ = observer.mailbox?.addNote {
        countdown.add()
        return Finally { countdown.done() }
      }
    }
    await countdown.wait(isolation: isolation)
  }

  /// Calls every slot, and waits until all of them have finished.
  ///
  /// Everything else is as for ``invokeAndWait(_:isolation:)``.
  public func invokeAndWait(
    isolation: isolated (any Actor)? = #isolation
  ) async where Payload == Void {
    await invokeAndWait((), isolation: isolation)
  }

  /// Calls every slot with two arguments, and waits until all of them have finished.
  ///
  /// Everything else is as for ``invokeAndWait(_:isolation:)``.
  public func invokeAndWait<First, Second>(
    _ first: First, _ second: Second, isolation: isolated (any Actor)? = #isolation
  ) async where Payload == (First, Second) {
    await invokeAndWait((first, second), isolation: isolation)
  }
}
