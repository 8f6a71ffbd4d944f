import Dispatch
import Foundation
import SignalObserver
import Synchronization

/// Checks that its payloads rise by one, and that the first is no older than the connection.
final class Follower: Sendable {
  static let gaps = Atomic<Int>(0)
  /// The last payload.
  ///
  /// If it is negative, none was received yet, and it says how small the first one may be.
  let last: Atomic<Int>
  private let isFirst = Atomic<Bool>(true)

  init(notBefore number: Int) { last = Atomic(number) }

  func receive(_ number: Int) {
    let last = last.exchange(number, ordering: .relaxed)
    let isFirst = isFirst.exchange(false, ordering: .relaxed)
    if isFirst ? number < last : number != last + 1 { Self.gaps.add(1, ordering: .relaxed) }
  }

  func receiveChange(_ old: Int, _ new: Int) {
    if new != old + 1 { Self.gaps.add(1, ordering: .relaxed) }
    receive(new)
  }
}

/// Threads that count a value up, connect to it, and cancel.
final class ValueStress: Sendable {
  private typealias Connection = (follower: Follower, observer: SignalObserver)

  private let value = EmitterValue(0)
  private let serial = DispatchQueue(label: "values.serial")
  private let concurrent = DispatchQueue(label: "values.concurrent", attributes: .concurrent)
  private let slowest = Follower(notBefore: 0)
  private let isOver = Atomic<Bool>(false)
  private let connections = Mutex<[Connection]>([])
  let connects = Atomic<Int>(0)
  var sets: Int { value.value }

  init() { value.signal.connect(slowest, Follower.receive, serial) }

  /// Sets the value again and again.
  ///
  /// It waits for the queue, so that the number of pending deliveries is limited.
  private func setUntilOver() {
    while !isOver.load(ordering: .relaxed) {
      let isBehind = value.value - slowest.last.load(ordering: .relaxed) > 10_000
      if isBehind { sched_yield() } else { value.modify { $0 += 1 } }
    }
  }

  private func connectUntilOver() {
    while !isOver.load(ordering: .relaxed) {
      let follower = Follower(notBefore: value.value)
      let observer =
        switch connects.add(1, ordering: .relaxed).newValue % 4 {
        case 0: value.signal.connect(follower, Follower.receive, .inline)
        case 1: value.signal.connect(follower, Follower.receive, serial)
        case 2: value.signal.connect(follower, Follower.receive, concurrent)
        default: value.signal.changes.connect(follower, Follower.receiveChange, .inline)
        }
      let isKept = connections.withLock { connections in
        if connections.count < 64 { connections.append((follower, observer)) }
        return connections.count < 64
      }
      if !isKept { sched_yield() }
    }
  }

  private func cancelUntilOver() {
    var random = SystemRandomNumberGenerator()
    while !isOver.load(ordering: .relaxed) {
      let connection = connections.withLock { connections -> Connection? in
        guard connections.count > 16 else { return nil }
        connections.swapAt(
          Int.random(in: connections.indices, using: &random), connections.count - 1)
        return connections.popLast()
      }
      connection?.observer.cancel()
      sched_yield()
    }
  }

  /// Runs all threads for a time, and returns the findings.
  func run(seconds: Double) async -> [String] {
    await runThreads(
      [
        (3, { self.setUntilOver() }), (2, { self.connectUntilOver() }),
        (2, { self.cancelUntilOver() }),
      ], seconds: seconds, over: { isOver.store(true, ordering: .relaxed) })
    // Every slot that is still connected gets this value, including slots of changes.
    value.modify { $0 += 1 }
    return await findings()
  }

  private func findings() async -> [String] {
    let newest = value.value
    let followers = [slowest] + connections.withLock { $0.map(\.follower) }
    for queue in [serial, concurrent] {
      await drained(queue) { self.slowest.last.load(ordering: .acquiring) >= newest }
    }
    // Other slots of the queues may have had to wait for another turn.
    for _ in 0..<12_000
    where followers.contains(where: { $0.last.load(ordering: .acquiring) < newest }) {
      try? await Task.sleep(for: .milliseconds(5))
    }
    let ends = Set(followers.map { $0.last.load(ordering: .acquiring) })
    let gaps = Follower.gaps.load(ordering: .acquiring)
    return (ends == [newest] ? [] : ["values end on \(ends.sorted()), expected \(newest)"])
      + (gaps == 0 ? [] : ["\(gaps) values are missing, doubled or old"])
  }
}
