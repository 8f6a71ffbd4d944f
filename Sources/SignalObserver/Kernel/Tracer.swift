/// Follows the emissions of one signal, for a trace.
///
/// Both functions are called on the thread of the emission, which is ``Emission/current`` then.
protocol EmissionTracer: AnyObject, Sendable {
  /// The emission in progress begins.
  func begin()

  /// Calls `visit`, which calls the slot of `connection`, or adds the payload to what waits.
  func visit(_ connection: SignalObserver, _ visit: () -> Void)
}

/// Follows what becomes of the payloads of one mailbox, for a trace.
///
/// `added`, `displaced` and `taken` are called under the lock of the line.
protocol MailboxTracer: AnyObject, Sendable {
  /// The payload of the emission in progress is added.
  func added()

  /// The oldest pending payload makes way, or the new one is not kept.
  func displaced(isNew: Bool)

  /// A drain takes this number of the oldest pending payloads.
  func taken(_ count: Int)

  /// Makes the call of the next payload that was taken, if there is to be one.
  func deliver(_ connection: SignalObserver, _ call: () -> Void)

  /// Returns what is awaited in place of `call`, the call of the next payload that was taken.
  func deliver(_ connection: SignalObserver, _ call: (() async -> Void)?) -> (() async -> Void)?
}

extension ConnectionList {
  /// Sets the tracer of the emissions that begin from now on, or removes it.
  ///
  /// Returns false if there is one already, or none to remove, or no emitter.
  func setTracer(_ tracer: (any EmissionTracer)?) -> Bool {
    let (isSet, old) = state.withLock { state in
      let old = state.tracer
      if state.isFinished || (old == nil) == (tracer == nil) { return (false, old) }
      state.tracer = tracer
      // A signal without connections is emitted, too.
      count.wrappingAdd(tracer == nil ? -1 : 1, ordering: .relaxed)
      return (true, old)
    }
    // Released after the lock.
    holdUntilHere(old)
    return isSet
  }
}

extension Mailbox {
  final var tracer: (any MailboxTracer)? { line.withState { $0.tracer(of: self) } }

  /// Sets the tracer of the payloads, or removes it.
  final func setTracer(_ make: (_ pendingCount: Int) -> (any MailboxTracer)?) {
    let old = line.withState { $0.setTracer(of: self, make) }
    // After the lock.
    holdUntilHere(old)
  }
}
