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
