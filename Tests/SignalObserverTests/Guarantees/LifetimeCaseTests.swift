import CSanitizers
import Dispatch
import Foundation
import SignalObserver
import Testing

@Suite(.serialized, .inTurn, .timeLimit(.minutes(5)), .nothingLeft) struct LifetimeCaseTests {
  let log = Log()
  let made = Made.current
  let queue = DispatchQueue(label: "cases")

  @Test func `L1 a new target at the address of a dead one is not taken for it`() {
    let emitter = made.emitter(Int.self)
    var addresses: Set<ObjectIdentifier> = []
    for value in 0..<10_000 {
      let target = Tally()
      addresses.insert(ObjectIdentifier(target))
      let observer = emitter.signal.connect(target, Tally.add, .inline)
      if value % 2 == 0 { emitter.invoke(value) }
      #expect(!observer.isCancelled)
      #expect(target.calls.count == 1 - value % 2)
    }

    // AddressSanitizer uses no address twice for as long as it can.
    #expect(
      addresses.count < 10_000 || built_with_address_sanitizer(), "no address was used twice")
    #expect(emitter.signal.slotCount == 0)
  }

  @Test func `L5 a target that is dropped during a queued call dies there, after it`() {
    let emitter = made.emitter(Int.self)
    let key = DispatchSpecificKey<Bool>()
    queue.setSpecific(key: key, value: true)
    let target = Box(
      Lifetime { [log] in
        log.add("died on the queue: \(DispatchQueue.getSpecific(key: key) ?? false)")
      })
    let (inCall, dropped) = (Gate(), Gate())
    _ = target.value.map {
      emitter.signal.connect($0, on: queue) { [log] target, value in
        inCall.open()
        dropped.pass()
        target.use()
        log.add("called \(value)")
      }
    }
    for value in 1...2 { emitter.invoke(value) }
    inCall.pass()

    target.value = nil
    dropped.open()
    queue.sync {}

    #expect(log.entries == ["called 1", "died on the queue: true"])
  }

  @Test(arguments: Place.allCases)
  func `L13 connecting and cancelling without any emission leaves nothing`(place: Place) {
    let emitter = made.emitter(Int.self)
    let live = place.connect(emitter.signal, queue) { _ in }
    for _ in 0..<20_000 {
      let capture = made.object()
      place.connect(emitter.signal, queue) { _ in capture.use() }.cancel()
      if made.census.alive > 0 { break }
    }

    #expect(made.census.alive == 0)
    #expect(emitter.signal.slotCount == 1)
    #expect(!live.isCancelled)
  }

  @Test
  func `a slot that cancels itself is kept until its call returns, whatever it emitted in it`() {
    let emitter = made.emitter(Int.self)
    let (observer, census) = (Box<SignalObserver>(), made.census)
    let capture = Box(made.object())
    let log = log
    observer.value = emitter.signal.connect(on: .inline) { [capture = capture.value] value in
      guard value == 1 else { return }
      // Delivers to the next slot what is owed to it.
      emitter.invoke(2)
      observer.value?.cancel()
      log.add("\(census.alive) in the call")
      capture?.use()
    }
    emitter.signal.connect(on: .inline) { log.add("next \($0)") }
    capture.value = nil

    emitter.invoke(1)

    #expect(log.entries == ["next 1", "next 2", "1 in the call"])
    #expect(census.alive == 0)
  }

  @Test func `a target's death is seen after its emitter's, before what is pending is due`() {
    let target = Box(made.object())
    let observer = Box<SignalObserver>()
    queue.suspend()
    do {
      let emitter = made.emitter(Int.self)
      observer.value = target.value.map { emitter.signal.connect($0, Lifetime.use, queue) }
      emitter.invoke(1)
    }
    #expect(observer.value?.isCancelled == false)

    target.value = nil

    #expect(observer.value?.isCancelled == true)
    queue.resume()
  }

  @Test func `L17 a chain of twenty thousand targets is freed from its head without recursion`() {
    final class Link: Sendable {
      let changed: EmitterVoid
      let alive: Lifetime
      init(_ made: Made) {
        changed = made.emitter()
        alive = made.object()
      }

      func forward() { changed.invoke() }
    }
    let made = made
    RunningThread(stackSize: 64 * 1024) {
      var links = (0..<20_000).map { _ in Link(made) }
      for (link, next) in zip(links, links.dropFirst()) {
        link.changed.signal.connect(next, Link.forward, .inline)
      }
      #expect(made.census.alive == 20_000)
      links.reverse()
      while !links.isEmpty { links.removeLast() }
    }.join()

    #expect(made.census.alive == 0)
  }

  @Test func `L19 a process that exits with deliveries pending exits as it wants to`() async {
    await #expect(processExitsWith: .exitCode(0)) {
      let emitter = EmitterArg<Lifetime>()
      let queue = DispatchQueue(label: "stuck")
      let hold = Gate()
      queue.async { hold.pass() }
      for place in Place.allCases { place.connect(emitter.signal, queue) { $0.use() } }
      for _ in 0..<1000 { emitter.invoke(Lifetime {}) }
      exit(0)
    }
  }
}

/// Counts its calls.
private final class Tally: Sendable {
  let calls = Calls()

  func add() { calls.add() }
}
