extension Emitter where Payload: Sendable {
  /// Emits every element of an asynchronous sequence, on the isolation of the caller.
  ///
  /// ```swift
  /// score.invoke(forEach: scores)  // until it ends, or the observer is cancelled
  /// ```
  ///
  /// While the observer is suspended, the task drops the elements that it receives. When the
  /// sequence ends, the observer is cancelled. The task does not hold the emitter, and notices its
  /// death at the next element.
  ///
  /// If you call this on an actor, the task runs there. It holds the actor, and with it the
  /// emitters that the actor owns, until the sequence ends or the observer is cancelled.
  ///
  /// It needs macOS 15, iOS 18, tvOS 18, watchOS 11 or visionOS 2, whose sequences name the type of
  /// their errors. On older systems, write a `for await` loop in a task, which invokes the emitter.
  ///
  /// - Parameters:
  ///   - sequence: The elements to emit. Cancelling the observer cancels the task that iterates
  ///     over them.
  ///   - isolation: The isolation of the caller. Leave it out: the compiler fills it in.
  ///   - fileID: The file of the caller, for descriptions.
  ///   - line: The line of the caller, for descriptions.
  /// - Returns: The handle, which may be dropped.
  /// - Complexity: One task, and an emission for each element.
  @available(macOS 15, iOS 18, tvOS 18, watchOS 11, visionOS 2, *)
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
        core.emit(payload, from: place)
      }.holding(end))
    let task = Task {
      // The task captures the isolation, and therefore runs there.
      for await element in sequence {
        // While the observer is suspended, no emission looks at the emitter.
        observer.endIfDead()
        // The sequence may not ask.
        if Task.isCancelled { return }
        relay.invoke(element, isolation: isolation)
      }
    }
    end.set { task.cancel() }
    return observer
  }
}
