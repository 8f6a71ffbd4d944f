import Dispatch
import Foundation
import Peers
import Synchronization

private func counters(_ count: Int) -> [Counter] { (0..<count).map { _ in Counter() } }

private func check(_ targets: [Counter], _ emissions: Int, _ peer: String) {
  precondition(targets.allSatisfy { $0.total >= emissions }, "\(peer) lost an emission")
}

// MARK: - Inline emission

func measureInline(_ results: inout Results) {
  for slots in [0, 1, 10, 100, 1000] {
    results.compare("emit", slots: slots, subjects.map { emission($0, slots) })
  }
  for slots in [1, 100] {
    results.compare(
      "emit through map", slots: slots, mapSubjects.map { emission($0, slots) })
  }
  results.compare(
    "emit after 1000 targets died", slots: 10,
    subjects.filter { $0.isWeak }.flatMap { subject in
      [
        emission(subject, 10, dead: 1000),
        emission(subject, 10, dead: 0, as: "\(subject.name), none died"),
      ]
    })
}

private func emission(
  _ type: any Subject.Type, _ slots: Int, dead: Int = 0, as name: String? = nil
) -> Contender {
  // These are kept for all rounds, because only emitting is timed.
  let subject = type.init()
  subject.connect(counters(dead))
  let targets = counters(slots)
  subject.connect(targets)
  // Lets those that tidy up when they emit do so.
  subject.emit(1)
  let times = 300_000 / (slots + 10) + 1
  return Contender(peer: name ?? type.name) {
    let before = targets.first?.total ?? 0
    let result = time(times) { subject.emit(times) }
    check(targets, before + times, type.name)
    return result
  }
}

// MARK: - Connect, cancel, construct

func measureConnections(_ results: inout Results) {
  results.compare(
    "construct and destroy", slots: 0,
    subjects.map { type in
      Contender(peer: type.name) { time(5000) { type.construct(5000) } }
    })
  for slots in [10, 100, 1000] {
    results.compare(
      "connect", slots: slots,
      subjects.map { type in repeated(type, slots) { connecting($0, slots) } })
    for (name, order) in orders(slots) {
      results.compare(
        "cancel \(name)", slots: slots,
        subjects.map { type in repeated(type, slots) { cancelling($0, order) } })
    }
  }
  for slots in [0, 100] {
    results.compare(
      "connect and cancel", slots: slots,
      subjects.map { type in
        let subject = type.init()
        let targets = counters(slots + 1)
        subject.connect(Array(targets.dropLast()))
        return Contender(peer: type.name) { time(3000) { subject.churn(targets[slots], 3000) } }
      })
  }
}

private func orders(_ slots: Int) -> [(String, [Int])] {
  // A prime that divides none of the sizes, so that the stride visits each slot once.
  [
    ("in order", Array(0..<slots)), ("in reverse", Array((0..<slots).reversed())),
    ("at random", (0..<slots).map { $0 * 61_027 % slots }),
  ]
}

/// A few fresh signals a round, so that the clock is not what is measured.
private func repeated(
  _ type: any Subject.Type, _ slots: Int, _ once: @escaping (any Subject.Type) -> Double
) -> Contender {
  let times = max(1, 1000 / slots)
  return Contender(peer: type.name) {
    (0..<times).reduce(0) { sum, _ in sum + once(type) } / Double(times)
  }
}

private func connecting(_ type: any Subject.Type, _ slots: Int) -> Double {
  let subject = type.init()
  let targets = counters(slots)
  let result = time(slots) { subject.connect(targets) }
  subject.emit(1)
  check(targets, 1, type.name)
  return result
}

private func cancelling(_ type: any Subject.Type, _ order: [Int]) -> Double {
  let subject = type.init()
  let targets = counters(order.count)
  subject.connect(targets)
  let result = time(order.count) { subject.cancel(order) }
  subject.emit(1)
  precondition(targets.allSatisfy { $0.total == 0 }, "\(type.name) called a cancelled slot")
  return result
}

// MARK: - Two threads

func measureThreads(_ results: inout Results) {
  let shared = subjects.filter { $0.isThreadSafe }
  for slots in [1, 10, 100] {
    results.compare(
      "two threads emit", slots: slots,
      shared.map { type in
        let subject = type.init()
        let targets = counters(slots)
        subject.connect(targets)
        let times = 200_000 / (slots + 10)
        return Contender(peer: type.name) {
          // Slots that hold their target weakly need it.
          withExtendedLifetime(targets) {
            besides({ subject.emit(times) }, time(times) { subject.emit(times) })
          }
        }
      })
  }
  results.compare(
    "emit while another thread connects and cancels", slots: 10,
    shared.map { type in
      let subject = type.init()
      let targets = counters(11)
      subject.connect(Array(targets.dropLast()))
      let isDone = Done()
      return Contender(peer: type.name) {
        isDone.value.store(false, ordering: .sequentiallyConsistent)
        let churn: @Sendable () -> Void = {
          while !isDone.value.load(ordering: .relaxed) { subject.churn(targets[10], 50) }
        }
        let measured = {
          let result = time(5000) { subject.emit(5000) }
          isDone.value.store(true, ordering: .sequentiallyConsistent)
          return result
        }
        return besides(churn, measured())
      }
    })
}

private final class Done: Sendable {
  let value = Atomic<Bool>(false)
}

/// Runs `other` on a second thread, and `measured` here once both have started.
private func besides(_ other: @escaping @Sendable () -> Void, _ measured: @autoclosure () -> Double)
  -> Double
{
  let ready = DispatchSemaphore(value: 0)
  let ended = DispatchSemaphore(value: 0)
  let thread = Thread {
    ready.signal()
    other()
    ended.signal()
  }
  thread.start()
  ready.wait()
  let result = measured()
  ended.wait()
  return result
}

// MARK: - Growth

func measureGrowth(_ results: inout Results) {
  let few = subjects.filter { growing.contains($0.name) }
  for slots in [1, 10, 100, 1000, 10_000, 100_000] {
    results.compare("growth: emit, each slot", slots: slots, few.map { growth($0, slots) })
    results.compare(
      "growth: connect", slots: slots,
      few.map { type in
        repeated(type, slots) { type in
          let subject = type.init()
          let targets = counters(slots)
          return time(slots) { subject.connect(targets) }
        }
      })
    // Removal from an array by hand is quadratic: a minute a round at the last size.
    let cancellers = slots > 1000 ? few.filter { !$0.name.hasPrefix("by hand") } : few
    results.compare(
      "growth: cancel at random", slots: slots,
      cancellers.map { type in
        let order = (0..<slots).map { $0 * 61_027 % slots }
        return repeated(type, slots) { type in
          let subject = type.init()
          let targets = counters(slots)
          subject.connect(targets)
          return time(slots) { subject.cancel(order) }
        }
      })
  }
}

private let growing = [
  OurClosures.name, OurMethods.name, HandLockedClosures.name, CombineClosures.name,
]

private func growth(_ type: any Subject.Type, _ slots: Int) -> Contender {
  let subject = type.init()
  let targets = counters(slots)
  subject.connect(targets)
  let times = max(1, 100_000 / slots)
  return Contender(peer: type.name) {
    withExtendedLifetime(targets) { time(times * slots) { subject.emit(times) } }
  }
}

// MARK: - Elsewhere

func measureHops(_ results: inout Results) {
  for place in ["queue", "main", "actor", "here"] {
    let peers = hops.filter { $0.place == place }
    results.compare("flood, \(place)", slots: 1, peers.map { flood($0) })
    if place != "here" {
      results.compare("latency, \(place)", slots: 1, peers.map { latency($0) })
    }
  }
}

/// What waits for one queue: from several slots, from several threads, and at a steady rate.
func measureFloods(_ results: inout Results) {
  for place in ["ten slots of one queue", "two signals in turn to one queue"] {
    let peers = sharedQueues.filter { $0.place == place }
    results.compare("flood, \(place)", slots: peers[0].slots, peers.map { flood($0) })
  }
  let onQueue: [any Hop.Type] = [
    OurQueueClosure.self, OurQueueMethod.self, HandMailbox.self, QueueAsync.self,
  ]
  for threads in [1, 2, 4] {
    results.compare(
      "flood by \(threads) thread\(threads == 1 ? "" : "s")", slots: 1,
      onQueue.map { flood($0, threads: threads) })
  }
  results.compare("emitting thread in a flood", slots: 1, onQueue.map { emitting($0) })
  results.compare(
    "emitting thread, queue suspended", slots: 1, onQueue.map { emitting($0, isSuspended: true) })
  for rate in [1000, 10_000, 100_000] {
    results.compare("latency, 99th percentile at \(rate) a second", slots: 1, paced(rate))
  }
}

/// From the first emission of any thread to the end of the last delivery.
private func flood(_ type: any Hop.Type, threads: Int) -> Contender {
  let receiver = Receiver()
  let hop = type.init(receiver)
  let events = 200_000
  return Contender(peer: type.name) {
    receiver.expect(events)
    let start = Start(threads)
    for _ in 0..<threads {
      Thread {
        start.pass()
        hop.flood(events / threads)
      }.start()
    }
    let end = receiver.wait()
    return Double(end - start.time) / Double(events)
  }
}

/// Lets a number of threads start once all of them have arrived, and returns the time of that.
private final class Start: Sendable {
  private let missing: Atomic<Int>
  private let passed = Atomic<UInt64>(0)

  init(_ threads: Int) { missing = Atomic(threads) }

  var time: UInt64 { passed.load(ordering: .acquiring) }

  func pass() {
    if missing.subtract(1, ordering: .acquiringAndReleasing).newValue == 0 {
      passed.store(now(), ordering: .releasing)
    }
    while passed.load(ordering: .acquiring) == 0 { sched_yield() }
  }
}

/// The time that the emitting thread alone takes for each event.
private func emitting(_ type: any Hop.Type, isSuspended: Bool = false) -> Contender {
  let receiver = Receiver()
  let hop = type.init(receiver)
  let events = 200_000
  return Contender(peer: type.name) {
    receiver.expect(events)
    if isSuspended { hop.target?.suspend() }
    let result = time(events) { hop.flood(events) }
    if isSuspended { hop.target?.resume() }
    _ = receiver.wait()
    return result
  }
}

/// The latencies of one round; only the queue of the peer whose turn it is adds to them.
private final class Latencies: @unchecked Sendable {
  private var times: [Int] = []
  private var missing = 0
  private let done = DispatchSemaphore(value: 0)

  func expect(_ count: Int) {
    times.removeAll(keepingCapacity: true)
    times.reserveCapacity(count)
    missing = count
  }

  func receive(_ sent: Int) {
    times.append(Int(now()) - sent)
    missing -= 1
    if missing == 0 { done.signal() }
  }

  /// Once all are there: the time that only one in a hundred takes longer than.
  func percentile() -> Double {
    precondition(done.wait(timeout: .now() + 30) == .success, "a delivery was lost")
    return Double(times.sorted()[times.count * 99 / 100])
  }
}

private func paced(_ rate: Int) -> [Contender] {
  let latencies = Latencies()
  let events = rate / 3
  return Paced.all { latencies.receive($0) }.map { peer in
    Contender(peer: peer.name) {
      latencies.expect(events)
      let start = Int(now())
      for event in 0..<events {
        let due = start + event * 1_000_000_000 / rate
        // Sleeping would be less exact than the time that is measured.
        while Int(now()) < due {}
        peer.send(Int(now()))
      }
      return latencies.percentile()
    }
  }
}

/// From the first emission to the end of the last delivery.
private func flood(_ type: any Hop.Type) -> Contender {
  let receiver = Receiver()
  let hop = type.init(receiver)
  // It waits for each event, at 40 microseconds.
  let events = type.name.hasPrefix("NotificationCenter") ? 500 : 200_000
  return Contender(peer: type.name) {
    receiver.expect(events * type.slots)
    let start = now()
    hop.flood(events)
    return Double(receiver.wait() - start) / Double(events)
  }
}

/// From an emission to the call of the slot, where nothing else happens.
private func latency(_ type: any Hop.Type) -> Contender {
  let receiver = Receiver()
  let hop = type.init(receiver)
  return Contender(peer: type.name) {
    let times = (0..<60).map { _ in
      // Long enough for the threads that deliver to fall asleep.
      usleep(200)
      receiver.expect(1)
      let start = now()
      hop.flood(1)
      return Double(receiver.wait() - start)
    }
    return times.sorted()[times.count / 2]
  }
}
