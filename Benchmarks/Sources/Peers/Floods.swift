import Dispatch
import SignalObserver
import Synchronization

// The code that a careful engineer writes for slots that run elsewhere, and this library beside it,
// for many slots that wait for one queue.

/// An array behind a lock that one block at a time empties.
final class Mailbox: Sendable {
  private let pending = Mutex<[Int]>([])
  private let queue: DispatchQueue
  private let receive: @Sendable (Int) -> Void

  init(_ queue: DispatchQueue, _ receive: @escaping @Sendable (Int) -> Void) {
    self.queue = queue
    self.receive = receive
  }

  private func drain() {
    let numbers = pending.withLock { pending in
      defer { pending = [] }
      return pending
    }
    for number in numbers { receive(number) }
  }

  func send(_ number: Int) {
    let isFirst = pending.withLock { pending in
      pending.append(number)
      return pending.count == 1
    }
    if isFirst { queue.async { self.drain() } }
  }
}

package final class HandMailbox: Hop {
  package static let name = "by hand, array and one block"
  package static let place = "queue"
  private let queue = DispatchQueue(label: "deliveries")
  private let mailbox: Mailbox
  package var target: DispatchQueue? { queue }

  package init(_ receiver: Receiver) { mailbox = Mailbox(queue) { receiver.receive($0) } }

  package func flood(_ times: Int) {
    for _ in 0..<times { mailbox.send(1) }
  }
}

// MARK: - Ten slots of one queue

package final class OurTenSlots: OurHop, Hop, @unchecked Sendable {
  package static let name = "SignalObserver, ten closures on a queue"
  package static let place = "ten slots of one queue"
  package static let slots = 10

  override func connect(_ receiver: Receiver) {
    for _ in 0..<Self.slots { emitter.signal.connect(on: queue) { receiver.receive($0) } }
  }
}

package final class HandTenMailboxes: Hop {
  package static let name = "by hand, ten arrays and one block each"
  package static let place = "ten slots of one queue"
  package static let slots = 10
  private let mailboxes: [Mailbox]

  package init(_ receiver: Receiver) {
    let queue = DispatchQueue(label: "deliveries")
    mailboxes = (0..<Self.slots).map { _ in Mailbox(queue) { receiver.receive($0) } }
  }

  package func flood(_ times: Int) {
    for _ in 0..<times {
      for mailbox in mailboxes { mailbox.send(1) }
    }
  }
}

// MARK: - Two signals in turn

package final class OurTwoSignals: OurHop, Hop, @unchecked Sendable {
  package static let name = "SignalObserver, closures of two signals on a queue"
  package static let place = "two signals in turn to one queue"
  private let other = EmitterArg<Int>()

  override func connect(_ receiver: Receiver) {
    emitter.signal.connect(on: queue) { receiver.receive($0) }
    other.signal.connect(on: queue) { receiver.receive($0) }
  }

  package override func flood(_ times: Int) {
    for _ in 0..<times / 2 {
      emitter.invoke(1)
      other.invoke(1)
    }
  }
}

/// One array for both, which keeps their order.
package final class HandTwoSenders: Hop {
  package static let name = "by hand, array and one block for both"
  package static let place = "two signals in turn to one queue"
  private let mailbox: Mailbox

  package init(_ receiver: Receiver) {
    mailbox = Mailbox(DispatchQueue(label: "deliveries")) { receiver.receive($0) }
  }

  package func flood(_ times: Int) {
    for _ in 0..<times { mailbox.send(1) }
  }
}

// MARK: - Events at a steady rate

/// A peer that is sent the time at which it is sent, for a slot on a queue.
package struct Paced: Sendable {
  package let name: String
  package let send: @Sendable (Int) -> Void

  /// The peers, each with a queue of its own, whose slots call `receive`.
  package static func all(_ receive: @escaping @Sendable (Int) -> Void) -> [Paced] {
    let queue = DispatchQueue(label: "deliveries")
    let emitter = EmitterArg<Int>()
    emitter.signal.connect(on: queue) { receive($0) }
    let mailbox = Mailbox(DispatchQueue(label: "deliveries"), receive)
    let other = DispatchQueue(label: "deliveries")
    return [
      Paced(name: OurQueueClosure.name) { emitter.invoke($0) },
      Paced(name: QueueAsync.name) { number in other.async { receive(number) } },
      Paced(name: HandMailbox.name) { mailbox.send($0) },
    ]
  }
}

/// Every peer with several slots of one queue.
///
/// To add one, conform to `Hop` and name it here.
package let sharedQueues: [any Hop.Type] = [
  OurTenSlots.self, HandTenMailboxes.self, OurTwoSignals.self, HandTwoSenders.self,
]
