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
    /// Connections to a value or a replay that wait until earlier payloads are delivered.
    var deferred: ContiguousArray<SignalObserver> = []
    /// The number of deferred connections at which `addDeferred` looks for those that have ended.
    var deferredLimit = leastDeferred
    var emptyCount = 0
    /// The number of connections at which `endDead` looks for dead targets.
    var endDeadLimit = 8
    /// How many results of ``hold()`` ``finish()`` has to wait for, and whether it waits for them.
    var holds = 0
    var isFinishDue = false
    /// Whether the emitter is dead.
    var isFinished = false
    var tracer: (any EmissionTracer)?

    #if SO_EXPLORE
      // A small number, which a scenario of the explorer reaches.
      static let leastDeferred = 1
    #else
      static let leastDeferred = 8
    #endif
  }

  /// The number of connections and tracers, written under the lock; zero once the emitter has died.
  ///
  /// Relaxed: it only says whether to take the lock, and the lock orders the rest. If a thread must
  /// see a connection, the program orders the `connect` before the emission.
  @usableFromInline let count = Atomic(0)
  let state = Lock(State())
  /// How many deep emissions of this signal are in progress, on any thread.
  ///
  /// An emission is deep if more than a few are around it. `Emission.make` counts each of them.
  let deepCount = Atomic(0)

  @usableFromInline
  init() {}

  @inlinable @inline(__always)
  var isEmpty: Bool { count.load(ordering: .relaxed) == 0 }

  /// The array that an emission reads, and whether the emission is traced.
  @inline(__always)
  var snapshot: (connections: ContiguousArray<SignalObserver?>, isTraced: Bool) {
    state.withLock { ($0.connections, $0.tracer != nil) }
  }

  /// Calls `body` with every connection: first those that wait for their turn, and then those in
  /// the array, in order.
  ///
  /// The deferred ones are first, because `body` may end connections, and another thread may then
  /// move a deferred one to the array.
  func forEach(_ body: (SignalObserver) -> Void) {
    let (connections, deferred) = state.withLock { ($0.connections, $0.deferred) }
    deferred.forEach(body)
    for case let connection? in connections { body(connection) }
  }

  /// The results of `body` for the connections that are live, once dead targets have been noticed.
  func live<Value>(_ body: (SignalObserver) -> Value) -> [Value] {
    var values: [Value] = []
    forEach { connection in
      connection.endIfDead()
      if !connection.isOver { values.append(body(connection)) }
    }
    return values
  }

  // MARK: - Connecting

  /// Connects the slot of `connection`, or ends the connection if the emitter is dead.
  ///
  /// Called once for each connection. One that has ended stays ended.
  @usableFromInline
  func attach(_ connection: SignalObserver) {
    if add(connection) { endDead() }
  }

  /// Does the same, and returns whether to call ``endDead()`` once nothing is owed to the slot.
  @usableFromInline
  func add(_ connection: SignalObserver) -> Bool {
    let (isAdded, isAtLimit) = state.withLock { state in
      if let index = state.deferred.firstIndex(where: { $0 === connection }) {
        state.deferred.remove(at: index)
      }
      // One that has ended is not added, because its end removes only what has a position.
      if connection.isOver || state.isFinished || state.isFinishDue { return (false, false) }
      connection.position = Int32(state.connections.count)
      state.connections.append(connection)
      count.wrappingAdd(1, ordering: .relaxed)
      return (true, count.load(ordering: .relaxed) > state.endDeadLimit)
    }
    if !isAdded { connection.end() }
    return isAtLimit
  }

  /// Ends what is over, which bounds the dead slots of a signal that never emits, unless an inner
  /// call has done so.
  ///
  /// What this releases may emit.
  @usableFromInline
  func endDead() {
    if count.load(ordering: .relaxed) <= state.withLock({ $0.endDeadLimit }) { return }
    forEach { $0.endIfDead() }
    state.withLock { $0.endDeadLimit = max(8, count.load(ordering: .relaxed) * 2) }
  }

  // MARK: - Ending

  /// Removes a connection, and returns what is to be released after the lock.
  func remove(_ connection: SignalObserver) -> SignalObserver? {
    state.withLock { state in
      let position = Int(connection.position)
      if state.isFinished || position < 0 { return nil }
      let left = count.wrappingSubtract(1, ordering: .relaxed).newValue
      // Fewer live slots leave room for fewer dead ones.
      state.endDeadLimit = min(state.endDeadLimit, max(8, left * 2))
      let removed: SignalObserver?
      if position == state.connections.count - 1 {
        removed = state.connections.removeLast()
      } else {
        removed = state.connections[position].take()
        state.emptyCount += 1
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
    // One by one: the compiler copies and releases the whole state through its metadata (200
    // instructions).
    var connections: ContiguousArray<SignalObserver?> = []
    var (deferred, tracer) = (ContiguousArray<SignalObserver>(), (any EmissionTracer)?.none)
    state.withLock { state in
      state.isFinishDue = state.holds > 0
      if state.isFinishDue { return }
      state.isFinished = true
      count.store(0, ordering: .relaxed)
      swap(&connections, &state.connections)
      swap(&deferred, &state.deferred)
      tracer = state.tracer.take()
    }
    for case let connection? in connections {
      let waits = connection.mailboxReference?.with { $0.addNote { Finally { connection.end() } } }
      if waits != true { connection.end() }
    }
    // After the lock.
    holdUntilHere(deferred)
    holdUntilHere(tracer)
  }
}

// MARK: - For leaves

extension ConnectionList {
  /// Adds `connection` to those that wait, until ``attach(_:)-(SignalObserver)`` is called for it.
  ///
  /// A source calls this under a lock of its own. It takes that lock in no call under this one.
  ///
  /// Returns the deferred connections that have ended, once these are removed.
  ///
  /// The caller ends and releases them after both locks: one that was cancelled elsewhere holds its
  /// slot.
  @usableFromInline
  func addDeferred(_ connection: SignalObserver) -> ContiguousArray<SignalObserver> {
    state.withLock { state in
      state.deferred.append(connection)
      if state.deferred.count <= state.deferredLimit { return [] }
      var ended: ContiguousArray<SignalObserver> = []
      state.deferred.removeAll { connection in
        if !connection.isOver { return false }
        ended.append(connection)
        return true
      }
      state.deferredLimit = max(State.leastDeferred, state.deferred.count * 2)
      return ended
    }
  }

  /// Keeps the connections as long as the result lives, even if the emitter dies.
  @usableFromInline
  func hold() -> Finally {
    state.withLock { $0.holds += 1 }
    return Finally { self.letGo() }
  }

  private func letGo() {
    let isFinishDue = state.withLock { state in
      state.holds -= 1
      return state.holds == 0 && state.isFinishDue
    }
    if isFinishDue { finish() }
  }
}

// MARK: - Tracing

/// Follows the emissions of one signal, for a trace.
///
/// Both functions are called on the thread of the emission, which is ``Emission/current`` then.
protocol EmissionTracer: AnyObject, Sendable {
  /// The emission in progress begins.
  func begin()

  /// Calls `visit`, which calls the slot of `connection`, or adds the payload to what waits.
  func visit(_ connection: SignalObserver, _ visit: () -> Void)
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
