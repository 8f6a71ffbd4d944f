import AsyncAlgorithms
import Dispatch
import Foundation
import OpenCombine
import OpenCombineDispatch
import SignalObserver
import Synchronization

/// Counts deliveries, whichever threads make them, and knows the time of the last one.
package final class Receiver: Sendable {
  private let missing = Atomic<Int>(0)
  private let lastCall = Atomic<UInt64>(0)
  private let done = DispatchSemaphore(value: 0)

  package init() {}

  package func expect(_ count: Int) { missing.store(count, ordering: .sequentiallyConsistent) }

  /// Waits for the last delivery, and returns when it was made.
  package func wait() -> UInt64 {
    precondition(done.wait(timeout: .now() + 30) == .success, "a delivery was lost")
    return lastCall.load(ordering: .acquiring)
  }

  @inline(never)
  package func receive(_ number: Int) {
    if missing.wrappingSubtract(1, ordering: .acquiringAndReleasing).newValue == 0 {
      lastCall.store(DispatchTime.now().uptimeNanoseconds, ordering: .releasing)
      done.signal()
    }
  }
}

/// A peer with one slot that runs elsewhere.
package protocol Hop: AnyObject, Sendable {
  static var name: String { get }
  /// Where the slot runs: `queue`, `main`, `actor` or `here` (at once, since the emission is there).
  static var place: String { get }

  init(_ receiver: Receiver)
  /// The queue that the slot runs on, if it may be suspended.
  var target: DispatchQueue? { get }
  /// How often the receiver is told of each emission.
  static var slots: Int { get }
  /// Emits so many times; the receiver is told of each, later.
  func flood(_ times: Int)
  /// Ends what would otherwise wait for more.
  func end()
}

extension Hop {
  package var target: DispatchQueue? { nil }
  package static var slots: Int { 1 }
  package func end() {}
}

@MainActor
final class MainTarget {
  let receiver: Receiver

  nonisolated init(_ receiver: Receiver) { self.receiver = receiver }

  func receive(_ number: Int) { receiver.receive(number) }
}

actor ActorTarget {
  let receiver: Receiver

  init(_ receiver: Receiver) { self.receiver = receiver }

  func receive(_ number: Int) { receiver.receive(number) }
  func receiveLater(_ number: Int) async { receiver.receive(number) }
}

@globalActor
package actor Worker {
  package static let shared = Worker()
}

@Worker
final class WorkerTarget {
  let receiver: Receiver

  nonisolated init(_ receiver: Receiver) { self.receiver = receiver }

  func receive(_ number: Int) { receiver.receive(number) }
}

// MARK: - Ours

package class OurHop: @unchecked Sendable {
  let emitter = EmitterArg<Int>()
  let queue = DispatchQueue(label: "deliveries")
  let receiver: Receiver

  package required init(_ receiver: Receiver) {
    self.receiver = receiver
    connect(receiver)
  }

  func connect(_ receiver: Receiver) { fatalError("every kind connects its own slot") }

  package func flood(_ times: Int) {
    for _ in 0..<times { emitter.invoke(1) }
  }
}

package final class OurQueueClosure: OurHop, Hop, @unchecked Sendable {
  package static let name = "SignalObserver, closure on a queue"
  package static let place = "queue"
  package var target: DispatchQueue? { queue }

  override func connect(_ receiver: Receiver) {
    emitter.signal.connect(on: queue) { receiver.receive($0) }
  }
}

package final class OurQueueMethod: OurHop, Hop, @unchecked Sendable {
  package static let name = "SignalObserver, method on a queue"
  package static let place = "queue"
  package var target: DispatchQueue? { queue }

  override func connect(_ receiver: Receiver) {
    emitter.signal.connect(receiver, Receiver.receive, queue)
  }
}

package final class OurConcurrentQueue: OurHop, Hop, @unchecked Sendable {
  package static let name = "SignalObserver, method on a concurrent queue"
  package static let place = "queue"

  override func connect(_ receiver: Receiver) {
    emitter.signal.connect(
      receiver, Receiver.receive, DispatchQueue(label: "concurrent", attributes: .concurrent))
  }
}

package final class OurMain: OurHop, Hop, @unchecked Sendable {
  package static let name = "SignalObserver, method of the main actor"
  package static let place = "main"
  private var target: MainTarget?

  override func connect(_ receiver: Receiver) {
    let target = MainTarget(receiver)
    self.target = target
    emitter.signal.connect(target, MainTarget.receive)
  }
}

package final class OurMainAtOnce: OurHop, Hop, @unchecked Sendable {
  package static let name = "SignalObserver, method of the main actor"
  package static let place = "here"
  private var target: MainTarget?

  override func connect(_ receiver: Receiver) {
    let target = MainTarget(receiver)
    self.target = target
    emitter.signal.connect(target, MainTarget.receive)
  }

  override package func flood(_ times: Int) {
    DispatchQueue.main.sync {
      MainActor.assumeIsolated {
        for _ in 0..<times { emitter.invoke(1) }
      }
    }
  }
}

package final class OurActor: OurHop, Hop, @unchecked Sendable {
  package static let name = "SignalObserver, closure on an actor"
  package static let place = "actor"
  private var target: ActorTarget?

  override func connect(_ receiver: Receiver) {
    let target = ActorTarget(receiver)
    self.target = target
    emitter.signal.connect(target) { (target: isolated ActorTarget, number: Int) in
      target.receive(number)
    }
  }
}

package final class OurGlobalActor: OurHop, Hop, @unchecked Sendable {
  package static let name = "SignalObserver, method of a global actor"
  package static let place = "actor"
  private var target: WorkerTarget?

  override func connect(_ receiver: Receiver) {
    let target = WorkerTarget(receiver)
    self.target = target
    emitter.signal.connect(target, WorkerTarget.receive)
  }
}

package final class OurAsyncMethod: OurHop, Hop, @unchecked Sendable {
  package static let name = "SignalObserver, async method of an actor"
  package static let place = "actor"
  private var target: ActorTarget?

  override func connect(_ receiver: Receiver) {
    let target = ActorTarget(receiver)
    self.target = target
    emitter.signal.connect(target, ActorTarget.receiveLater)
  }
}

// MARK: - Queues

package final class QueueAsync: Hop {
  package static let name = "queue.async for each event"
  package static let place = "queue"
  private let receiver: Receiver
  private let queue = DispatchQueue(label: "deliveries")
  package var target: DispatchQueue? { queue }

  package init(_ receiver: Receiver) { self.receiver = receiver }

  package func flood(_ times: Int) {
    for _ in 0..<times { queue.async { [receiver] in receiver.receive(1) } }
  }
}

package final class CombineQueue: Hop, @unchecked Sendable {
  package static let name = "OpenCombine receive(on: queue)"
  package static let place = "queue"
  private let subject = PassthroughSubject<Int, Never>()
  private let token: AnyCancellable

  package init(_ receiver: Receiver) {
    let queue = DispatchQueue(label: "deliveries")
    token = subject.receive(on: queue.ocombine).sink { receiver.receive($0) }
  }

  package func flood(_ times: Int) {
    for _ in 0..<times { subject.send(1) }
  }
}

/// `post` waits until the block has run.
package final class NotificationQueue: Hop, @unchecked Sendable {
  package static let name = "NotificationCenter, OperationQueue"
  package static let place = "queue"
  private static let changed = Notification.Name("changed")
  private let center = NotificationCenter()
  private let queue = OperationQueue()
  private let token: any NSObjectProtocol

  package init(_ receiver: Receiver) {
    queue.maxConcurrentOperationCount = 1
    token = center.addObserver(forName: Self.changed, object: nil, queue: queue) { _ in
      receiver.receive(1)
    }
  }

  package func flood(_ times: Int) {
    for _ in 0..<times { center.post(name: Self.changed, object: nil) }
  }
}

// MARK: - Tasks and actors

package final class TaskMain: Hop {
  package static let name = "a Task on the main actor for each event"
  package static let place = "main"
  private let target: MainTarget

  package init(_ receiver: Receiver) { target = MainTarget(receiver) }

  package func flood(_ times: Int) {
    for _ in 0..<times { Task { @MainActor [target] in target.receive(1) } }
  }
}

package final class MainAsync: Hop {
  package static let name = "DispatchQueue.main.async for each event"
  package static let place = "main"
  private let target: MainTarget

  package init(_ receiver: Receiver) { target = MainTarget(receiver) }

  package func flood(_ times: Int) {
    for _ in 0..<times {
      DispatchQueue.main.async { [target] in MainActor.assumeIsolated { target.receive(1) } }
    }
  }
}

package final class CombineMain: Hop, @unchecked Sendable {
  package static let name = "OpenCombine receive(on: DispatchQueue.main)"
  package static let place = "main"
  private let subject = PassthroughSubject<Int, Never>()
  private let token: AnyCancellable

  package init(_ receiver: Receiver) {
    let target = MainTarget(receiver)
    token = subject.receive(on: DispatchQueue.main.ocombine).sink { number in
      MainActor.assumeIsolated { target.receive(number) }
    }
  }

  package func flood(_ times: Int) {
    for _ in 0..<times { subject.send(1) }
  }
}

package final class TaskActor: Hop {
  package static let name = "a Task on an actor for each event"
  package static let place = "actor"
  private let target: ActorTarget

  package init(_ receiver: Receiver) { target = ActorTarget(receiver) }

  package func flood(_ times: Int) {
    for _ in 0..<times { Task { [target] in await target.receive(1) } }
  }
}

package final class StreamActor: Hop {
  package static let name = "AsyncStream, for await calls an actor"
  package static let place = "actor"
  private let continuation: AsyncStream<Int>.Continuation

  package init(_ receiver: Receiver) {
    let (stream, continuation) = AsyncStream.makeStream(of: Int.self)
    self.continuation = continuation
    let target = ActorTarget(receiver)
    Task { for await number in stream { await target.receive(number) } }
  }

  package func flood(_ times: Int) {
    for _ in 0..<times { continuation.yield(1) }
  }

  package func end() { continuation.finish() }
}

package final class StreamMain: Hop {
  package static let name = "AsyncStream, for await on the main actor"
  package static let place = "main"
  private let continuation: AsyncStream<Int>.Continuation

  package init(_ receiver: Receiver) {
    let (stream, continuation) = AsyncStream.makeStream(of: Int.self)
    self.continuation = continuation
    let target = MainTarget(receiver)
    Task { @MainActor in for await number in stream { target.receive(number) } }
  }

  package func flood(_ times: Int) {
    for _ in 0..<times { continuation.yield(1) }
  }

  package func end() { continuation.finish() }
}

/// The sender waits for the receiver at each event.
package final class Channel: Hop {
  package static let name = "AsyncChannel, for await calls an actor"
  package static let place = "actor"
  private let channel = AsyncChannel<Int>()

  package init(_ receiver: Receiver) {
    let target = ActorTarget(receiver)
    Task { [channel] in for await number in channel { await target.receive(number) } }
  }

  package func flood(_ times: Int) {
    Task { [channel] in
      for _ in 0..<times { await channel.send(1) }
    }
  }

  package func end() { channel.finish() }
}

/// A method called directly on the main actor: what no signal can beat.
package final class DirectCall: Hop {
  package static let name = "a direct call"
  package static let place = "here"
  private let target: MainTarget

  package init(_ receiver: Receiver) { target = MainTarget(receiver) }

  package func flood(_ times: Int) {
    DispatchQueue.main.sync {
      MainActor.assumeIsolated {
        for _ in 0..<times { target.receive(1) }
      }
    }
  }
}

/// Every peer with a slot that runs elsewhere.
///
/// To add one, conform to `Hop` and name it here.
package let hops: [any Hop.Type] = [
  OurQueueClosure.self, OurQueueMethod.self, OurConcurrentQueue.self, QueueAsync.self,
  HandMailbox.self, CombineQueue.self, NotificationQueue.self,
  OurMain.self, TaskMain.self, MainAsync.self, StreamMain.self, CombineMain.self,
  OurActor.self, OurGlobalActor.self, OurAsyncMethod.self, TaskActor.self, StreamActor.self,
  Channel.self,
  OurMainAtOnce.self, DirectCall.self,
]
