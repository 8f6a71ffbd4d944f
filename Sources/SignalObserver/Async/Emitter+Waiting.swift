extension Emitter {
  /// Calls every slot, and waits until all of them have finished, asynchronous ones included.
  ///
  /// ```swift
  /// await _willClose.invokeAndWait()
  /// file.close()  // every slot that saves has saved
  /// ```
  ///
  /// Slots are called as by ``invoke(_:isolation:)``, and do not wait for each other: asynchronous
  /// slots, and slots of different queues, run at the same time. This does not wait for a slot that
  /// is cancelled or loses its target, and not for loops over ``SignalSource/values``. `merge`,
  /// `combineLatest`, `replay` and the operators of time are sources of their own: this does not
  /// wait for their slots unless they run inline. If a slot waits in this way for its own signal,
  /// it waits for ever.
  ///
  /// Cancelling the task ends the wait, and does not cancel the slots.
  ///
  /// - Parameters:
  ///   - payload: The value to send.
  ///   - isolation: The isolation of the emission. Leave it out: the compiler fills it in.
  /// - Complexity: O(*n*) in the number of slots.
  public func invokeAndWait(
    _ payload: Payload, isolation: isolated (any Actor)? = #isolation
  ) async {
    core.signal.emit(payload, from: isolation.map { ObjectIdentifier($0) })
    let countdown = Countdown()
    core.signal.list.forEach { observer in
      guard let lane = observer.lane, let berth = observer.berth else { return }
      countdown.add()
      // Released when the pending payloads of the slot have been delivered, or will not be; at once
      // if none is pending.
      let note = Finally { countdown.done() }
      if let added = unsafe lane.add(note: note, after: observer, berth) {
        unsafe lane.act(on: added, for: observer)
      }
    }
    countdown.done()
    await countdown.wait(isolation: isolation)
  }

  /// Calls every slot, and waits until all of them have finished.
  ///
  /// See ``invokeAndWait(_:isolation:)``.
  public func invokeAndWait(
    isolation: isolated (any Actor)? = #isolation
  ) async where Payload == Void {
    await invokeAndWait((), isolation: isolation)
  }

  /// Calls every slot with two arguments, and waits until all of them have finished.
  ///
  /// See ``invokeAndWait(_:isolation:)``.
  public func invokeAndWait<First, Second>(
    _ first: First, _ second: Second, isolation: isolated (any Actor)? = #isolation
  ) async where Payload == (First, Second) {
    await invokeAndWait((first, second), isolation: isolation)
  }
}
