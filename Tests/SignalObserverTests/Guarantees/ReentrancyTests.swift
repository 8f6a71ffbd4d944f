import Dispatch
import SignalObserver
import Synchronization
import Testing

@Suite(.serialized, .inTurn, .timeLimit(.minutes(5))) final class ReentrancyTests: Sendable {
  let log = Log()
  let emitter = EmitterArg<Int>()

  // Slots that use the emitter hold it, and it holds them.
  deinit { emitter.cancelAllObservers() }

  /// Connects slots of the names `"a"`, `"b"`, and so on; the first emits what `next` answers.
  private func connect(_ names: String, _ react: @escaping @Sendable (String, Int) -> Void) {
    for name in names.map(String.init) {
      emitter.signal.connect(on: .inline) { [log] value in
        log.add("\(name)\(value)")
        react(name, value)
        log.add("/")
      }
    }
  }

  private var trace: String { log.entries.joined() }

  @Test
  func
    `5. A slot may emit, also the same signal: the inner emission completes before that invoke returns`()
  {
    connect("abc") { [emitter, log] name, value in
      guard name == "a", value == 1 else { return }
      emitter.invoke(2)
      log.add("returned")
    }

    emitter.invoke(1)

    #expect(trace == "a1b1/c1/a2/b2/c2/returned/")
  }

  @Test
  func
    `5. Every slot still sees emissions in the order in which they were made, three levels deep`()
  {
    connect("abc") { [emitter] name, value in
      if name == "a", value < 3 { emitter.invoke(value + 1) }
    }

    emitter.invoke(1)

    #expect(trace == "a1b1/c1/a2b2/c2/a3/b3/c3///")
  }

  @Test func `5. Order holds after an emission of another signal was made inside`() {
    let other = EmitterVoid()
    other.signal.connect(on: .inline) { [log] in log.add("other") }
    connect("ab") { [emitter] name, value in
      guard name == "a", value == 1 else { return }
      other.invoke()
      emitter.invoke(2)
    }

    emitter.invoke(1)

    #expect(trace == "a1otherb1/a2/b2//")
  }

  @Test(arguments: [(0, 40), (40, 0), (40, 1), (40, 40), (8, 16)])
  func `5. Order holds however many emissions are around the outer one, and between the two`(
    around: Int, between: Int
  ) {
    /// Calls `body` inside so many emissions.
    @Sendable func nest(_ levels: Int, _ body: @escaping @Sendable () -> Void) {
      if levels == 0 { return body() }
      let other = EmitterVoid()
      other.signal.prefix(1).connect(on: .inline) { nest(levels - 1, body) }
      other.invoke()
    }
    connect("ab") { [emitter] name, value in
      if name == "a", value < 3 { nest(between) { emitter.invoke(value + 1) } }
    }

    nest(around) { [emitter] in emitter.invoke(1) }

    #expect(trace == "a1b1/a2b2/a3/b3///")
  }

  @Test func `5. An emission made while an outer one is being settled follows both`() {
    connect("abc") { [emitter] name, value in
      if name == "a", value == 1 { emitter.invoke(2) }
      if name == "b", value == 1 { emitter.invoke(3) }
    }

    emitter.invoke(1)

    #expect(trace == "a1b1c1/a2/b2/c2/a3/b3/c3///")
  }

  @Test func `5. Emissions made at every level of settling are seen in order by every slot`() {
    let last = Atomic<Int>(1)
    connect("abcd") { [emitter] _, _ in
      let value = last.add(1, ordering: .relaxed).newValue
      if value <= 40 { emitter.invoke(value) }
    }

    emitter.invoke(1)

    for name in "abcd" {
      let seen = log.entries.filter { $0.hasPrefix(String(name)) }
      #expect(seen == (1...40).map { "\(name)\($0)" })
    }
  }

  @Test func `5. Two emissions made by one slot are seen in order by those behind it`() {
    connect("ab") { [emitter] name, value in
      guard name == "a", value == 1 else { return }
      emitter.invoke(2)
      emitter.invoke(3)
    }

    emitter.invoke(1)

    #expect(trace == "a1b1/a2/b2/a3/b3//")
  }

  @Test func `5. A slot first gets what the outer emission owes, also through another signal`() {
    let other = EmitterArg<Int>()
    other.signal.connect(on: .inline) { [emitter] in emitter.invoke($0 + 1) }
    connect("ab") { name, value in
      if name == "a", value == 1 { other.invoke(value) }
    }

    emitter.invoke(1)

    #expect(trace == "a1b1/a2/b2//")
  }

  @Test
  func `5. A slot connected before the inner emission is called by it and not by the outer one`() {
    connect("ab") { [emitter, log] name, value in
      guard name == "a", value == 1 else { return }
      emitter.signal.connect(on: .inline) { log.add("new\($0)/") }
      emitter.invoke(2)
    }

    emitter.invoke(1)

    #expect(trace == "a1b1/a2/b2/new2//")
  }

  @Test
  func `5. What an outer emission owes to a slot that is cancelled meanwhile is not delivered`() {
    let third = Box<SignalObserver>()
    connect("ab") { [emitter] name, value in
      if name == "a", value == 1 { emitter.invoke(2) }
      if name == "b", value == 1 { third.value?.cancel() }
    }
    third.value = emitter.signal.connect(on: .inline) { [log] in log.add("c\($0)/") }

    emitter.invoke(1)

    #expect(trace == "a1b1/a2/b2//")
  }

  @Test func `5. Order holds when slots are cancelled and connected at every level`() {
    // Cancelling moves the slots of the list, in the middle of nested emissions.
    let extra = Box<[SignalObserver]>([])
    connect("abc") { [emitter, log] name, value in
      for observer in extra.value ?? [] { observer.cancel() }
      extra.value = (0..<20).map { _ in emitter.signal.connect(on: .inline) { _ in } }
      if name == "a", value < 4 { emitter.invoke(value + 1) }
      _ = log
    }

    emitter.invoke(1)

    #expect(trace == "a1b1/c1/a2b2/c2/a3b3/c3/a4/b4/c4////")
  }

  @Test func `5. Order holds when another thread's emission is in progress`() {
    let (entered, leave) = (Gate(), Gate())
    emitter.signal.connect(on: .inline) { value in
      if value > 0 { return }
      entered.open()
      leave.pass()
    }
    let thread = RunningThread { [emitter] in emitter.invoke(0) }
    entered.pass()
    connect("ab") { [emitter] name, value in
      if name == "a", value == 1 { emitter.invoke(2) }
    }

    emitter.invoke(1)

    #expect(trace == "a1b1/a2/b2//")
    leave.open()
    thread.join()
  }

  @MainActor
  @Test func `5. Order holds for slots that run at once on the main actor`() {
    emitter.signal.connect { [emitter, log] in
      log.add("a\($0)/")
      if $0 == 1 { emitter.invoke(2) }
    }
    emitter.signal.connect { [log] in log.add("b\($0)/") }

    emitter.invoke(1)

    #expect(trace == "a1/b1/a2/b2/")
  }

  @Test func `5. A thousand nested emissions are made`() {
    connect("ab") { [emitter] name, value in
      if name == "b", value < 1000 { emitter.invoke(value + 1) }
    }

    // A level takes 3 KB without the optimiser, and more with a sanitizer.
    RunningThread(stackSize: 64 << 20) { [emitter] in emitter.invoke(1) }.join()

    #expect(log.entries.count == 4000)
  }
}

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
    let count = times(50_000)
    for index in 0..<2 {
      emitters[index].signal.connect(on: .inline) { isFirst in
        calls[index].add()
        if isFirst { emitters[1 - index].invoke(false) }
      }
    }

    onThreads(2) { index in
      for _ in 0..<count { emitters[index].invoke(true) }
    }

    #expect(calls.map(\.count) == [2 * count, 2 * count])
  }
}
