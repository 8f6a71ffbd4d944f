import Dispatch
import SignalObserver
import Testing

@Suite(.serialized, .inTurn, .timeLimit(.minutes(5))) struct OrderTests {
  let log = Log()

  @Test(arguments: [1, 2, 3, 4, 5, 8, 9, 100, 1000])
  func
    `1. The slots of one emission run in the order in which they were connected, at any number of slots`(
      count: Int
    )
  {
    let emitter = EmitterVoid()
    for index in 0..<count { emitter.signal.connect(on: .inline) { log.add("\(index)") } }

    emitter.invoke()

    #expect(log.entries == (0..<count).map { "\($0)" })
  }

  @Test
  func
    `1. Slots of every delivery that share a queue run in the order in which they were connected`()
  {
    let emitter = EmitterVoid()
    let queue = DispatchQueue(label: "order")
    let target = Target("method", log)
    for index in 0..<20 { emitter.signal.connect(on: queue) { log.add("\(index)") } }
    emitter.signal.connect(target, Target.called, queue)

    emitter.invoke()
    queue.sync {}

    #expect(log.entries == (0..<20).map { "\($0)" } + ["method"])
  }

  @Test func `1. Slots that remain when others are cancelled keep their order`() {
    let emitter = EmitterVoid()
    let observers = (0..<100).map { index in
      emitter.signal.connect(on: .inline) { log.add("\(index)") }
    }

    for index in 0..<100 where index % 7 != 0 { observers[index].cancel() }
    emitter.signal.connect(on: .inline) { log.add("last") }
    emitter.invoke()

    #expect(log.entries == stride(from: 0, to: 100, by: 7).map { "\($0)" } + ["last"])
  }

  @Test
  func
    `2. A slot connected while an emission runs is first called by the next one, and is never lost`()
  {
    let emitter = EmitterArg<Int>()
    defer { emitter.cancelAllObservers() }
    emitter.signal.connect(on: .inline) { value in
      log.add("connecting \(value)")
      if value == 1 { emitter.signal.connect(on: .inline) { log.add("connected \($0)") } }
    }

    emitter.invoke(1)
    emitter.invoke(2)

    #expect(log.entries == ["connecting 1", "connecting 2", "connected 2"])
  }

  @Test
  func `2. Slots connected while an emission runs are first called by the next one at any number`()
  {
    let emitter = EmitterArg<Int>()
    defer { emitter.cancelAllObservers() }
    emitter.signal.connect(on: .inline) { value in
      if value > 1 { return }
      for index in 0..<50 { emitter.signal.connect(on: .inline) { log.add("\(index) \($0)") } }
    }

    emitter.invoke(1)
    #expect(log.entries == [])
    emitter.invoke(2)

    #expect(log.entries == (0..<50).map { "\($0) 2" })
  }

  @Test
  func `2. A slot connected on another thread while an emission runs is called by the next one`() {
    let emitter = EmitterArg<Int>()
    let (entered, leave) = (Gate(), Gate())
    emitter.signal.connect(on: .inline) { value in
      if value > 1 { return }
      entered.open()
      leave.pass()
    }
    let thread = RunningThread { emitter.invoke(1) }
    entered.pass()

    emitter.signal.connect(on: .inline) { log.add("connected \($0)") }
    leave.open()
    thread.join()
    emitter.invoke(2)

    #expect(log.entries == ["connected 2"])
  }

  @Test func `2. No slot is lost when threads connect while others emit`() {
    let emitter = EmitterVoid()
    onThreads(3) { index in
      for number in 0..<200 {
        if index == 0 { emitter.invoke() }
        let log = log
        emitter.signal.connect(on: .inline) { log.add("\(index) \(number)") }
      }
    }
    let before = log.entries.count

    emitter.invoke()

    let called = log.entries.dropFirst(before)
    #expect(called.count == 600)
    #expect(Set(called).count == 600)
  }

  @Test func `15. Connecting the same method twice makes two connections`() {
    let emitter = EmitterArg<Int>()
    let target = Target("twice", log)
    let first = emitter.signal.connect(target, Target.show, .inline)
    emitter.signal.connect(target, Target.show, .inline)

    emitter.invoke(1)
    first.cancel()
    emitter.invoke(2)

    #expect(log.entries == ["twice 1", "twice 1", "twice 2"])
  }

  @Test func `15. nil is a payload`() {
    let emitter = EmitterArg<Int?>()
    emitter.signal.connect(on: .inline) { log.add("\($0.map(String.init) ?? "nil")") }

    emitter.invoke(1)
    emitter.invoke(nil)

    #expect(log.entries == ["1", "nil"])
  }

  @Test func `15. A slot that cancels itself runs exactly once when it emits again`() {
    let emitter = EmitterArg<Int>()
    defer { emitter.cancelAllObservers() }
    let observer = Box<SignalObserver>()
    observer.value = emitter.signal.connect(on: .inline) { value in
      observer.value?.cancel()
      log.add("\(value)")
      emitter.invoke(value + 1)
    }

    emitter.invoke(1)
    emitter.invoke(3)

    #expect(log.entries == ["1"])
  }
}

@Suite(.serialized, .inTurn, .timeLimit(.minutes(5)), .nothingLeft) struct OrderCaseTests {
  let log = Log()
  let made = Made.current

  @Test(arguments: 1...20)
  func `O3 survivors of random cancels keep their order`(seed: UInt64) {
    let emitter = made.emitter()
    var numbers = Numbers(seed: seed)
    let observers = (0..<100).map { index in
      emitter.signal.connect(on: .inline) { log.add("\(index)") }
    }
    let cancelled = (0..<100).shuffled(using: &numbers).prefix(50)

    for index in cancelled { observers[index].cancel() }
    emitter.invoke()

    let expected = (0..<100).filter { !cancelled.contains($0) }.map { "\($0)" }
    #expect(log.entries == expected, "cancelled: \(cancelled)")
  }

  @Test func `O1 methods of four targets are called in the order in which they were connected`() {
    let emitter = made.emitter(Int.self)
    let targets = (0..<4).map { made.watch(Target("\($0)", log)) }
    for target in targets {
      emitter.signal.connect(target, Target.called, .inline)
      emitter.signal.connect(target, Target.show, .inline)
    }

    emitter.invoke(7)

    #expect(log.entries == ["0", "0 7", "1", "1 7", "2", "2 7", "3", "3 7"])
    withExtendedLifetime(targets) {}
  }
}
