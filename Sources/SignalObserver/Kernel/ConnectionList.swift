public import Synchronization

/// The connections of one signal, in the order in which they were made.
///
/// An array under a lock. An emission reads the array that it finds, outside the lock. A change
/// meanwhile copies the array, once for each emission in progress: O(*n*). A connection that ends
/// stays in the array of such an emission, but holds nothing. Releasing an array therefore runs
/// no user's `deinit`, so it may happen under the lock.
@usableFromInline
final class ConnectionList: Sendable {
  struct State {
    /// An entry is nil where a connection was removed.
    var connections: ContiguousArray<SignalObserver?> = []
    var emptyCount = 0
    /// Whether the emitter is dead, and whether a trace has put its probe before each connection.
    var (isFinished, isProbed) = (false, false)
  }

  /// The number of connections while the emitter lives, written under the lock.
  ///
  /// Relaxed: no memory is reached through it. The program orders a thread that must see a
  /// connection after the connect.
  @usableFromInline let count = Atomic<Int>(0)
  /// The number at which `attach` looks for dead targets; relaxed: one look more is harmless.
  private let limit = Atomic<Int>(8)
  let state = Lock(State())

  @usableFromInline
  init() {}

  @inlinable @inline(__always)
  var isEmpty: Bool { count.load(ordering: .relaxed) == 0 }

  /// The array that an emission reads.
  @inline(__always)
  var snapshot: ContiguousArray<SignalObserver?> { state.withLock { $0.connections } }

  /// Calls `body` with every connection, in order, and not with the probe of a trace.
  func forEach(_ body: (SignalObserver) -> Void) {
    for case let connection? in snapshot where !connection.origin.isProbe { body(connection) }
  }

  // MARK: - Connecting

  /// Connects a slot, or returns an observer that is cancelled if the emitter is dead.
  @usableFromInline
  func attach(_ request: borrowing SlotRequest) -> SignalObserver {
    let connection = SignalObserver(request, self)
    attach(connection)
    return connection
  }

  /// Connects the slot of `connection`, or ends the connection if the emitter is dead.
  ///
  /// Called once for each connection. One that has ended stays ended.
  @usableFromInline
  func attach(_ connection: SignalObserver) {
    if count.load(ordering: .relaxed) >= limit.load(ordering: .relaxed) {
      // Bounds the dead slots of a signal that never emits. Outside the lock: looking may release
      // the last reference.
      forEach { $0.endIfOver() }
      limit.store(max(8, count.load(ordering: .relaxed) * 2), ordering: .relaxed)
    }
    let isAdded = state.withLock { state in
      // One that was cancelled before is not added, because nobody would remove it.
      if connection.isEnded || state.isFinished { return false }
      if state.isProbed, let probe = state.connections.first { state.connections.append(probe) }
      connection.position = Int32(state.connections.count)
      state.connections.append(connection)
      count.wrappingAdd(1, ordering: .relaxed)
      return true
    }
    if !isAdded { connection.end() }
  }

  // MARK: - Ending

  /// Removes a connection, and returns what is to be released after the lock.
  func remove(_ connection: SignalObserver) -> SignalObserver? {
    state.withLock { state in
      let position = Int(connection.position)
      if state.isFinished || position < 0 { return nil }
      connection.position = -1
      count.wrappingSubtract(1, ordering: .relaxed)
      // The probe before it is removed with it.
      let isProbed = state.isProbed
      let isLast = position == state.connections.count - 1
      let removed: SignalObserver?
      if isLast, !isProbed {
        removed = state.connections.removeLast()
      } else {
        removed = state.connections[position].take()
        if isProbed { state.connections[position - 1] = nil }
        state.emptyCount += isProbed ? 2 : 1
      }
      if state.emptyCount > 8, state.emptyCount * 4 > state.connections.count {
        state.connections.removeAll { $0 == nil }
        for (index, each) in state.connections.enumerated() { each?.position = Int32(index) }
        state.emptyCount = 0
      }
      return removed
    }
  }

  /// Refuses slots from this call on, and ends each connection after the delivery of its pending
  /// payloads (guarantee 10).
  @usableFromInline
  func finish() {
    let connections = state.withLock { state in
      state.isFinished = true
      defer { state.connections = [] }
      return state.connections
    }
    for case let connection? in connections {
      if !connection.addNote(EndNote(connection)) { connection.end() }
    }
  }
}

extension SignalObserver {
  /// Releases a note after the payloads that wait now, or when the connection ends.
  ///
  /// Returns false, and makes none, if nothing waits.
  func addNote(_ note: @autoclosure () -> AnyObject) -> Bool {
    guard let mailbox, let added = mailbox.line.withState({ $0.add(note: note, mailbox) })
    else { return false }
    mailbox.line.act(on: added, for: self)
    return true
  }
}

/// A note that ends the connection.
private final class EndNote: Sendable {
  private let observer: SignalObserver

  init(_ observer: SignalObserver) { self.observer = observer }

  deinit { observer.cancel() }
}
