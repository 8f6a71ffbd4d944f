import Dispatch
import SignalObserver
import Testing

private let places: [Place] = [.queue, .main, .actor]

/// The order of a place holds for the deliveries of values and of replay, too.
@Suite(.serialized, .inTurn, .timeLimit(.minutes(5))) struct ValueOrderTests {
  let queue = DispatchQueue(label: "place")
  let trace = Trace<Int>()

  @Test(arguments: places)
  func `18. Sets of values keep their order beside signals`(_ place: Place) async {
    let (first, second, emitter) = (EmitterValue(0), EmitterValue(1), EmitterArg<Int>())
    place.connect(first.signal, queue) { [trace] in trace.add($0) }
    place.connect(second.signal, queue) { [trace] in trace.add($0) }
    place.connect(emitter.signal, queue) { [trace] in trace.add($0) }

    for number in 2..<3000 {
      switch number % 3 {
      case 0: first.set(number)
      case 1: second.set(number)
      default: emitter.invoke(number)
      }
    }

    #expect(await trace.entries(3000) == Array(0..<3000))
  }

  @Test func `a slot that drops the value keeps nothing from later slots`() {
    let value = Box(EmitterValue(0))
    guard let signal = value.value?.signal else { return }
    signal.changes.connect(on: .inline) { _, _ in value.value = nil }
    signal.changes.connect(on: .inline) { [trace] _, new in trace.add(new) }
    // This thread delivers what the other one has set, and holds the signal alone.
    signal.connect(on: .inline) { number in
      if number == 0 { RunningThread { value.value?.set(1) }.join() }
    }
    #expect(value.value == nil)
    #expect(trace.entries == [1])
  }

  @Test(arguments: places)
  func `18. What replay sends keeps its order beside signals`(_ place: Place) async {
    let (source, emitter) = (EmitterArg<Int>(), EmitterArg<Int>())
    let replay = source.signal.replay(2)
    for number in 0..<2 { source.invoke(number) }
    // It gets the last two.
    place.connect(replay, queue) { [trace] in trace.add($0) }
    place.connect(emitter.signal, queue) { [trace] in trace.add($0) }

    for number in 2..<3000 { (number % 2 == 0 ? source : emitter).invoke(number) }

    #expect(await trace.entries(3000) == Array(0..<3000))
  }

  @Test(arguments: places)
  func `18. The last set is seen by a signal that is sent after it`(_ place: Place) async {
    let (progress, finished) = (EmitterValue(0), EmitterVoid())
    let seen = Box<Int>()
    place.connect(progress.signal, queue) { seen.value = $0 }
    place.connect(finished.signal, queue) { [trace] in trace.add(seen.value ?? -1) }

    let last = times(20_000)
    for number in 1...last { progress.set(number) }
    finished.invoke()

    #expect(await trace.entries(1) == [last])
  }

  @MainActor
  @Test func `13. The current value is delivered at once on the place of its slot`() {
    let value = EmitterValue(1)
    value.signal.connect { [trace] in trace.add($0) }
    #expect(trace.entries == [1])

    value.set(2)
    #expect(trace.entries == [1, 2])
  }

  @MainActor
  @Test func `13. The current value waits behind what was emitted there and waits`() async {
    let (emitter, value) = (EmitterArg<Int>(), EmitterValue(3))
    emitter.signal.connect { [trace] in trace.add($0) }
    RunningThread { emitter.invoke(1) }.join()
    // Behind the first, and emitted where its slot could have run.
    emitter.invoke(2)

    value.signal.connect { [trace] in trace.add($0) }

    #expect(trace.entries == [])
    #expect(await trace.entries(3) == [1, 2, 3])
  }

  @Test func `13. An assignment to a property of an actor is delivered before its emissions`()
    async
  {
    let desk = Desk(trace)
    await desk.connect()

    await desk.change()

    #expect(await trace.entries(4) == [0, 1, 2, 3])
  }
}

private actor Desk {
  @EmitterValue private var number = 0
  private let changed = EmitterArg<Int>()
  private let trace: Trace<Int>

  init(_ trace: Trace<Int>) { self.trace = trace }

  func connect() {
    $number.connect { self.note($0) }
    changed.signal.connect { self.note($0) }
  }

  private func note(_ number: Int) { trace.add(number) }

  func change() {
    // A setter is not told where it is.
    number = 1
    changed.invoke(2)
    number = 3
  }
}

@Suite(.serialized, .inTurn, .timeLimit(.minutes(5))) struct ValueRaceTests {
  @Test func `16. Sets of a value are delivered in order; all slots end on the newest value`()
    async
  {
    for _ in 0..<100 {
      let value = EmitterValue(0)
      let (first, _) = value.signal.traced()
      let (second, _) = value.signal.traced()
      onThreads(3) { index in
        for number in 1...50 { value.set(index * 1000 + number) }
      }
      #expect(await first.entries(151) == second.entries(151))
      #expect(first.entries.last == value.value)
    }
  }

  @Test func `16. Sets of a value are delivered one at a time: old and new ones form a chain`()
    async
  {
    let value = EmitterValue(0)
    let changes = Trace<[Int]>()
    value.signal.changes.connect(on: .inline) { old, new in changes.add([old, new]) }
    onThreads(4) { index in
      for number in 1...500 { value.set(index * 1000 + number) }
    }
    let (olds, news) = (await changes.entries(2000).map { $0[0] }, changes.entries.map { $0[1] })
    #expect([0] + news.dropLast() == olds)
    #expect(news.last == value.value)
  }

  @Test func `cancelling while others set and connect calls nobody afterwards`() async {
    for _ in 0..<200 {
      let value = EmitterValue(0)
      let trace = Trace<Int>()
      onThreads(3) { index in
        switch index {
        case 0: for number in 1...30 { value.set(number) }
        default:
          for _ in 0..<10 { value.signal.connect(on: .inline) { trace.add($0) }.cancel() }
        }
      }
      let (last, _) = value.signal.dropFirst().traced()
      value.set(31)
      #expect(await last.entries(1) == [31])
      #expect(!trace.entries.contains(31))
    }
  }

  @Test func `16. All slots end on the newest value: a queue slot`() async {
    let queue = DispatchQueue(label: "values", attributes: .concurrent)
    let value = EmitterValue(0)
    let trace = Trace<Int>()
    value.signal.connect(on: queue) { trace.add($0) }
    let (inline, _) = value.signal.traced()
    onThreads(3) { index in
      for number in 1...300 { value.set(index * 1000 + number) }
    }
    #expect(await trace.entries(901) == inline.entries(901))
    #expect(trace.entries.last == value.value)
  }

  @Test func `16. Sets of a value are delivered one at a time: another thread does not wait`() {
    let value = EmitterValue(0)
    let (isIn, mayLeave) = (Gate(), Gate())
    let (trace, _) = value.signal.traced()
    value.signal.changes.connect(on: .inline) { _, new in
      guard new == 1 else { return }
      isIn.open()
      mayLeave.pass()
    }
    onThreads(2) { index in
      if index == 0 { return value.set(1) }
      isIn.pass()
      value.set(2)
      let (late, _) = value.signal.traced()
      #expect(late.entries.isEmpty)
      #expect(trace.entries == [0, 1])
      #expect(value.value == 2)
      mayLeave.open()
    }
    #expect(trace.entries == [0, 1, 2])
  }

  @Test func `a slot of changes, and then a read, leave no gap on a queue`() async {
    let (value, queue) = (EmitterValue(0), DispatchQueue(label: "later"))
    let (now, trace) = (Trace<Int>(), Trace<Int>())
    onThreads(2) { index in
      if index == 0 { return (1...1000).forEach { value.set($0) } }
      value.signal.changes.connect(on: queue) { _, new in trace.add(new) }
      now.add(value.value)
    }

    let first = now.entries[0]
    await until("the last value") { first == 1000 || trace.entries.last == 1000 }
    #expect(Array(trace.entries.suffix(1000 - first)) == Array(first + 1..<1001))
  }

  @Test(arguments: [true, false])
  func `16. A slot that connects ends on the newest, which the release of a dead one sends`(
    isReplay: Bool
  ) {
    let (value, emitter) = (EmitterValue(0), EmitterArg<Int>())
    let (replay, trace) = (emitter.signal.replay(1), Trace<Int>())
    emitter.invoke(0)
    func connect(_ source: some SignalSource<Int>) {
      connectDead(to: source) {
        value.set(1)
        emitter.invoke(1)
      }
      for _ in 0..<7 { source.connect(on: .inline) { _ in } }
      source.connect(on: .inline) { trace.add($0) }
    }
    if isReplay { connect(replay) } else { connect(value.signal) }
    #expect(trace.entries == [0, 1])
  }

  /// Calls a function when it is released.
  private final class Last: Sendable {
    let run: @Sendable () -> Void

    init(_ run: @escaping @Sendable () -> Void) { self.run = run }

    deinit { run() }
  }

  /// Connects a slot whose target is dead then, and whose release calls a function.
  private func connectDead(
    to source: some SignalSource<Int>, _ run: @escaping @Sendable () -> Void
  ) {
    let last = Last(run)
    source.connect(Trace<Int>(), on: .inline) { _, _ in _ = last }
  }
}
