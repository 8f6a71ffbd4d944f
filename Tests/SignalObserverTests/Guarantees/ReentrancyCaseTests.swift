import Dispatch
import SignalObserver
import Testing

@Suite(.serialized, .inTurn, .timeLimit(.minutes(5)), .nothingLeft)
final class ReentrancyCaseTests: Sendable {
  let log = Log()
  let made = Made.current
  let emitter = Made.current.emitter(Int.self)

  // Slots that use the emitter hold it, and it holds them.
  deinit { emitter.cancelAllObservers() }

  @Test func `R5 a slot that connects itself again in each emission doubles the slots each time`() {
    let calls = Calls()
    let emitter = emitter
    @Sendable func connect() {
      emitter.signal.connect(on: .inline) { _ in
        calls.add()
        connect()
      }
    }
    connect()

    let counts = (1...10).map { value in
      emitter.invoke(value)
      return calls.count
    }

    #expect(counts == (1...10).map { (1 << $0) - 1 })
  }

  @Test func `R6 a slot that cancels itself leaves its neighbours where they are`() {
    let second = Box<SignalObserver>()
    for index in 0..<3 {
      let observer = emitter.signal.connect(on: .inline) { [log] value in
        log.add("\(index) in \(value)")
        if index == 1 { second.value?.cancel() }
      }
      if index == 1 { second.value = observer }
    }

    emitter.invoke(1)
    emitter.invoke(2)

    #expect(log.entries == ["0 in 1", "1 in 1", "2 in 1", "0 in 2", "2 in 2"])
  }

  @Test(arguments: Place.allCases)
  func `R7 slots that all cancel themselves run once each`(place: Place) async {
    let queue = DispatchQueue(label: "cases")
    for index in 0..<50 {
      let own = Box<SignalObserver>()
      let capture = made.object()
      own.value = place.connect(emitter.signal, queue) { [log] _ in
        own.value?.cancel()
        own.value = nil
        capture.use()
        log.add("\(index)")
      }
    }

    emitter.invoke(1)
    let called = await log.entries(50)
    emitter.invoke(2)

    #expect(Set(called) == Set((0..<50).map { "\($0)" }))
    #expect(log.entries.count == 50)
    #expect(emitter.signal.slotCount == 0)
  }

  @Test func `R8 a slot that cancels one that has been called leaves the rest of the emission`() {
    let first = emitter.signal.connect(on: .inline) { [log] in log.add("first \($0)") }
    emitter.signal.connect(on: .inline) { [log] in
      first.cancel()
      log.add("second \($0)")
    }
    emitter.signal.connect(on: .inline) { [log] in log.add("third \($0)") }

    emitter.invoke(1)
    emitter.invoke(2)

    #expect(log.entries == ["first 1", "second 1", "third 1", "second 2", "third 2"])
  }

  @Test func `R12 a slot cancels all, and captures that are released call the library`() {
    for index in 0..<20 {
      let capture = Lifetime { [emitter, log] in
        log.add("released \(index)")
        emitter.invoke(2)
        emitter.cancelAllObservers()
      }
      emitter.signal.connect(on: .inline) { [emitter, log] in
        capture.use()
        log.add("called \(index) with \($0)")
        emitter.cancelAllObservers()
      }
    }

    emitter.invoke(1)

    let entries = log.entries
    #expect(entries.first == "called 0 with 1")
    for index in 0..<20 {
      let last = entries.lastIndex { $0.hasPrefix("called \(index) ") } ?? -1
      #expect(entries.count { $0 == "released \(index)" } == 1)
      #expect(last < entries.firstIndex(of: "released \(index)") ?? -1)
    }
    #expect(emitter.signal.slotCount == 0)
  }

  @Test
  func `R15 an emission outlives the emitter that its first slot drops, and then all is gone`()
    async
  {
    let queue = DispatchQueue(label: "cases")
    let owner = Box(made.emitter(Int.self))
    let observers = [
      owner.value?.signal.connect(on: .inline) { _ in owner.value = nil },
      owner.value?.signal.connect(on: .inline) { [log] in log.add("inline \($0)") },
      owner.value?.signal.connect(on: queue) { [log] in log.add("queue \($0)") },
    ]

    owner.value?.invoke(1)
    queue.sync {}

    #expect(log.entries == ["inline 1", "queue 1"])
    #expect(observers.allSatisfy { $0?.isCancelled == true })
  }

  @Test func `R17 a target that its slot dropped is called again by an emission of that slot`() {
    let target = Box(made.object())
    _ = target.value.map {
      emitter.signal.connect($0, on: .inline) { [emitter, log] _, value in
        target.value = nil
        log.add("\(value)")
        if value < 3 { emitter.invoke(value + 1) }
      }
    }

    emitter.invoke(1)
    emitter.invoke(4)

    #expect(log.entries == ["1", "2", "3"])
    #expect(emitter.signal.slotCount == 0)
  }

  @Test func `R21 a target that cancels its own connection in its deinit may be dropped anywhere`()
  {
    for _ in 0..<100 {
      let own = Box<SignalObserver>()
      let emitter = emitter
      let target = Box(
        Lifetime {
          own.value?.cancel()
          emitter.invoke(2)
        })
      let member = made.object()
      own.value = target.value.map {
        emitter.signal.connect($0, on: .inline) { target, _ in
          target.use()
          member.use()
        }
      }
      onThreads(3) { index in
        if index == 0 { target.value = nil } else { emitter.invoke(1) }
      }
      #expect(own.value?.isCancelled == true)
    }
    #expect(emitter.signal.slotCount == 0)
    #expect(made.census.alive == 0)
  }

  @Test func `R19 two signals that emit each other from two threads lose and double nothing`() {
    let emitters = [made.emitter(Bool.self), made.emitter(Bool.self)]
    defer { for emitter in emitters { emitter.cancelAllObservers() } }
    let calls = [Calls(), Calls()]
    for index in 0..<2 {
      emitters[index].signal.connect(on: .inline) { isFirst in
        calls[index].add()
        if isFirst { emitters[1 - index].invoke(false) }
      }
    }

    onThreads(2) { index in
      for _ in 0..<50_000 { emitters[index].invoke(true) }
    }

    #expect(calls.map(\.count) == [100_000, 100_000])
  }
}
