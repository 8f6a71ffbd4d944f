extension Emitter where Payload: Sendable {
  /// Emits every element of an asynchronous sequence, from where this is called.
  ///
  /// ```swift
  /// let observer = _ticked.invoke(forEach: timer)
  /// observer.cancel()  // stops it
  /// ```
  ///
  /// While the observer is suspended, elements are taken and dropped. It is cancelled when the
  /// sequence ends. The emitter is not held; that it is gone is noticed at the next element.
  ///
  /// The task that iterates holds the actor that this is called on, which is its isolation, and with it
  /// an emitter that this actor owns, until the sequence ends or the observer is cancelled.
  ///
  /// - Parameters:
  ///   - sequence: What to emit. Cancelling the observer cancels the task that iterates it.
  ///   - isolation: Where to emit. Leave it out: the compiler fills it in.
  ///   - fileID: Where this is called, for descriptions.
  ///   - line: Where this is called, for descriptions.
  /// - Returns: The handle, which may be dropped.
  @discardableResult
  public func invoke<Elements: AsyncSequence>(
    forEach sequence: sending Elements, isolation: isolated (any Actor)? = #isolation,
    fileID: StaticString = #fileID, line: UInt32 = #line
  ) -> SignalObserver where Elements.Element == Payload, Elements.Failure == Never {
    let relay = Emitter()
    let end = Finally()
    // Inline, on the isolation that the task below emits on.
    let place = isolation.map { ObjectIdentifier($0) }
    let observer = relay.core.signal.attach(
      SignalSlot(core, .inline, fileID, line) { core, payload in
        core.signal.emit(payload, from: place)
      }.holding(end))
    let task = Task {
      // Captured, so that the task runs there.
      _ = isolation
      for await element in sequence { relay.invoke(element, isolation: isolation) }
    }
    end.set { task.cancel() }
    return observer
  }
}
