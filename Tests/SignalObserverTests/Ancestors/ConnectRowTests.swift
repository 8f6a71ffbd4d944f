import SignalObserver
import SignalObserverTesting
import Testing
import Turns

/// The rows of connecting; the README says what they are.
@Suite(.serialized, .inTurn, .timeLimit(.minutes(5))) struct ConnectRowTests {
  let log = Log()
  let emitter = EmitterArg<Int>()

  @Test func `A-B1: a method is connected by its name, a private one inside its type`() {
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

  @Test func `A-B2: a closure is connected, also one that is kept in a constant`() {
    let body: @Sendable (Int) -> Void = { [log] in log.add("kept \($0)") }
    emitter.signal.connect(on: .inline, body)
    emitter.signal.connect(on: .inline) { [log] in log.add("literal \($0)") }
    emitter.invoke(1)
    #expect(log.entries == ["kept 1", "literal 1"])
  }

  @Test @MainActor func `A-B3: a closure trails, whatever the number of arguments`() {
    let (nothing, two) = (EmitterVoid(), EmitterArg2<Int, String>())
    nothing.signal.connect { [log] in log.add("nothing") }
    emitter.signal.connect { [log] value in log.add("\(value)") }
    two.signal.connect { [log] value, text in log.add("\(value) \(text)") }
    nothing.invoke()
    emitter.invoke(1)
    two.invoke(2, "b")
    #expect(log.entries == ["nothing", "1", "2 b"])
  }

  @Test func `A-B4: a closure is given its owner and the payload`() {
    let owner = Target("owner", log)
    emitter.signal.connect(owner, on: .inline) { owner, value in owner.show(value) }
    emitter.invoke(1)
    #expect(log.entries == ["owner 1"])
  }

  @Test func `A-B5: an object of any class is a target, without a protocol`() {
    final class Plain {
      var values: [Int] = []
      func receive(_ value: Int) { values.append(value) }
    }
    let plain = Plain()
    emitter.signal.connect(plain, Plain.receive, nil)
    emitter.invoke(1)
    #expect(plain.values == [1])
  }

  @Test func `A-B6: a target is held weakly by each form`() {
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

  @Test func `A-B8: one signal has several slots`() {
    let targets = ["a", "b"].map { Target($0, log) }
    for target in targets { emitter.signal.connect(target, Target.show, nil) }
    emitter.signal.connect(on: .inline) { [log] in log.add("c \($0)") }
    emitter.invoke(1)
    #expect(log.entries == ["a 1", "b 1", "c 1"])
    withExtendedLifetime(targets) {}
  }

  @Test func `A-B9: a registration replaces another where a scoped observer is kept`() {
    var current = emitter.signal.connect(on: .inline) { [log] in log.add("first \($0)") }.scoped()
    emitter.invoke(1)
    current = emitter.signal.connect(on: .inline) { [log] in log.add("second \($0)") }.scoped()
    withExtendedLifetime(current) { emitter.invoke(2) }
    #expect(log.entries == ["first 1", "second 2"])
  }

  @Test func `A-B10: a slot that is connected twice is called twice`() {
    let target = Target("target", log)
    for _ in 0..<2 { emitter.signal.connect(target, Target.show, nil) }
    emitter.invoke(1)
    #expect(log.entries == ["target 1", "target 1"])
  }

  @Test func `A-B11: a one-shot slot runs once and its connection ends`() {
    let (trace, observer) = emitter.signal.prefix(1).traced()
    #expect(!observer.isCancelled)
    emitter.invoke(1)
    #expect(observer.isCancelled)
    emitter.invoke(2)
    #expect(trace.entries == [1])
    #expect(emitter.signal.slotCount == 0)
  }

  @Test func `A-B12: a slot runs so many times, or until a condition holds`() {
    let (two, first) = emitter.signal.prefix(2).traced()
    let (small, second) = emitter.signal.prefix { $0 < 3 }.traced()
    for number in [1, 2, 3, 1] { emitter.invoke(number) }
    #expect(two.entries == [1, 2])
    #expect(small.entries == [1, 2])
    #expect(first.isCancelled)
    #expect(second.isCancelled)
    #expect(emitter.signal.slotCount == 0)
  }

  @Test func `A-B12: a slot runs for a time`() async {
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

  @Test func `A-B13: a slot is given the old and the new value`() {
    let value = EmitterValue("a")
    value.signal.changes.connect(on: .inline) { [log] old, new in log.add("\(old) \(new)") }
    value.set("b")
    value.set("c")
    #expect(log.entries == ["a b", "b c"])
  }

  @Test func `A-B14: a slot is given the new value alone`() {
    let value = EmitterValue("a")
    value.signal.changes.connect(on: .inline) { [log] in log.add($1) }
    value.signal.connect(on: .inline) { [log] in log.add("also \($0)") }
    value.set("b")
    #expect(log.entries == ["also a", "b", "also b"])
  }

  @Test func `A-B15: an owner is told of every connection, by a source of its own`() {
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
