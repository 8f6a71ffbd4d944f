import CNats
import Dispatch

/// The subscriptions of one connection, each kept until libnats no longer uses it.
///
/// libnats' reader takes a subscription from its table and uses it without holding it. If a
/// subscription were destroyed right after its removal, the reader might still use it. A removed
/// subscription is therefore destroyed later. One moment is when a PONG answers a PING that was
/// sent after the removal, because the reader has then finished every message before that PONG. The
/// other is when the connection and its reader have ended.
///
/// `@unchecked Sendable`: everything is used on the link's wire queue, or by the last owner.
final class Subscriptions: @unchecked Sendable {
  private var live: [ObjectIdentifier: OpaquePointer] = [:]
  private var removed: [OpaquePointer] = []
  /// The receivers that libnats may call once more, because the connection ended while the bus
  /// subscribed.
  private var interrupted: [Unmanaged<Inlet>] = []

  /// The number of subscriptions that are removed and not destroyed.
  var removedCount: Int { removed.count }

  func add(_ inlet: Inlet, on connection: OpaquePointer) -> natsStatus {
    remove(inlet)
    var subscription: OpaquePointer?
    // This reference is released when libnats has made its last call.
    let closure = Unmanaged.passRetained(inlet)
    let status = natsConnection_Subscribe(
      &subscription, connection, inlet.subject, received, closure.toOpaque())
    guard status == NATS_OK, let subscription else {
      closure.release()
      return status
    }
    live[ObjectIdentifier(inlet)] = subscription
    if natsSubscription_SetOnCompleteCB(subscription, completed, closure.toOpaque()) != NATS_OK {
      interrupted.append(closure)
      return NATS_CONNECTION_CLOSED
    }
    // The callback only adds messages to a bounded buffer, so they wait here only while the thread
    // does not run.
    natsSubscription_SetPendingLimits(subscription, 1 << 20, 256 << 20)
    return NATS_OK
  }

  func remove(_ inlet: Inlet) {
    guard let subscription = live.removeValue(forKey: ObjectIdentifier(inlet)) else { return }
    natsSubscription_Unsubscribe(subscription)
    removed.append(subscription)
  }

  /// Destroys the first `count` subscriptions that were removed, because a PONG has answered a PING
  /// behind them.
  func destroyRemoved(_ count: Int) {
    for subscription in removed.prefix(count) { natsSubscription_Destroy(subscription) }
    removed.removeFirst(count)
  }

  /// Destroys every subscription, because the connection has ended.
  func destroyAll() {
    for subscription in live.values { natsSubscription_Destroy(subscription) }
    live = [:]
    destroyRemoved(removed.count)
    if interrupted.isEmpty { return }
    // libnats does not say when it has made its last call for these. It is a matter of
    // microseconds.
    let inlets = interrupted
    interrupted = []
    DispatchQueue.global().asyncAfter(deadline: .now() + .seconds(10)) {
      for inlet in inlets { inlet.release() }
    }
  }
}

// The closure is the inlet that `add` has retained. It lives until `completed` releases it, which
// libnats calls last.

private let received: natsMsgHandler = { _, _, message, closure in
  guard let message, let closure else { return }
  Unmanaged<Inlet>.fromOpaque(closure).takeUnretainedValue().receive(RawMessage(pointer: message))
}

private let completed: natsOnCompleteCB = { closure in
  guard let closure else { return }
  Unmanaged<Inlet>.fromOpaque(closure).release()
}
