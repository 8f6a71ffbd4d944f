extension Emitter {
  /// Calls every slot, and waits until all of them have finished, asynchronous ones included.
  ///
  /// ```swift
  /// await _willClose.invokeAndWait()
  /// file.close()  // everybody who wanted to save has saved
  /// ```
  ///
  /// Slots are called as by ``invoke(_:isolation:)``, and wait for nobody: asynchronous ones and
  /// those of different queues run at the same time. A slot that is cancelled, or whose target dies,
  /// is not waited for; nor are the loops over ``SignalSource/values``, and what `merge`,
  /// `combineLatest`, `replay` and the operators of time feed elsewhere: they are sources of their
  /// own. A slot that waits in this way for its own signal waits for ever.
  ///
  /// Cancelling the task ends the wait and not the slots.
  ///
  /// - Parameters:
  ///   - payload: What is sent.
  ///   - isolation: Where the emission is made. Leave it out: the compiler fills it in.
  /// - Complexity: O(*n*) in the number of slots.
  public func invokeAndWait(
    _ payload: Payload, isolation: isolated (any Actor)? = #isolation
  ) async {
    core.signal.emit(payload, from: isolation.map { ObjectIdentifier($0) })
    let countdown = Countdown()
    core.signal.list.forEach { observer in
      guard let berth = observer.berth else { return }
      countdown.add()
      // Released when what waits has been delivered, or will not be; at once if nothing does.
      let note = Finally { countdown.done() }
      if let added = unsafe berth.lane.add(note: note, after: observer, berth) {
        unsafe berth.lane.act(on: added, for: observer)
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
