extension Emitter where Payload: Sendable {
  /// Emits every element of an asynchronous sequence, on the isolation of the caller.
  ///
  /// ```swift
  /// let observer = _ticked.invoke(forEach: timer)
  /// observer.cancel()  // stops it
  /// ```
  ///
  /// While the observer is suspended, elements are taken and dropped. The observer is cancelled
  /// when the sequence ends. The task does not hold the emitter, and notices its death at the next
  /// element.
  ///
  /// If this is called on an actor, the task runs there, and holds the actor until the sequence
  /// ends or the observer is cancelled. It thereby holds the emitters that the actor owns.
  ///
  /// - Parameters:
  ///   - sequence: The elements to emit. Cancelling the observer cancels the task that iterates
  ///     them.
  ///   - isolation: The isolation of the emissions. Leave it out: the compiler fills it in.
  ///   - fileID: The file of the caller, for descriptions.
  ///   - line: The line of the caller, for descriptions.
  /// - Returns: The handle, which may be dropped.
  @discardableResult
  public func invoke<Elements: AsyncSequence>(
    forEach sequence: sending Elements, isolation: isolated (any Actor)? = #isolation,
    fileID: StaticString = #fileID, line: UInt32 = #line
  ) -> SignalObserver where Elements.Element == Payload, Elements.Failure == Never {
    let relay = Emitter()
    let end = Finally()
    // The task below emits on this isolation, and so does the slot, which runs inline.
    let place = isolation.map { ObjectIdentifier($0) }
    let observer = relay.core.signal.attach(
      SignalSlot(core, .inline, fileID, line) { core, payload in
        core.signal.emit(payload, from: place)
      }.holding(end))
    let task = Task {
      // The task captures the isolation, and therefore runs there.
      _ = isolation
      for await element in sequence { relay.invoke(element, isolation: isolation) }
    }
    end.set { task.cancel() }
    return observer
  }
}
