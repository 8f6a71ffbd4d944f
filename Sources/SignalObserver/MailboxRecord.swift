import Synchronization

/// Follows what becomes of the payloads of one mailbox, for a trace.
///
/// The functions that change nothing but the record are called under the lock of the line.
protocol MailboxRecord: AnyObject, Sendable {
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

extension Mailbox {
  final var record: (any MailboxRecord)? { line.withState { _ in state.bound?.record } }

  /// Sets the record that is told of the payloads, or removes it.
  final func setRecord(_ make: (_ pendingCount: Int) -> (any MailboxRecord)?) {
    var old: Bound?
    line.withState { _ in
      guard !state.isClosed else { return }
      let bound = state.bound ?? Bound(.unbounded)
      bound.record = make(state.count)
      // Released after the lock.
      old = state.bound
      state.bound = bound.limit == .max && bound.record == nil ? nil : bound
    }
    withExtendedLifetime(old) {}
  }
}

extension SignalObserver {
  /// Calls the slot with a payload whose turn has come, unless it is suspended or has ended.
  @inline(__always)
  func deliver(_ payload: UnsafeRawPointer, _ record: (any MailboxRecord)?) {
    if let record {
      record.deliver(self) { unsafe call(payload) }
    } else if isActive {
      unsafe call(payload)
    }
  }
}

extension ConnectionList {
  /// Puts a probe before each connection, or takes out the one that was put there.
  ///
  /// The probe is an inline slot. It is called before each connection, and may visit that one
  /// itself. Returns false if there is a probe already, or none to take out, or no emitter.
  func setProbe(_ probe: SignalObserver?) -> Bool {
    let (isSet, old) = state.withLock { state in
      let old = state.connections
      if state.isFinished || state.isProbed == (probe != nil) { return (false, old) }
      state.isProbed = probe != nil
      state.connections = []
      if let probe { state.connections.append(probe) }
      for case let connection? in old where !connection.origin.isProbe {
        if let probe { state.connections.append(probe) }
        connection.position = Int32(state.connections.count)
        state.connections.append(connection)
      }
      state.emptyCount = 0
      count.wrappingAdd(probe == nil ? -1 : 1, ordering: .relaxed)
      return (true, old)
    }
    withExtendedLifetime(old) {}
    return isSet
  }
}
