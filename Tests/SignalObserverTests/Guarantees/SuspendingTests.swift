import Dispatch
import SignalObserver
import Testing

@Suite(.serialized, .inTurn, .timeLimit(.minutes(5))) struct SuspendingTests {
  let log = Log()
  let emitter = EmitterArg<Int>()

  @Test func `11. suspend() is not counted`() {
    let observer = emitter.signal.connect(on: .inline) { [log] in log.add("\($0)") }

    observer.suspend()
    observer.suspend()
    emitter.invoke(1)
    observer.resume()
    emitter.invoke(2)

    #expect(log.entries == ["2"])
  }

  @Test func `11. Emissions made while suspended are dropped, and resume() replays nothing`() {
    let queue = DispatchQueue(label: "suspending")
    for queue in [nil, queue] {
      let log = Log()
      let observer = emitter.signal.connect(on: queue) { log.add("\($0)") }
      emitter.invoke(1)
      queue?.sync {}

      observer.suspend()
      emitter.invoke(2)
      observer.resume()
      emitter.invoke(3)
      queue?.sync {}

      #expect(log.entries == ["1", "3"])
      observer.cancel()
    }
  }

  @Test(arguments: [
    // These happen between the emission of a payload and its turn.
    (["suspend"], false), (["suspend", "resume"], true), (["cancel"], false),
    (["suspend", "cancel", "resume"], false), ([], true),
  ])
  func `11. A delivery that is due while suspended is dropped`(
    actions: [String], isDelivered: Bool
  ) {
    let queue = DispatchQueue(label: "suspending")
    let hold = Gate()
    queue.async { hold.pass() }
    let observer = emitter.signal.connect(on: queue) { [log] in log.add("\($0)") }
    emitter.invoke(1)

    for action in actions {
      switch action {
      case "suspend": observer.suspend()
      case "resume": observer.resume()
      default: observer.cancel()
      }
    }
    hold.open()
    queue.sync {}

    #expect(log.entries == (isDelivered ? ["1"] : []))
  }

  @Test func `11. A slot that suspends itself on its queue drops what is pending`() {
    let queue = DispatchQueue(label: "suspending")
    let hold = Gate()
    queue.async { hold.pass() }
    let observer = Box<SignalObserver>()
    observer.value = emitter.signal.connect(on: queue) { [log] value in
      log.add("\(value)")
      if value == 2 { observer.value?.suspend() }
    }
    for value in 1...4 { emitter.invoke(value) }
    hold.open()
    queue.sync {}

    observer.value?.resume()
    emitter.invoke(5)
    queue.sync {}

    #expect(log.entries == ["1", "2", "5"])
  }

  @Test func `11. A later slot that is suspended by an earlier one is not called`() {
    let later = Box<SignalObserver>()
    emitter.signal.connect(on: .inline) { value in
      if value == 1 { later.value?.suspend() } else { later.value?.resume() }
    }
    later.value = emitter.signal.connect(on: .inline) { [log] in log.add("\($0)") }

    emitter.invoke(1)
    emitter.invoke(2)

    #expect(log.entries == ["2"])
  }

  @Test func `11. Suspending one slot leaves the others alone`() {
    let observers = (0..<3).map { index in
      emitter.signal.connect(on: .inline) { [log] _ in log.add("\(index)") }
    }

    observers[1].suspend()
    emitter.invoke(1)

    #expect(log.entries == ["0", "2"])
    #expect(observers.map(\.isSuspended) == [false, true, false])
    #expect(emitter.signal.slotCount == 3)
  }
}

@Suite(.serialized, .inTurn, .timeLimit(.minutes(5)), .nothingLeft) struct SuspendingCaseTests {
  let log = Log()
  let made = Made.current
  let queue = DispatchQueue(label: "cases")

  @Test func `S5 suspending on the queue in the middle of a burst lets no more of it through`() {
    let emitter = made.emitter(Int.self)
    let observer = Box<SignalObserver>()
    let hold = Gate()
    queue.async { hold.pass() }
    emitter.signal.connect(on: queue) { if $0 == 50 { observer.value?.suspend() } }
    observer.value = emitter.signal.connect(on: queue) { [log] in log.add("\($0)") }
    for value in 1...100 { emitter.invoke(value) }

    // Both slots wait for one queue, so the second is called with 49 before the first is with 50.
    hold.open()
    queue.sync {}
    queue.sync {}
    let before = (1...49).map { "\($0)" }
    #expect(log.entries == before)
    observer.value?.resume()
    emitter.invoke(101)
    queue.sync {}

    #expect(log.entries == before + ["101"])
  }

  @Test(arguments: Place.allCases)
  func `S7 a slot that was suspended and cancelled is not brought back by resuming`(
    place: Place
  ) async {
    let emitter = made.emitter(Int.self)
    let observer = place.connect(emitter.signal, queue) { [log] in log.add("cancelled \($0)") }
    place.connect(emitter.signal, queue) { [log] in log.add("other \($0)") }

    observer.suspend()
    observer.cancel()
    observer.resume()
    emitter.invoke(1)

    #expect(await log.entries(1) == ["other 1"])
    #expect(observer.isCancelled)
    #expect(!observer.isSuspended)
  }

  @Test func `S9 every reference to an observer suspends the same slot`() {
    let emitter = made.emitter(Int.self)
    let observer = emitter.signal.connect(on: .inline) { [log] in log.add("\($0)") }
    let copies = [observer, observer]

    copies[1].suspend()
    emitter.invoke(1)
    #expect(copies.map(\.isSuspended) == [true, true])
    copies[0].resume()
    emitter.invoke(2)

    #expect(log.entries == ["2"])
  }
}
