import SignalObserver
import Testing
import Turns

@Suite(.serialized, .inTurn, .timeLimit(.minutes(5))) struct EmitterValueTests {
  final class Model {
    @EmitterValue var title: String? = nil
    @EmitterValue private(set) var count = 0

    func add(_ number: Int) { _count.modify { $0 += number } }
    func repeatTitle() { _title.invoke() }
    func dropAll() { _title.cancelAllObservers() }
  }

  @Test func `a getter and a setter of two actors stop the program`() async {
    await #expect(processExitsWith: .failure) {
      await MainActor.run {
        _ = EmitterValue(get: { @MainActor in 1 }, set: { @Studio (_: Int) in })
      }
    }
  }

  @Test func `19. Connecting delivers the current value and then every new one`() {
    let model = Model()
    model.title = "a"
    let (trace, _) = model.$title.traced()
    model.title = "b"
    model.title = nil
    model.title = nil
    #expect(trace.entries == ["a", "b", nil, nil])
  }

  @Test func `changes are those that are made after connecting, also inside a slot`() {
    let value = EmitterValue(0)
    let trace = Trace<[Int]>()
    value.signal.dropFirst().prefix(1).connect(on: .inline) { _ in
      value.set(2)
      value.signal.changes.connect(on: .inline) { trace.add([$0, $1]) }
      value.set(3)
    }
    value.set(1)
    #expect(trace.entries == [[2, 3]])
  }

  @Test func `changes and values are delivered in the order of their slots`() {
    let model = Model()
    let trace = Trace<String>()
    model.$count.connect(on: .inline) { trace.add("first \($0)") }
    model.$count.changes.connect(on: .inline) { trace.add("change \($0) \($1)") }
    model.$count.connect(on: .inline) { trace.add("last \($0)") }
    model.add(1)
    #expect(trace.entries == ["first 0", "last 0", "first 1", "change 0 1", "last 1"])
  }

  @Test func `the current value is sent again on request`() {
    let model = Model()
    model.title = "a"
    let (trace, _) = model.$title.traced()
    let changes = Trace<String>()
    model.$title.changes.connect(on: .inline) { changes.add("\($0!) \($1!)") }
    model.repeatTitle()
    #expect(trace.entries == ["a", "a"])
    #expect(changes.entries == ["a a"])
  }

  @Test func `16. A set that waits for its turn is emitted then: a slot resumed meanwhile gets it`()
  {
    let value = EmitterValue(0)
    defer { value.cancelAllObservers() }
    let (trace, observer) = value.signal.traced()
    observer.suspend()
    value.signal.connect(on: .inline) { number in
      guard number == 1 else { return }
      RunningThread { value.set(2) }.join()
      observer.resume()
    }
    value.set(1)
    #expect(trace.entries == [0, 2])
  }

  @Test func `16. A set inside a slot of the value is delivered in order, before it returns`() {
    let value = EmitterValue(0)
    defer { value.cancelAllObservers() }
    let trace = Trace<String>()
    value.signal.connect(on: .inline) {
      trace.add("a\($0)")
      if $0 == 1 { value.set(2) }
      trace.add("a\($0) ends, \(value.value)")
    }
    value.signal.connect(on: .inline) { trace.add("b\($0)") }
    value.set(1)
    #expect(
      trace.entries == [
        "a0", "a0 ends, 0", "b0", "a1", "b1", "a2", "a2 ends, 2", "b2", "a1 ends, 2",
      ])
  }

  @Test func `19. A slot connected inside a slot begins with the value in progress`() {
    let value = EmitterValue(0)
    let trace = Trace<Int>()
    value.signal.dropFirst().prefix(1).connect(on: .inline) { _ in
      value.signal.connect(on: .inline) { trace.add($0) }
      #expect(trace.entries == [1])
      value.set(2)
    }
    value.set(1)
    #expect(trace.entries == [1, 2])
  }

  @Test func `an observer that is cancelled before its turn is never called`() {
    let value = EmitterValue(0)
    let witness = Trace<Int>()
    value.signal.dropFirst().prefix(1).connect(on: .inline) { _ in
      RunningThread { value.signal.connect(on: .inline) { witness.add($0) }.cancel() }.join()
    }
    value.set(1)
    value.set(2)
    #expect(witness.entries.isEmpty)
  }

  @Test func `no lock is held when what was set in a slot is released`() {
    let value = EmitterValue<Lifetime?>(nil)
    let log = Log()
    value.signal.dropFirst().prefix(1).connect(on: .inline) { _ in
      value.set(Lifetime { log.add("\(value.value == nil)") })
      // It is released when this one has been delivered, and the next one waits.
      value.set(nil)
      value.set(nil)
    }

    value.set(Lifetime())

    #expect(log.entries == ["true"])
  }

  @Test func `an observer that is suspended before its turn gets the next value`() {
    let value = EmitterValue(0)
    let log = Log()
    let later = Box<SignalObserver>()
    value.signal.connect(on: .inline) { number in
      guard number == 1 else { return }
      RunningThread {
        later.value = value.signal.connect(on: .inline) { log.add("\($0)") }
        later.value?.suspend()
      }.join()
    }

    value.set(1)
    later.value?.resume()
    value.set(2)

    #expect(log.entries == ["2"])
    value.cancelAllObservers()
  }

  @Test func `a slot that waits for its turn is ended when all are cancelled, or its target`() {
    let (value, target) = (EmitterValue(0), Target("target", Log()))
    let ended = Trace<Bool>()
    value.signal.dropFirst().connect(on: .inline) { number in
      let observer = Box<SignalObserver>()
      RunningThread { observer.value = value.signal.connect(target, Target.show, .inline) }.join()
      if number == 1 { value.signal.cancelObservers(of: target) }
      if number == 2 { value.cancelAllObservers() }
      ended.add(observer.value?.isCancelled == true)
    }
    for number in 1...3 { value.set(number) }
    #expect(target.log.entries == [])
    #expect(ended.entries == [true, true])
  }

  @Test func `a slot that waits to join a replay is ended with its target, and is looked at`() {
    let (emitter, target) = (EmitterArg<Int>(), Target("target", Log()))
    let (replay, counts) = (emitter.signal.replay(1), Trace<Int>())
    let ended = Trace<Bool>()
    replay.connect(on: .inline) { _ in
      let observer = Box<SignalObserver>()
      RunningThread { observer.value = replay.connect(target, Target.show, .inline) }.join()
      counts.add(emitter.signal.connections.first?.following.count ?? 0)
      emitter.signal.cancelObservers(of: target)
      ended.add(observer.value?.isCancelled == true)
    }

    for number in 1...2 { emitter.invoke(number) }

    #expect(target.log.entries == [])
    #expect(ended.entries == [true, true])
    #expect(counts.entries == [2, 2])
  }

  @Test(arguments: [true, false])
  func `a slot whose turn is while others are cancelled is ended as well`(_ isOfTarget: Bool) {
    let (value, target) = (EmitterValue(0), Target("target", Log()))
    let (entered, leave, delivered) = (Gate(), Gate(), Gate())
    value.signal.dropFirst().connect(on: .inline) { number in
      guard number == 1 else { return }
      entered.open()
      leave.pass()
    }
    // The end of this slot lets the other thread deliver, which then connects what waits.
    @Sendable func end() {
      leave.open()
      delivered.pass()
    }
    value.signal.connect(target, on: .inline) {
      [capture = Lifetime(onEnd: end)] target, number in
      capture.use()
      target.show(number)
    }
    let thread = RunningThread {
      value.set(1)
      delivered.open()
    }
    entered.pass()
    let waiting = value.signal.connect(target, Target.show, .inline)
    #expect(value.signal.isConnected(to: target))

    if isOfTarget { value.signal.cancelObservers(of: target) } else { value.cancelAllObservers() }
    thread.join()
    value.set(2)

    #expect(waiting.isCancelled)
    #expect(!value.signal.isConnected(to: target))
    #expect(target.log.entries == ["target 0"])
  }

  @Test func `what was set before the emitter died is sent, also while somebody connects`() {
    let emitter = Box(EmitterValue(0))
    let signal = emitter.value?.signal
    let trace = Trace<Int>()
    let observer = signal?.connect(on: .inline) {
      trace.add($0)
      if $0 > 0 { return }
      emitter.value?.set(1)
      emitter.value = nil
    }
    #expect(trace.entries == [0, 1])
    #expect(observer?.isCancelled == true)
  }

  @Test func `a slot that is suspended misses values and gets the next`() {
    let value = EmitterValue(0)
    let (trace, observer) = value.signal.traced()
    observer.suspend()
    value.set(1)
    observer.resume()
    value.set(2)
    #expect(trace.entries == [0, 2])
  }

  @Test func `setting keeps neither target nor value`() {
    let value = EmitterValue<Lifetime?>(Lifetime())
    @Weakly var first = value.value
    #expect(first != nil)
    value.set(nil)
    #expect(first == nil)
  }

  @Test func `the death of the emitter ends its connections`() {
    var value: EmitterValue<Int>? = EmitterValue(1)
    let signal = value!.signal
    let (trace, observer) = signal.traced()
    value = nil
    #expect(observer.isCancelled)
    #expect(signal.value == 1)
    let (late, lateObserver) = signal.traced()
    #expect(trace.entries == [1])
    #expect(late.entries.isEmpty)
    #expect(lateObserver.isCancelled)
  }

  @Test func `all observers can be cancelled`() {
    let model = Model()
    let (trace, observer) = model.$title.traced()
    model.dropAll()
    model.title = "a"
    #expect(trace.entries == [nil])
    #expect(observer.isCancelled)
  }

  @Test func `a value counts the slots of living targets, those of its changes too`() {
    final class Target: Sendable { func receive(_ number: Int) {} }
    let value = EmitterValue(0)
    var target: Target? = Target()
    value.signal.connect(target!, Target.receive, .inline)
    value.signal.connect(on: .inline) { _ in }.suspend()
    let observer = value.signal.changes.connect(on: .inline) { _, _ in }
    #expect(value.signal.slotCount == 3)
    observer.cancel()
    target = nil
    #expect(value.signal.slotCount == 1)
  }

  @Test func `a value counts and lists the slots that wait for their turn`() {
    let value = EmitterValue(0)
    let log = Log()
    value.signal.changes.connect(on: .inline) { [signal = value.signal] _, _ in
      signal.connect(on: .inline) { _ in }
      signal.changes.connect(on: .inline) { _, _ in }.cancel()
      let lines = signal.debugDescription.split(separator: "\n").count - 1
      log.add("\(signal.slotCount) \(signal.connections.count) \(lines)")
    }
    value.set(1)
    #expect(log.entries == ["2 2 2"])
    #expect(value.signal.slotCount == 2)
    value.cancelAllObservers()
  }

  @Test func `cancelling releases what the slot captures`() {
    let value = EmitterValue(0)
    var witness: Lifetime? = Lifetime()
    @Weakly var captured = witness
    let observer = value.signal.connect(on: .inline) { [witness] _ in witness?.use() }
    witness = nil
    #expect(captured != nil)
    observer.cancel()
    #expect(captured == nil)
  }

  @Test func `a value is sent also if a slot drops its emitter`() {
    final class Owner: @unchecked Sendable { var value: EmitterValue<Int>? = EmitterValue(0) }
    let owner = Owner()
    let trace = Trace<Int>()
    owner.value!.signal.connect(on: .inline) { if $0 == 1 { owner.value = nil } }
    owner.value!.signal.connect(on: .inline) { trace.add($0) }
    owner.value!.set(1)
    #expect(trace.entries == [0, 1])
  }
}

@Suite(.serialized, .inTurn, .timeLimit(.minutes(5))) struct CustomValueTests {
  final class Store: @unchecked Sendable {
    var title = "stored"
    var calls: [String] = []
  }

  @Test func `a wrapped property may be kept elsewhere`() {
    final class Page {
      let store: Store
      @EmitterValue var title: String

      init(_ store: Store) {
        self.store = store
        _title = EmitterValue(get: { store.title }, set: { store.title = $0 })
      }
    }
    let page = Page(Store())
    let trace = Trace<String>()
    page.$title.changes.connect(on: .inline) { trace.add("\($0) \($1)") }
    page.title = "b"
    #expect(page.store.title == "b")
    #expect(trace.entries == ["stored b"])
  }

  @Test func `what was set around the emitter is sent on request`() {
    let store = Store()
    let value = EmitterValue(get: { store.title }, set: { store.title = $0 })
    let (trace, _) = value.signal.traced()
    store.title = "around"
    value.invoke()
    #expect(value.modify { $0 += "!" } == ())
    #expect(trace.entries == ["stored", "around", "around!"])
  }
}

@Suite(.serialized, .inTurn, .timeLimit(.minutes(5))) struct ValueDeclarationTests {
  final class Service: Sendable {
    private let title = EmitterValue("a")
    var titleValue: SignalValue<String> { title.signal }
    static let shared = EmitterValue(1)

    func load() { title.value += "b" }
  }

  actor Counter {
    @EmitterValue var count = 0
    private let total = EmitterValue(0)
    nonisolated var totalValue: SignalValue<Int> { total.signal }

    func add() {
      count += 1
      total.set(total.value + 1)
    }
    func trace() -> Trace<Int> { $count.traced().0 }
  }

  @MainActor final class Screen {
    @EmitterValue var title = "a"
    var shown: [String] = []

    func show(_ title: String) { shown.append(title) }
  }

  @Test func `a constant of a Sendable class is a value`() {
    let service = Service()
    let (trace, _) = service.titleValue.traced()
    service.load()
    Service.shared.set(2)
    #expect(trace.entries == ["a", "ab"])
    #expect(Service.shared.value == 2)
  }

  @Test func `an actor has values`() async {
    let counter = Counter()
    let inside = await counter.trace()
    let (outside, _) = counter.totalValue.traced()
    await counter.add()
    #expect(inside.entries == [0, 1])
    #expect(outside.entries == [0, 1])
  }

  @Test @MainActor func `a main actor class is told at once of what is set there`() {
    let screen = Screen()
    let other = Screen()
    screen.$title.connect(other, Screen.show)
    screen.title = "b"
    #expect(other.shown == ["a", "b"])
  }

  @Test(arguments: [false, true])
  func `an actor slot runs before a change returns that is made on the actor`(
    isKeptElsewhere: Bool
  ) async {
    actor Store {
      let value: EmitterValue<Int>
      var seen: [Int] = []

      init(_ value: EmitterValue<Int>) { self.value = value }

      func run() -> [[Int]] {
        value.signal.changes.connect(self) { store, _, new in store.seen.append(new) }
        value.set(1)
        let afterSet = seen
        value.modify { $0 = 2 }
        let afterModify = seen
        value.invoke()
        return [afterSet, afterModify, seen]
      }
    }
    let kept = Box(0)
    let value =
      isKeptElsewhere
      ? EmitterValue(get: { kept.value ?? 0 }, set: { kept.value = $0 }) : EmitterValue(0)
    #expect(await Store(value).run() == [[1], [1, 2], [1, 2, 2]])
  }

  @Test func `an actor slot runs before a set returns that waits for one of another thread`() async
  {
    actor Store {
      let value = EmitterValue(0)
      var seen: [Int] = []

      func run() -> [Int] {
        value.signal.changes.connect(self) { store, _, new in
          store.seen.append(new)
          guard new == 1 else { return }
          RunningThread { [value = store.value] in value.set(2) }.join()
          store.value.set(3)
        }
        value.set(1)
        return seen
      }
    }
    #expect(await Store().run() == [1, 2, 3])
  }
}
