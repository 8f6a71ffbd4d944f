import Dispatch
import SignalObserver
import SignalObserverTesting
import Testing
import Turns

/// The rows of connecting; the README says what they are.
@Suite(.serialized, .inTurn, .timeLimit(.minutes(5))) struct ConnectRowTests {
  let log = Log()
  let emitter = EmitterArg<Int>()

  @Test func `a method is connected by its name, a private one inside its type`() {
    final class Label {
      let log: Log
      init(_ log: Log) { self.log = log }

      func follow(_ signal: SignalArg<Int>) {
        signal.connect(self, Label.show, nil)
        signal.connect(self, Label.hide, nil)
      }
      func show(_ value: Int) { log.add("show \(value)") }
      private func hide(_ value: Int) { log.add("hide \(value)") }
    }
    let label = Label(log)
    label.follow(emitter.signal)
    emitter.invoke(1)
    #expect(log.entries == ["show 1", "hide 1"])
  }

  @Test func `a closure is connected, also one that is kept in a constant`() {
    let body: @Sendable (Int) -> Void = { [log] in log.add("kept \($0)") }
    emitter.signal.connect(on: .inline, body)
    emitter.signal.connect(on: .inline) { [log] in log.add("literal \($0)") }
    emitter.invoke(1)
    #expect(log.entries == ["kept 1", "literal 1"])
  }

  @Test @MainActor func `a closure trails, whatever the number of arguments`() {
    let (nothing, two) = (EmitterVoid(), EmitterArg2<Int, String>())
    nothing.signal.connect { [log] in log.add("nothing") }
    emitter.signal.connect { [log] value in log.add("\(value)") }
    two.signal.connect { [log] value, text in log.add("\(value) \(text)") }
    nothing.invoke()
    emitter.invoke(1)
    two.invoke(2, "b")
    #expect(log.entries == ["nothing", "1", "2 b"])
  }

  @Test func `a closure is given its owner and the payload`() {
    let owner = Target("owner", log)
    emitter.signal.connect(owner, on: .inline) { owner, value in owner.show(value) }
    emitter.invoke(1)
    #expect(log.entries == ["owner 1"])
  }

  @Test func `an object of any class is a target, without a protocol`() {
    final class Plain {
      var values: [Int] = []
      func receive(_ value: Int) { values.append(value) }
    }
    let plain = Plain()
    emitter.signal.connect(plain, Plain.receive, nil)
    emitter.invoke(1)
    #expect(plain.values == [1])
  }

  @Test func `a target is held weakly by each form`() {
    var target: Target? = Target("target", log)
    @Weakly var held = target
    emitter.signal.connect(target!, Target.show, nil)
    emitter.signal.connect(target!, on: .inline) { $0.show($1) }
    emitter.signal.map(target!, Target.show, { $0 + 1 }, nil)
    emitter.invoke(1)
    target = nil
    #expect(held == nil)
    emitter.invoke(2)
    #expect(log.entries == ["target 1", "target 1", "target 2"])
  }

  @Test func `one signal has several slots`() {
    let targets = ["a", "b"].map { Target($0, log) }
    for target in targets { emitter.signal.connect(target, Target.show, nil) }
    emitter.signal.connect(on: .inline) { [log] in log.add("c \($0)") }
    emitter.invoke(1)
    #expect(log.entries == ["a 1", "b 1", "c 1"])
    withExtendedLifetime(targets) {}
  }

  @Test func `a registration replaces another where a scoped observer is kept`() {
    var current = emitter.signal.connect(on: .inline) { [log] in log.add("first \($0)") }.scoped()
    emitter.invoke(1)
    current = emitter.signal.connect(on: .inline) { [log] in log.add("second \($0)") }.scoped()
    withExtendedLifetime(current) { emitter.invoke(2) }
    #expect(log.entries == ["first 1", "second 2"])
  }

  @Test func `a slot that is connected twice is called twice`() {
    let target = Target("target", log)
    for _ in 0..<2 { emitter.signal.connect(target, Target.show, nil) }
    emitter.invoke(1)
    #expect(log.entries == ["target 1", "target 1"])
  }

  @Test func `a one-shot slot runs once and its connection ends`() {
    let (trace, observer) = emitter.signal.prefix(1).traced()
    #expect(!observer.isCancelled)
    emitter.invoke(1)
    #expect(observer.isCancelled)
    emitter.invoke(2)
    #expect(trace.entries == [1])
    #expect(emitter.signal.slotCount == 0)
  }

  @Test func `a slot runs so many times, or until a condition holds`() {
    let (two, first) = emitter.signal.prefix(2).traced()
    let (small, second) = emitter.signal.prefix { $0 < 3 }.traced()
    for number in [1, 2, 3, 1] { emitter.invoke(number) }
    #expect(two.entries == [1, 2])
    #expect(small.entries == [1, 2])
    #expect(first.isCancelled)
    #expect(second.isCancelled)
    #expect(emitter.signal.slotCount == 0)
  }

  @Test func `a slot runs for a time`() async {
    let clock = ManualClock()
    let (trace, observer) = emitter.signal.prefix(for: .seconds(2), clock: clock).traced()
    await clock.waitForSleepers(1)
    emitter.invoke(1)
    clock.advance(by: .seconds(1))
    emitter.invoke(2)
    #expect(!observer.isCancelled)
    clock.advance(by: .seconds(1))
    await until("the end of the connection") { observer.isCancelled }
    emitter.invoke(3)
    #expect(trace.entries == [1, 2])
  }

  @Test func `a slot is given the old and the new value`() {
    let value = EmitterValue("a")
    value.signal.changes.connect(on: .inline) { [log] old, new in log.add("\(old) \(new)") }
    value.set("b")
    value.set("c")
    #expect(log.entries == ["a b", "b c"])
  }

  @Test func `a slot is given the new value alone`() {
    let value = EmitterValue("a")
    value.signal.changes.connect(on: .inline) { [log] in log.add($1) }
    value.signal.connect(on: .inline) { [log] in log.add("also \($0)") }
    value.set("b")
    #expect(log.entries == ["also a", "b", "also b"])
  }

  @Test func `an owner is told of every connection, by a source of its own`() {
    var count = 0
    let source = Announced(base: emitter.signal) { count += 1 }
    let (trace, _) = source.traced()
    source.map { $0 }.connect(on: .inline) { _ in }
    emitter.invoke(1)
    #expect(count == 2)
    #expect(trace.entries == [1])
  }

  /// Tells of every connection.
  private struct Announced<Base: SignalSource>: SignalSource {
    let base: Base
    let body: () -> Void

    func attach(_ slot: SignalSlot<Base.Payload>) -> SignalObserver {
      defer { body() }
      return base.attach(slot)
    }
  }
}

/// The rows of lifetime; the README says what they are.
@Suite(.serialized, .inTurn, .timeLimit(.minutes(5))) struct LifetimeRowTests {
  let log = Log()
  let census = Census()
  let emitter = EmitterArg<Int>()
  let queue = DispatchQueue(label: "rows")

  @Test func `an observer may be ignored, and the connection lives on`() {
    func follow() { emitter.signal.connect(on: .inline) { [log] in log.add("\($0)") } }
    follow()
    emitter.invoke(1)
    emitter.invoke(2)
    #expect(log.entries == ["1", "2"])
  }

  @Test func `dropping a scoped observer disconnects`() {
    var token: ObserverBag?
    let (trace, observer) = emitter.signal.traced()
    token = observer.scoped()
    withExtendedLifetime(token) { emitter.invoke(1) }
    token = nil
    emitter.invoke(2)
    #expect(trace.entries == [1])
  }

  @Test func `emptying a bag disconnects all that is in it`() {
    let bag = ObserverBag()
    let traces = (0..<2).map { _ in
      let (trace, observer) = emitter.signal.traced()
      observer.store(in: bag)
      return trace
    }
    emitter.invoke(1)
    bag.cancelAll()
    emitter.invoke(2)
    #expect(traces.map(\.entries) == [[1], [1]])
  }

  @Test func `the death of a bag's owner disconnects all that is in it`() {
    final class Owner { let observers = ObserverBag() }
    var owner: Owner? = Owner()
    let (trace, observer) = emitter.signal.traced()
    observer.store(in: owner!.observers)
    emitter.invoke(1)
    owner = nil
    emitter.invoke(2)
    #expect(trace.entries == [1])
  }

  @Test func `a new bag in place of the old one disconnects, and serves again`() {
    var bag = ObserverBag()
    let (first, observer) = emitter.signal.traced()
    observer.store(in: bag)
    bag = ObserverBag()
    let (second, another) = emitter.signal.traced()
    another.store(in: bag)
    emitter.invoke(1)
    bag.cancelAll()
    emitter.invoke(2)
    #expect(first.entries == [])
    #expect(second.entries == [1])
  }

  @Test func `after a target's death nobody is called for it`() {
    var target: Target? = Target("target", log)
    let observer = emitter.signal.connect(target!, Target.show, nil)
    emitter.invoke(1)
    target = nil
    emitter.invoke(2)
    #expect(log.entries == ["target 1"])
    #expect(observer.isCancelled)
  }

  @Test func `the memory of dead slots is freed by connecting, without an emission`() {
    for _ in 0..<1000 {
      let capture = census.member()
      emitter.signal.connect(Target("dead", log), on: .inline) { _, _ in capture.use() }
    }
    #expect(census.alive <= 8)
    #expect(emitter.signal.slotCount == 0)
    #expect(census.alive == 0)
  }

  @Test func `the emitter's death ends all connections, and their observers stay safe`() {
    var emitter: EmitterArg<Int>? = EmitterArg<Int>()
    let observers = (0..<3).map { _ in
      let capture = census.member()
      return emitter!.signal.connect(on: .inline) { _ in capture.use() }
    }
    emitter = nil
    #expect(census.alive == 0)
    for observer in observers {
      observer.suspend()
      observer.resume()
      observer.cancel()
    }
    #expect(observers.map(\.isCancelled) == [true, true, true])
  }

  @Test func `a closure lives as long as the source, or as any object that is named`() {
    var object: Lifetime? = Lifetime()
    var emitter: EmitterArg<Int>? = EmitterArg<Int>()
    let bySource = emitter!.signal.connect(on: .inline) { [log] in log.add("source \($0)") }
    let byObject = emitter!.signal.connect(object!, on: .inline) { [log] _, value in
      log.add("object \(value)")
    }
    emitter!.invoke(1)
    object = nil
    emitter!.invoke(2)
    #expect(byObject.isCancelled)
    #expect(!bySource.isCancelled)
    emitter = nil
    #expect(bySource.isCancelled)
    #expect(log.entries == ["source 1", "object 1", "source 2"])
  }

  @Test func `an owner that keeps its observers and is their target is released`() {
    final class Owner {
      let observers = ObserverBag()
      var scoped: ObserverBag?

      func follow(_ signal: SignalArg<Int>) {
        signal.connect(self, Owner.receive, nil).store(in: observers)
        scoped = signal.connect(self, on: .inline) { $0.receive($1) }.scoped()
      }
      func receive(_ value: Int) {}
    }
    var owner: Owner? = Owner()
    @Weakly var released = owner
    owner!.follow(emitter.signal)
    emitter.invoke(1)
    owner = nil
    #expect(released == nil)
    #expect(emitter.signal.slotCount == 0)
  }

  @Test func `a pending delivery does not keep its target`() {
    let hold = Gate()
    queue.async { hold.pass() }
    var target: Target? = Target("target", log)
    @Weakly var released = target
    emitter.signal.connect(target!, Target.show, queue)
    emitter.invoke(1)
    target = nil
    #expect(released == nil)
    hold.open()
    queue.sync {}
    #expect(log.entries == [])
  }
}
