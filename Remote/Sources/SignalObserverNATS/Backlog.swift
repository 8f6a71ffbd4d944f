import CNats
import Synchronization

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
