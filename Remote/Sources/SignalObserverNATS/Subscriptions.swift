import CNats
import Dispatch
import Synchronization

/// The subscriptions of one connection, each kept until libnats no longer uses it.
///
/// libnats' reader takes a subscription from its table and uses it without holding it. If a
/// subscription were destroyed right after its removal, the reader might still use it. A removed
/// subscription is therefore destroyed later. One moment is when a PONG answers a PING that was
/// sent after the removal, because the reader has then finished every message before that PONG. The
/// other is when the connection and its reader have ended.
///
/// `@unchecked Sendable`: what `state` does not guard is used on the link's wire queue, or by the
/// last owner.
final class Subscriptions: @unchecked Sendable {
  private struct Live {
    let pointer: OpaquePointer
    let isAsked: Bool
    /// The number of messages that libnats has dropped, as far as is reported.
    var dropped: Int64 = 0

    /// The messages that libnats has not handed over, and their approximate size in memory.
    var waiting: (messages: Int, bytes: Int) {
      var (messages, bytes): (Int32, Int32) = (0, 0)
      guard natsSubscription_GetPending(pointer, &messages, &bytes) == NATS_OK else {
        return (0, 0)
      }
      return (Int(messages), Int(messages) * Backlog.overhead + Int(bytes))
    }

    mutating func takeDropped() -> Int {
      var count: Int64 = 0
      guard natsSubscription_GetDropped(pointer, &count) == NATS_OK else { return 0 }
      defer { dropped = count }
      return Int(count - dropped)
    }
  }

  private struct State {
    var live: [ObjectIdentifier: Live] = [:]
    /// The number of messages of removed subscriptions that libnats has dropped.
    var dropped = 0
    /// Whether libnats drops messages that the bus has not asked for.
    var isRefusing = false
  }

  /// libnats' thread uses it, too.
  private let state = Locked(State())
  private let backlog: Backlog
  /// Called when libnats begins to drop messages.
  private let full: @Sendable () -> Void
  private var removed: [OpaquePointer] = []
  /// The receivers that libnats may call once more, because the connection ended while the bus
  /// subscribed.
  private var interrupted: [Unmanaged<Tap>] = []

  init(_ limit: Int, full: @escaping @Sendable () -> Void) {
    backlog = Backlog(limit)
    self.full = full
  }

  /// The number of subscriptions that are removed and not destroyed.
  var removedCount: Int { removed.count }

  func add(_ inlet: Inlet, on connection: OpaquePointer) -> natsStatus {
    remove(inlet)
    var subscription: OpaquePointer?
    // This reference is released when libnats has made its last call.
    let closure = Unmanaged.passRetained(Tap(inlet, self))
    let status =
      if let group = inlet.group {
        natsConnection_QueueSubscribe(
          &subscription, connection, inlet.subject, group.text, received, closure.toOpaque())
      } else {
        natsConnection_Subscribe(
          &subscription, connection, inlet.subject, received, closure.toOpaque())
      }
    guard status == NATS_OK, let subscription else {
      closure.release()
      return status
    }
    let live = Live(pointer: subscription, isAsked: inlet.isAsked)
    state.withLock { state in
      state.live[ObjectIdentifier(inlet)] = live
      setLimits(live, state.isRefusing)
    }
    if natsSubscription_SetOnCompleteCB(subscription, completed, closure.toOpaque()) != NATS_OK {
      interrupted.append(closure)
      return NATS_CONNECTION_CLOSED
    }
    return NATS_OK
  }

  func remove(_ inlet: Inlet) {
    let subscription = state.withLock { state in
      var live = state.live.removeValue(forKey: ObjectIdentifier(inlet))
      state.dropped += live?.takeDropped() ?? 0
      return live?.pointer
    }
    guard let subscription else { return }
    natsSubscription_Unsubscribe(subscription)
    removed.append(subscription)
  }

  // MARK: - What waits

  /// What libnats has received for an inlet, and not handed over.
  func waiting(for inlet: Inlet) -> (messages: Int, bytes: Int) {
    state.withLock { $0.live[ObjectIdentifier(inlet)]?.waiting ?? (0, 0) }
  }

  /// Counts a message that libnats hands over, on libnats' thread.
  fileprivate func handOver(_ message: OpaquePointer, on connection: OpaquePointer) {
    let size = RawMessage(pointer: message).contentSize
    if backlog.handOver(size, on: connection), limitBacklog(on: connection) { full() }
  }

  /// Makes libnats drop messages while too many wait for it to hand them over.
  ///
  /// - Returns: Whether it drops messages, so that this should be called again soon.
  func limitBacklog(on connection: OpaquePointer) -> Bool {
    state.withLock { state in
      let waiting = state.live.values.reduce(0) { $0 + $1.waiting.bytes }
      let refuses = waiting > (state.isRefusing ? backlog.limit / 2 : backlog.limit)
      if refuses != state.isRefusing {
        state.isRefusing = refuses
        for live in state.live.values { setLimits(live, refuses) }
      }
      if !refuses { backlog.settle(at: waiting, on: connection) }
      return refuses
    }
  }

  private func setLimits(_ subscription: Live, _ refuses: Bool) {
    if subscription.isAsked {
      natsSubscription_SetPendingLimits(subscription.pointer, 1 << 20, 256 << 20)
    } else if refuses {
      natsSubscription_SetPendingLimits(subscription.pointer, 1, 1)
    } else {
      // No server takes a larger message than 64 MB.
      natsSubscription_SetPendingLimits(
        subscription.pointer, Int32(clamping: max(1024, backlog.limit / Backlog.overhead)),
        Int32(clamping: max(64 << 20, backlog.limit)))
    }
  }

  /// The number of messages that libnats has dropped since the last call.
  func takeDropped() -> Int {
    state.withLock { state in
      defer { state.dropped = 0 }
      for key in state.live.keys { state.dropped += state.live[key]?.takeDropped() ?? 0 }
      return state.dropped
    }
  }

  // MARK: - Ends

  /// Destroys the first `count` subscriptions that were removed, because a PONG has answered a PING
  /// behind them.
  func destroyRemoved(_ count: Int) {
    for subscription in removed.prefix(count) { natsSubscription_Destroy(subscription) }
    removed.removeFirst(count)
  }

  /// Destroys every subscription, because the connection has ended.
  func destroyAll() {
    let live = state.withLock { state in
      defer { state.live = [:] }
      return state.live.values.map(\.pointer)
    }
    for subscription in live { natsSubscription_Destroy(subscription) }
    destroyRemoved(removed.count)
    if interrupted.isEmpty { return }
    // libnats does not say when it has made its last call for these. It is a matter of
    // microseconds.
    let taps = interrupted
    interrupted = []
    DispatchQueue.global().asyncAfter(deadline: .now() + .seconds(10)) {
      for tap in taps { tap.release() }
    }
  }
}

/// An inlet on one connection.
private final class Tap: Sendable {
  let inlet: Inlet
  let subscriptions: Subscriptions

  init(_ inlet: Inlet, _ subscriptions: Subscriptions) {
    self.inlet = inlet
    self.subscriptions = subscriptions
  }
}

// The closure is the tap that `add` has retained. It lives until `completed` releases it, which
// libnats calls last.

private let received: natsMsgHandler = { connection, _, message, closure in
  guard let connection, let message, let closure else { return }
  let tap = Unmanaged<Tap>.fromOpaque(closure).takeUnretainedValue()
  tap.subscriptions.handOver(message, on: connection)
  tap.inlet.receive(RawMessage(pointer: message))
}

private let completed: natsOnCompleteCB = { closure in
  guard let closure else { return }
  Unmanaged<Tap>.fromOpaque(closure).release()
}

/// The number of bytes that libnats has received on a connection and not handed over.
///
/// libnats receives on one thread for each connection, and hands over on one thread for all of
/// them, so messages wait in between. It limits each subscription, but not all of them together.
final class Backlog: Sendable {
  /// The approximate size of a message in memory apart from its bytes.
  static let overhead = 512

  let limit: Int
  // Relaxed, because the numbers publish no other memory.
  private let count = Atomic(0)
  private let handedOver = Atomic(0)
  private let isFull = Atomic(false)

  init(_ limit: Int) {
    self.limit = limit
  }

  /// Counts a message that libnats hands over, on libnats' thread.
  ///
  /// - Returns: Whether there may be too many now. It is true once until ``settle(at:on:)``.
  func handOver(_ size: Int, on connection: OpaquePointer) -> Bool {
    let handed = handedOver.add(Self.overhead + size, ordering: .relaxed).newValue
    // Asking libnats costs more than counting.
    return count.add(1, ordering: .relaxed).newValue % 64 == 0
      && !isFull.load(ordering: .relaxed)
      && received(on: connection) - handed > limit
      && !isFull.exchange(true, ordering: .relaxed)
  }

  /// Sets how many bytes wait.
  ///
  /// libnats never hands over the messages of subscriptions that are gone, so the number is too
  /// great after a while.
  func settle(at waiting: Int, on connection: OpaquePointer) {
    let handed = received(on: connection) - waiting
    handedOver.add(handed - handedOver.load(ordering: .relaxed), ordering: .relaxed)
    isFull.store(false, ordering: .relaxed)
  }

  private func received(on connection: OpaquePointer) -> Int {
    var statistics: OpaquePointer?
    guard natsStatistics_Create(&statistics) == NATS_OK, let statistics else { return 0 }
    defer { natsStatistics_Destroy(statistics) }
    var (messages, bytes): (UInt64, UInt64) = (0, 0)
    guard natsConnection_GetStats(connection, statistics) == NATS_OK,
      natsStatistics_GetCounts(statistics, &messages, &bytes, nil, nil, nil) == NATS_OK
    else { return 0 }
    return Int(messages) * Self.overhead + Int(bytes)
  }
}
