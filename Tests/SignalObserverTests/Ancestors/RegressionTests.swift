import Dispatch
import SignalObserverTesting
import Synchronization
import Testing
import Turns

@testable import SignalObserver

@Suite(.serialized, .inTurn, .timeLimit(.minutes(5))) struct RegressionTests {
  let log = Log()
  let census = Census()

  @Test
  func
    `emitting, connecting, cancelling all and suspending from inside a slot does not deadlock`()
  {
    let emitter = EmitterArg<Int>()
    let observer = Box<SignalObserver>()
    observer.value = emitter.signal.connect(on: .inline) { [log] value in
      log.add("\(value)")
      if value > 1 { return }
      emitter.invoke(2)
      observer.value?.suspend()
      observer.value?.resume()
      emitter.signal.connect(on: .inline) { log.add("new \($0)") }
      emitter.invoke(3)
      emitter.cancelAllObservers()
    }

    emitter.invoke(1)
    emitter.invoke(4)

    #expect(log.entries == ["1", "2", "3", "new 3"])
  }

  @Test func `emitting in the deinit of a target that a slot releases does not deadlock`() {
    let emitter = EmitterArg<Int>()
    let target = Box(Lifetime { emitter.invoke(2) })
    emitter.signal.connect(on: .inline) { [log] value in
      log.add("\(value)")
      target.value = nil
    }
    _ = target.value.map { emitter.signal.connect($0, on: .inline) { _, _ in } }

    emitter.invoke(1)

    #expect(log.entries == ["1", "2"])
  }

  @Test
  func
    `emitting, cancelling, connecting and suspending at once does not crash or race`()
  {
    for _ in 0..<100 {
      let emitter = EmitterVoid()
      let observers = Box<[SignalObserver]>([])
      let capture = Box(census.member())
      observers.value = (0..<20).map { _ in
        emitter.signal.connect(on: .inline) { [capture = capture.value] in capture?.use() }
      }
      capture.value = nil
      onThreads(4) { index in
        for observer in observers.value ?? [] {
          switch index {
          case 0: emitter.invoke()
          case 1: observer.cancel()
          case 2: emitter.signal.connect(on: .inline) {}
          default: observer.suspend()
          }
        }
      }
      #expect(emitter.signal.slotCount == 20)
      #expect(census.alive == 0)
    }
  }

  @Test
  func `a slow slot on one thread does not block connecting and emitting on another`() {
    let emitter = EmitterArg<Int>()
    let (entered, leave) = (Gate(), Gate())
    emitter.signal.connect(on: .inline) { value in
      if value > 1 { return }
      entered.open()
      leave.pass()
    }
    let thread = RunningThread { emitter.invoke(1) }
    entered.pass()

    emitter.signal.connect(on: .inline) { [log] in log.add("\($0)") }
    emitter.invoke(2)
    emitter.cancelAllObservers()

    #expect(log.entries == ["2"])
    leave.open()
    thread.join()
  }

  @Test
  func `two signals whose slots emit each other from two threads do not deadlock`() {
    let emitters = [EmitterArg<Int>(), EmitterArg<Int>()]
    defer { for emitter in emitters { emitter.cancelAllObservers() } }
    let calls = Atomic<Int>(0)
    for (emitter, other) in zip(emitters, emitters.reversed()) {
      emitter.signal.connect(on: .inline) { value in
        calls.add(1, ordering: .relaxed)
        if value > 0 { other.invoke(value - 1) }
      }
    }

    onThreads(2) { index in
      for _ in 0..<1000 { emitters[index].invoke(3) }
    }

    #expect(calls.load(ordering: .relaxed) == 2 * 1000 * 4)
  }

  @Test func `a hundred thousand slots are freed on a small stack`() {
    let census = census
    RunningThread(stackSize: 64 * 1024) {
      let emitter = EmitterVoid()
      let observers = (0..<100_000).map { _ in
        let capture = census.member()
        return emitter.signal.connect(on: .inline) { capture.use() }
      }
      #expect(census.alive == 100_000)
      withExtendedLifetime(observers) {}
    }.join()

    #expect(census.alive == 0)
  }

  @Test
  func
    `cancelling releases the closure and its captures though the observer is kept and nothing is emitted`()
  {
    let emitter = EmitterVoid()
    let capture = Box(census.member())
    let observer = emitter.signal.connect(on: .inline) { [capture = capture.value] in capture?.use()
    }
    capture.value = nil
    #expect(census.alive == 1)

    observer.cancel()

    #expect(census.alive == 0)
    #expect(observer.isCancelled)
  }

  @Test func `a kept observer keeps neither other slots nor the emitter nor captures`() {
    let emitter = Box(EmitterVoid())
    @Weakly var signal = emitter.value?.signal
    let observers = (0..<3).map { _ in
      let capture = census.member()
      return emitter.value?.signal.connect(on: .inline) { capture.use() }
    }

    emitter.value = nil

    #expect(census.alive == 0)
    #expect(signal == nil)
    #expect(observers.allSatisfy { $0?.isCancelled == true })
  }

  @Test func `dead targets do not accumulate on a signal that is never emitted`() {
    let emitter = EmitterVoid()
    for _ in 0..<1000 {
      let capture = census.member()
      emitter.signal.connect(Target("dead", log), on: .inline) { _, _ in capture.use() }
    }

    #expect(census.alive <= 8)
  }

  @Test func `the order of slots is the same in every run`() {
    for _ in 0..<20 {
      let log = Log()
      let emitter = EmitterVoid()
      for index in 0..<30 { emitter.signal.connect(Target("\(index)", log), Target.called, nil) }
      let targets = (0..<30).map { Target("\($0)", log) }
      for target in targets { emitter.signal.connect(target, Target.called, nil) }

      emitter.invoke()

      #expect(log.entries == (0..<30).map { "\($0)" })
      withExtendedLifetime(targets) {}
    }
  }

  @Test func `a slot connected during an emission is not called in it and not lost`() {
    let emitter = EmitterArg<Int>()
    defer { emitter.cancelAllObservers() }
    emitter.signal.connect(on: .inline) { [log] value in
      emitter.signal.connect(on: .inline) { log.add("connected in \(value), called in \($0)") }
    }

    emitter.invoke(1)
    emitter.invoke(2)

    #expect(log.entries == ["connected in 1, called in 2"])
  }

  @Test func `a slot cancelled by an earlier slot is not called any more`() {
    let emitter = EmitterVoid()
    let observers = Box<[SignalObserver]>([])
    observers.value = (0..<4).map { index in
      emitter.signal.connect(on: .inline) { [log] in
        log.add("\(index)")
        if index == 0 { observers.value?[1].cancel() }
      }
    }

    emitter.invoke()

    #expect(log.entries == ["0", "2", "3"])
  }

  @Test func `whatever emits inside, every slot sees the newest last`() {
    let value = EmitterValue(0)
    let emitter = EmitterArg<Int>()
    defer {
      value.cancelAllObservers()
      emitter.cancelAllObservers()
    }
    emitter.signal.connect(on: .inline) { if $0 == 1 { emitter.invoke(2) } }
    value.signal.connect(on: .inline) { if $0 == 1 { value.set(2) } }
    let (emissions, _) = emitter.signal.traced()
    let (values, _) = value.signal.traced()

    emitter.invoke(1)
    value.set(1)

    #expect(emissions.entries == [1, 2])
    #expect(values.entries == [0, 1, 2])
  }

  @Test func `15. A one-shot slot that emits runs once`() {
    let emitter = EmitterArg<Int>()
    let trace = Trace<Int>()
    emitter.signal.prefix(1).connect(on: .inline) {
      trace.add($0)
      emitter.invoke($0 + 1)
    }

    emitter.invoke(1)

    #expect(trace.entries == [1])
  }

  @Test func `15. A one-shot slot runs once when threads emit at once`() {
    for _ in 0..<300 {
      let emitter = EmitterArg<Int>()
      let (trace, observer) = emitter.signal.prefix(1).traced()
      let (three, _) = emitter.signal.prefix(3).traced()
      onThreads(3) { index in for _ in 0..<3 { emitter.invoke(index) } }
      #expect(trace.entries.count == 1)
      #expect(observer.isCancelled)
      #expect(three.entries.count == 3)
      #expect(emitter.signal.slotCount == 0)
    }
  }

  @Test func `15. A one-shot slot on a queue runs once back to back`() {
    let emitter = EmitterArg<Int>()
    let queue = DispatchQueue(label: "once")
    let trace = Trace<Int>()
    let observer = emitter.signal.prefix(1).connect(on: queue) { trace.add($0) }

    for number in 1...10 { emitter.invoke(number) }
    queue.sync {}

    #expect(trace.entries == [1])
    #expect(observer.isCancelled)
  }

  @Test func `a queue slot is called for each event, in order, also in a burst`() {
    let emitter = EmitterArg<Int>()
    let queue = DispatchQueue(label: "regression")
    emitter.signal.connect(on: queue) { [log] in log.add("\($0)") }

    for value in 1...100 { emitter.invoke(value) }
    queue.sync {}
    queue.sync {}

    #expect(log.entries == (1...100).map { "\($0)" })
  }

  @Test func `pending deliveries survive the emitter's death`() {
    let queue = DispatchQueue(label: "regression")
    let hold = Gate()
    queue.async { hold.pass() }
    do {
      let emitter = EmitterArg<Int>()
      emitter.signal.connect(on: queue) { [log] in log.add("\($0)") }
      emitter.invoke(1)
      emitter.invoke(2)
    }

    hold.open()
    queue.sync {}

    #expect(log.entries == ["1", "2"])
  }

  @Test
  func
    `cancelling and suspending between emission and delivery suppress the delivery`()
  {
    let emitter = EmitterArg<Int>()
    let queue = DispatchQueue(label: "regression")
    let hold = Gate()
    queue.async { hold.pass() }
    let observers = ["cancelled", "suspended", "resumed", "left alone"].map { name in
      emitter.signal.connect(on: queue) { [log] _ in log.add(name) }
    }
    emitter.invoke(1)

    observers[0].cancel()
    observers[1].suspend()
    observers[2].suspend()
    observers[2].resume()
    hold.open()
    queue.sync {}

    #expect(log.entries == ["resumed", "left alone"])
  }

  @Test
  func
    `suspending drops and does not buffer, resuming does not replay, and neither is counted`()
  {
    let emitter = EmitterArg<Int>()
    let observer = emitter.signal.connect(on: .inline) { [log] in log.add("\($0)") }

    observer.suspend()
    emitter.invoke(1)
    observer.suspend()
    emitter.invoke(2)
    observer.resume()
    emitter.invoke(3)

    #expect(log.entries == ["3"])
  }

  @Test func `throttle never sends an older payload after a newer one`() async {
    for _ in 0..<50 {
      let (value, clock) = (EmitterValue(0), ManualClock())
      let (trace, observer) = value.signal.throttle(for: .seconds(1), clock: clock).traced()
      onThreads(2) { index in
        for number in 1...50 {
          if index == 0 { value.set(number) } else { clock.advance(by: .seconds(1)) }
        }
      }
      await until("the newest value") {
        if trace.entries.last == 50 { return true }
        clock.advance(by: .seconds(1))
        return false
      }
      #expect(trace.entries == trace.entries.sorted())
      observer.cancel()
    }
  }

  @Test func `compactMap looks at nothing but the payload`() {
    let emitter = EmitterArg<Int>()
    let (trace, _) = emitter.signal.compactMap { $0 == 0 ? nil : 10 / $0 }.traced()

    for number in [0, 5, 0, 5, 5] { emitter.invoke(number) }

    #expect(trace.entries == [2, 2, 2])
  }

  @Test func `map calls its function once for each delivery`() {
    let emitter = EmitterArg<Int>()
    let calls = Trace<Int>()
    let source = emitter.signal.map { number -> Int in
      calls.add(number)
      return -number
    }
    let traces = [source.traced().0, source.traced().0]

    emitter.invoke(1)

    #expect(calls.entries == [1, 1])
    #expect(traces.map(\.entries) == [[-1], [-1]])
  }

  @Test func `filters stack, and one does not affect another branch`() {
    let emitter = EmitterArg<Int>()
    let even = emitter.signal.filter { $0 % 2 == 0 }
    let (all, _) = emitter.signal.traced()
    let (evens, _) = even.traced()
    let (large, _) = even.filter { $0 > 2 }.traced()

    for number in 1...4 { emitter.invoke(number) }

    #expect(all.entries == [1, 2, 3, 4])
    #expect(evens.entries == [2, 4])
    #expect(large.entries == [4])
  }

  @Test func `a bag ends its connections, whenever and with whatever they were put into it`() {
    let emitter = EmitterArg<Int>()
    let bag = ObserverBag()
    let (early, first) = emitter.signal.map { $0 }.filter { _ in true }.traced()
    first.store(in: bag)
    let (late, second) = emitter.signal.filter { _ in true }.map { $0 }.traced()
    emitter.invoke(1)
    second.store(in: bag)
    second.suspend()
    second.resume()
    emitter.invoke(2)

    bag.cancelAll()
    emitter.invoke(3)

    #expect(early.entries == [1, 2])
    #expect(late.entries == [1, 2])
  }

  @Test func `a binding holds neither object nor emitter, and ends with it`() {
    let value = EmitterValue("a")
    var label: BindingRowTests.Label? = BindingRowTests.Label()
    @Weakly var released = label
    let toLabel = value.signal.bind(to: \.title, of: label!, on: nil)
    var other: EmitterValue<String>? = EmitterValue("")
    let otherSignal = other!.signal
    let toOther = value.signal.bind(to: other!)

    label = nil
    other = nil
    value.set("b")

    #expect(released == nil)
    #expect(otherSignal.value == "a")
    #expect(toLabel.isCancelled)
    #expect(toOther.isCancelled)
  }

  @Test func `two plain values are bound both ways`() {
    let (mine, theirs) = (EmitterValue(1), EmitterValue(2))
    mine.bond(givingTo: theirs)
    let (changes, _) = merge(mine.signal.changes.map { $1 }, theirs.signal.changes.map { $1 })
      .traced()

    mine.set(3)
    theirs.set(4)

    #expect(changes.entries == [3, 3, 4, 4])
    #expect(mine.value == 4)
    #expect(theirs.value == 4)
  }

  @Test func `several bindings set each property once`() {
    let value = EmitterValue("a")
    let labels = (0..<3).map { _ in BindingRowTests.Label() }
    for label in labels { value.signal.bind(to: \.title, of: label, on: nil) }
    #expect(labels.map(\.texts) == [["a"], ["a"], ["a"]])

    value.set("b")

    #expect(labels.map(\.texts) == [["a", "b"], ["a", "b"], ["a", "b"]])
  }

  @Test @MainActor
  func `a tracked method that changes its own inputs converges, once, until it is stopped`()
    async
  {
    let view = CountingView()
    let observers = (0..<2).map { _ in track(view, CountingView.count) }
    #expect(observers[0] == observers[1])
    #expect(view.runs == [1])
    view.model.count = 10
    await mainQueueSettled()
    #expect(view.runs == [1, 11])
    observers[0].cancel()

    view.model.count = 20
    await mainQueueSettled()

    #expect(view.runs == [1, 11])
  }

  @Test
  func `a scoped observer ends its connection when it is dropped, and a plain one does not`() {
    let emitter = EmitterArg<Int>()
    let scoped = emitter.signal.connect(on: .inline) { [log] in log.add("scoped \($0)") }.scoped()
    do { _ = emitter.signal.connect(on: .inline) { [log] in log.add("plain \($0)") } }

    withExtendedLifetime(scoped) { emitter.invoke(1) }
    _ = consume scoped
    emitter.invoke(2)

    #expect(log.entries == ["scoped 1", "plain 1", "plain 2"])
  }

  @Test func `an optional payload that is nil is delivered as a value`() {
    let emitter = EmitterArg2<Int?, String?>()
    emitter.signal.connect(on: .inline) { [log] payload in
      log.add("\(payload.0 as Any), \(payload.1 as Any)")
    }

    emitter.invoke(nil, nil)
    emitter.invoke(1, nil)

    #expect(log.entries == ["nil, nil", "Optional(1), nil"])
  }

  @Test func `a method that returns a value can be connected`() {
    final class Adder: Sendable {
      let log: Log
      init(_ log: Log) { self.log = log }

      func add(_ left: Int, _ right: Int) -> Int {
        log.add("\(left + right)")
        return left + right
      }
    }
    let emitter = EmitterArg2<Int, Int>()
    let adder = Adder(log)
    emitter.signal.connect(adder, Adder.add, nil)

    emitter.invoke(1, 2)

    #expect(log.entries == ["3"])
  }
}

/// Counts its model up in each run.
@MainActor private final class CountingView {
  let model = Model()
  var runs: [Int] = []

  func count() {
    model.count += 1
    runs.append(model.count)
  }
}

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
