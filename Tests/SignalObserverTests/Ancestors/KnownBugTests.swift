import Dispatch
import Synchronization
import Testing

@testable import SignalObserver

/// What has gone wrong in libraries of this kind, and no other case shows.
@Suite(.serialized, .inTurn, .timeLimit(.minutes(5)), .nothingLeft) struct KnownBugTests {
  let made = Made.current

  @Test func `12. An emission does not walk over slots that were cancelled long ago`() {
    let emitter = made.emitter()
    let observers = (0..<20_000).map { _ in emitter.signal.connect(on: .inline) {} }
    for (index, observer) in observers.enumerated() where index % 1000 != 0 { observer.cancel() }

    // The twenty that are left, and the empty places that are not worth moving.
    #expect(emitter.signal.list.snapshot.connections.count <= 20 + 8)
    #expect(emitter.signal.slotCount == 20)
  }

  @Test func `12. An emission does not walk over empty places before the last slots`() {
    let emitter = made.emitter()
    let observers = (0..<20_000).map { _ in emitter.signal.connect(on: .inline) {} }
    // Less than a quarter, which is not worth moving yet. The others are removed from the end.
    for observer in observers[..<5000] { observer.cancel() }
    for observer in observers[5020...].reversed() { observer.cancel() }

    #expect(emitter.signal.list.snapshot.connections.count <= 20 + 8)
    #expect(emitter.signal.slotCount == 20)
  }

  @Test(arguments: ["forward", "reverse", "random"])
  func `B10 a hundred thousand connections are cancelled in any order`(order: String) {
    let emitter = made.emitter()
    let observers = (0..<100_000).map { _ in emitter.signal.connect(on: .inline) {} }
    var numbers = Numbers(seed: 1)
    let ordered =
      switch order {
      case "forward": observers
      case "reverse": Array(observers.reversed())
      default: observers.shuffled(using: &numbers)
      }

    // Looking for each one in the list would be 5,000,000,000 steps: `Benchmarks/Probes` has the time.
    for observer in ordered { observer.cancel() }

    #expect(emitter.signal.slotCount == 0)
  }

  @Test func `B22 a slot connected while others emit misses nothing that is emitted after`() {
    for _ in 0..<200 {
      let emitter = made.emitter(Int.self)
      // Never ends an emission early for want of slots.
      emitter.signal.connect(on: .inline) { _ in }
      let begun = Atomic<Int>(0)
      let seen = Log()
      let firstAfter = Box(0)
      onThreads(2) { index in
        if index == 0 {
          for value in 1...100 {
            begun.store(value, ordering: .releasing)
            emitter.invoke(value)
          }
        } else {
          emitter.signal.connect(on: .inline) { seen.add("\($0)") }
          firstAfter.value = begun.load(ordering: .acquiring) + 1
        }
      }
      let values = seen.entries.compactMap { Int($0) }
      let first = values.first ?? 101

      #expect(values == Array(first..<101))
      #expect(first <= firstAfter.value ?? 0)
    }
  }

  @Test func `B24 cancelling an asynchronous slot while it runs does not wait for it`() async {
    let emitter = made.emitter()
    let log = Log()
    let observers = (0..<20).map { _ in
      emitter.signal.connect { () async in
        log.add("waiting")
        await withTaskCancellationHandler {
          while !Task.isCancelled { await Task.yield() }
          log.add("returned")
        } onCancel: {
          emitter.cancelAllObservers()
        }
      }
    }
    emitter.invoke()
    _ = await log.entries(20)

    await onThread { onThreads(2) { _ in for observer in observers { observer.cancel() } } }

    #expect(await log.entries(40).count { $0 == "returned" } == 20)
  }
}
