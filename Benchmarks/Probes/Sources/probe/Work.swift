import Dispatch
import SignalObserver

/// A piece of work to be counted.
struct Work {
  let name: String
  /// The unit of the work: what is done once.
  let unit: String
  /// The number of times that it is done, which is small, because valgrind takes fifty times as
  /// long.
  let times: Int
  /// Whether it allocates the same each time.
  var isExact = true
  /// Prepares the work, and returns a function that does it a number of times.
  let prepare: () -> (Int) -> Void
}

/// The function that every slot calls.
final class Counter: @unchecked Sendable {
  private(set) var total = 0
  /// A property to which a value is bound.
  var number = 0
  /// What lives as long as the counter.
  var kept: Any?

  @inline(never)
  func add(_ number: Int) { total &+= number }

  @inline(never)
  func add(_ first: Int, _ second: Int) { total &+= first &+ second }
}

var allWork: [Work] {
  references + inlineEmissions + operators + recipes + values + deliveries + connections
}

// MARK: - Inline emissions

private var inlineEmissions: [Work] {
  [
    emission("emit-nobody") { _, _ in },
    emission("emit-closure-1") { connectClosures($0, $1, 1) },
    emission("emit-closure-100") { connectClosures($0, $1, 100) },
    emission("emit-method-1") { connectMethods($0, $1, 1) },
    emission("emit-method-100") { connectMethods($0, $1, 100) },
    emission("emit-map-100") { signal, counter in
      for _ in 0..<100 { signal.map(counter, Counter.add, { $0 &+ 1 }, nil) }
    },
    emission("emit-suspended-100") { signal, counter in
      for _ in 0..<100 { signal.connect(counter, Counter.add, .inline).suspend() }
    },
    emission("emit-after-1000-cancelled") { signal, counter in
      let observers = (0..<1000).map { _ in signal.connect(counter, Counter.add, .inline) }
      connectMethods(signal, counter, 1)
      for observer in observers { observer.cancel() }
    },
    emission("emit-after-1000-died") { signal, counter in
      for _ in 0..<1000 { signal.connect(Counter(), Counter.add, nil) }
      connectMethods(signal, counter, 1)
    },
    Work(name: "emit-two-arguments", unit: "emission", times: 2000) {
      let emitter = EmitterArg2<Int, Int>()
      let counter = Counter()
      emitter.signal.connect(counter, Counter.add, .inline)
      return { times in
        for number in 0..<times { emitter.invoke(number, 1) }
        withExtendedLifetime(counter) {}
      }
    },
    Work(name: "emit-nested", unit: "outer emission", times: 2000) {
      let outer = EmitterArg<Int>()
      let inner = EmitterArg<Int>()
      let counter = Counter()
      connectMethods(inner.signal, counter, 1)
      outer.signal.connect(on: .inline) { inner.invoke($0) }
      return { times in
        for number in 0..<times { outer.invoke(number) }
        withExtendedLifetime(counter) {}
      }
    },
    Work(name: "emit-main-at-once", unit: "emission", times: 2000) {
      let emitter = EmitterArg<Int>()
      let counter = Counter()
      emitter.signal.connect(counter, Counter.add)
      return { times in
        MainActor.assumeIsolated {
          for number in 0..<times { emitter.invoke(number) }
          withExtendedLifetime(counter) {}
        }
      }
    },
  ]
}

func emission(
  _ name: String, _ connect: @escaping (SignalArg<Int>, Counter) -> Void
) -> Work {
  Work(name: name, unit: "emission", times: 2000) {
    let emitter = EmitterArg<Int>()
    let counter = Counter()
    connect(emitter.signal, counter)
    return { times in
      for number in 0..<times { emitter.invoke(number) }
      withExtendedLifetime(counter) {}
    }
  }
}

private func connectClosures(_ signal: SignalArg<Int>, _ counter: Counter, _ count: Int) {
  for _ in 0..<count { signal.connect(on: .inline) { counter.add($0) } }
}

private func connectMethods(_ signal: SignalArg<Int>, _ counter: Counter, _ count: Int) {
  for _ in 0..<count { signal.connect(counter, Counter.add, .inline) }
}

// MARK: - Deliveries elsewhere
//
// The queue or actor is kept busy until all is emitted, so that the number of drains is the same each
// time. What the platform allocates for a drain differs a little from run to run all the same.

/// The function that a slot in another place calls.
///
/// It reports the last delivery.
final class Receiver: @unchecked Sendable {
  private var missing = 0
  private let done = DispatchSemaphore(value: 0)

  func expect(_ count: Int) { missing = count }

  func wait() { done.wait() }

  @inline(never)
  func receive(_ number: Int) {
    missing &-= 1
    if missing == 0 { done.signal() }
  }
}

actor Worker {
  func receive(_ number: Int, _ receiver: Receiver) { receiver.receive(number) }

  func flood(_ emitter: EmitterArg<Int>, _ times: Int) {
    for _ in 0..<times { emitter.invoke(1, isolation: nil) }
  }
}

private var deliveries: [Work] {
  [
    queueDelivery("deliver-queue-closure") { signal, receiver, queue in
      signal.connect(on: queue) { receiver.receive($0) }
    },
    queueDelivery("deliver-queue-method") { signal, receiver, queue in
      signal.connect(receiver, Receiver.receive, queue)
    },
    queueDelivery("deliver-queue-ten", slots: 10) { signal, receiver, queue in
      for _ in 0..<10 { signal.connect(on: queue) { receiver.receive($0) } }
    },
    Work(name: "deliver-actor", unit: "delivery in a flood", times: 12_800, isExact: false) {
      let emitter = EmitterArg<Int>()
      let worker = Worker()
      let receiver = Receiver()
      emitter.signal.connect(worker) { (worker: isolated Worker, number: Int) in
        worker.receive(number, receiver)
      }
      return { times in
        receiver.expect(times)
        Task { await worker.flood(emitter, times) }
        receiver.wait()
      }
    },
  ]
}

private func queueDelivery(
  _ name: String, slots: Int = 1,
  _ connect: @escaping (SignalArg<Int>, Receiver, DispatchQueue) -> Void
) -> Work {
  Work(name: name, unit: "delivery in a flood", times: 12_800, isExact: false) {
    let emitter = EmitterArg<Int>()
    let receiver = Receiver()
    let queue = DispatchQueue(label: "deliveries")
    connect(emitter.signal, receiver, queue)
    return { times in
      receiver.expect(times)
      queue.suspend()
      for _ in 0..<times / slots { emitter.invoke(1) }
      queue.resume()
      receiver.wait()
    }
  }
}

// MARK: - Connections

private var connections: [Work] {
  [
    Work(name: "construct-signal", unit: "emitter made and destroyed", times: 2000) {
      { times in
        for _ in 0..<times { withExtendedLifetime(EmitterArg<Int>()) {} }
      }
    },
    Work(name: "connect-closure", unit: "connection, ended with its emitter", times: 1000) {
      let counter = Counter()
      return { times in
        let emitter = EmitterArg<Int>()
        connectClosures(emitter.signal, counter, times)
      }
    },
    Work(name: "connect-method", unit: "connection, ended with its emitter", times: 1000) {
      let counter = Counter()
      return { times in
        let emitter = EmitterArg<Int>()
        connectMethods(emitter.signal, counter, times)
      }
    },
    Work(name: "connect-queue", unit: "connection, ended with its emitter", times: 1000) {
      let counter = Counter()
      let queue = DispatchQueue(label: "deliveries")
      return { times in
        let emitter = EmitterArg<Int>()
        for _ in 0..<times { emitter.signal.connect(counter, Counter.add, queue) }
      }
    },
    Work(name: "connect-and-cancel", unit: "connection beside 100 others", times: 1000) {
      let emitter = EmitterArg<Int>()
      let counter = Counter()
      connectMethods(emitter.signal, counter, 100)
      return { times in
        for _ in 0..<times { emitter.signal.connect(counter, Counter.add, .inline).cancel() }
      }
    },
    Work(name: "send-to-values", unit: "send to values(buffering: .newest(1))", times: 1000) {
      let emitter = EmitterArg<Int>()
      let values = emitter.signal.values(buffering: .newest(1))
      return { times in
        for number in 0..<times { emitter.invoke(number) }
        withExtendedLifetime(values) {}
      }
    },
    Work(name: "connect-again", unit: "cancelObservers(of:) and connect beside 100", times: 1000) {
      let emitter = EmitterArg<Int>()
      let counter = Counter()
      let others = (0..<100).map { _ in Counter() }
      for other in others { emitter.signal.connect(other, Counter.add, .inline) }
      return { times in
        for _ in 0..<times {
          emitter.signal.cancelObservers(of: counter)
          emitter.signal.connect(counter, Counter.add, .inline)
        }
        withExtendedLifetime(others) {}
      }
    },
    cancelling("cancel-in-order") { $0 },
    cancelling("cancel-in-reverse") { $0.reversed() },
    cancelling("cancel-at-random") { observers in
      // A stride that has no factor in common with the count visits each once.
      observers.indices.map { observers[$0 * 617 % observers.count] }
    },
  ]
}

private func cancelling(
  _ name: String, _ order: @escaping ([SignalObserver]) -> [SignalObserver]
) -> Work {
  Work(name: name, unit: "connection made and cancelled", times: 1000) {
    let counter = Counter()
    return { times in
      let emitter = EmitterArg<Int>()
      let observers = (0..<times).map { _ in emitter.signal.connect(counter, Counter.add, .inline) }
      for observer in order(observers) { observer.cancel() }
    }
  }
}
