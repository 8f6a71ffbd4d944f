import Dispatch
import Observation
import Testing

@testable import SignalObserver

/// Circles of bindings and bonds end, whatever order they were connected in.
@Suite(.serialized, .inTurn, .timeLimit(.minutes(5))) struct CircleTests {
  /// A value whose setter changes what it gets.
  private func value(_ first: Int, _ change: @escaping @Sendable (Int) -> Int) -> EmitterValue<Int>
  {
    let kept = Box(first)
    return EmitterValue(get: { kept.value ?? 0 }, set: { kept.value = change($0) })
  }

  /// Every order of `count` things.
  private func orders(_ count: Int) -> [[Int]] {
    if count == 0 { return [[]] }
    return orders(count - 1).flatMap { order in
      (0..<count).map { place in
        var order = order
        order.insert(count - 1, at: place)
        return order
      }
    }
  }

  @Test func `16. The sides of three bonds of which one rounds are equal, in all orders`() {
    for order in orders(3) {
      let values = [EmitterValue(0), value(0) { $0 / 10 * 10 }, EmitterValue(0)]
      for index in order { values[index].bond(givingTo: values[(index + 1) % 3]) }
      for setter in [0, 2, 1] {
        values[setter].set(36)
        #expect(Set(values.map(\.value)) == [30], "\(order)")
        values[setter].set(0)
      }
    }
  }

  @Test
  func `16. The sides of a bond that are also bound through a clamp are equal, in all orders`() {
    for order in orders(3) {
      let (first, second) = (EmitterValue(0), EmitterValue(0))
      for index in order {
        switch index {
        case 0: first.bond(givingTo: second)
        case 1: first.signal.map { min($0, 50) }.bind(to: second)
        default: second.signal.map { min($0, 50) }.bind(to: first)
        }
      }
      for value in [first, second] {
        value.set(60)
        #expect(first.value == second.value, "\(order)")
        value.set(0)
      }
    }
  }

  @Test(arguments: [0, 40])
  func `16. What a value sends on connecting does not return to it, however deep`(_ depth: Int) {
    let (first, second) = (EmitterValue(17), EmitterValue(0))
    let stages = (0...depth).map { _ in EmitterVoid() }
    defer { stages.forEach { $0.cancelAllObservers() } }
    for (stage, next) in zip(stages, stages.dropFirst()) {
      stage.signal.connect(on: .inline) { next.invoke() }
    }
    second.signal.map { $0 / 10 * 10 }.bind(to: first)
    first.set(17)
    stages[depth].signal.connect(on: .inline) { first.signal.bind(to: second) }

    stages[0].invoke()

    #expect((first.value, second.value) == (17, 17))
  }

  @Test func `16. What had to wait for its turn is not passed on by the emission around it`() {
    let (events, numbers, log) = (EmitterArg<Int>(), EmitterArg<Int>(), Log())
    let recent = events.signal.replay(1)
    events.invoke(1)
    numbers.signal.connect(on: .inline) { number in
      log.add("\(number)")
      // While the replay sends what it has kept, the 2 waits, and is sent in the emission of the 0.
      if number == 0 { recent.connect(on: .inline) { if $0 == 1 { events.invoke(2) } } }
    }
    recent.bind(to: numbers)

    numbers.invoke(0)

    #expect(log.entries == ["1", "0", "2"])
  }

  @Test func `16. A property whose getter reads another value does not return what it got`() {
    final class Opaque: Sendable {}
    final class Model: @unchecked Sendable {
      @EmitterValue var shown: Opaque

      init() {
        let kept = EmitterValue(Opaque())
        _shown = EmitterValue(get: { kept.value }, set: { kept.set($0) })
      }
    }
    let (first, model, new) = (EmitterValue(Opaque()), Model(), Opaque())
    model.$shown.bind(to: first)
    first.signal.bind(to: \.shown, of: model, on: .inline)

    first.set(new)

    #expect(first.value === new && model.shown === new)
  }

  @Test func `16. What a slot sets while a binding calls a setter is not the binding's set`() {
    struct Opaque: Sendable { let number: Int }
    final class Model: @unchecked Sendable {
      @EmitterValue var stored = Opaque(number: 0)
      var willSet: (() -> Void)?
      var shown: Opaque {
        get { stored }
        set {
          willSet.take()?()
          stored = newValue
        }
      }
    }
    let (numbers, model, log) = (EmitterArg<Opaque>(), Model(), Log())
    numbers.signal.bind(to: \.shown, of: model, on: .inline)
    numbers.signal.connect(on: .inline) { if $0.number == 1 { model.stored = Opaque(number: 10) } }
    numbers.signal.connect(on: .inline) { log.add("\($0.number)") }
    model.$stored.bind(to: numbers)
    // This emission delivers the 1 to the slot above.
    model.willSet = { numbers.invoke(Opaque(number: 2)) }

    numbers.invoke(Opaque(number: 1))

    #expect(log.entries == ["0", "1", "2", "10"])
  }

  @Test func `16. A ring of forty bindings passes a payload on once`() {
    let emitters = (0..<40).map { _ in EmitterArg<Int>() }
    let calls = Calls()
    for (emitter, next) in zip(emitters, emitters.dropFirst() + emitters.prefix(1)) {
      emitter.signal.bind(to: next)
      emitter.signal.connect(on: .inline) { _ in calls.add() }
    }

    emitters[0].invoke(1)

    #expect(calls.count == 40)
  }

  @Test func `16. A model that is bonded with two controls, which a clamp binds, settles`() {
    let (model, controls) = (EmitterValue(0), [EmitterValue(0), EmitterValue(0)])
    for control in controls { model.bond(givingTo: control) }
    for (one, other) in [(0, 1), (1, 0)] {
      controls[one].signal.map { min($0, 50) }.bind(to: controls[other])
    }
    controls[0].set(80)
    #expect(Set(([model] + controls).map(\.value)).count == 1)
  }

  @Test func `16. A getter in a circle does not hang`() {
    let (kept, value) = (value(0) { $0 }, EmitterValue(1))
    kept.signal.bind(to: value)
    value.signal.bind(to: kept)
    kept.bond(givingTo: value)
    kept.set(7)
    value.set(8)
    #expect((kept.value, value.value) == (8, 8))
  }

  @Test func `modify runs its closure once, whatever bindings pass on meanwhile`() {
    let (first, second) = (EmitterValue(0), EmitterValue(0))
    first.bond(givingTo: second)
    let runs = Calls()
    onThreads(3) { index in
      for number in 1...200 {
        switch index {
        case 0:
          first.modify {
            runs.add()
            $0 += 1
          }
        case 1: second.set(number)
        default: first.set(first.value)
        }
      }
    }
    #expect(runs.count == 200)
  }

  @Test func `a chain of bound values passes each payload once`() {
    let values = (0..<100).map { _ in EmitterValue(0) }
    for index in 1..<100 { values[index - 1].signal.bind(to: values[index]) }
    let (trace, _) = values[99].signal.traced()
    for number in 1...5 { values[0].set(number) }
    #expect(trace.entries == [0, 1, 2, 3, 4, 5])
  }

  @Test func `a binding fits an optional value`() {
    let (title, label) = (EmitterValue("a"), EmitterValue<String?>(nil))
    title.signal.bind(to: label)
    title.set("b")
    #expect(label.value == "b")
  }

  @Test func `16. One set does at most 128 deliveries for others, also through bonds`() async {
    let (first, second) = (EmitterValue(0), EmitterValue(0))
    let (entered, leave) = (Gate(), Gate())
    let mine = Calls()
    let setter = Box<UInt>()
    first.bond(givingTo: second)
    second.signal.changes.connect(on: .inline) { _, new in
      if new == 1 {
        entered.open()
        leave.pass()
      }
      if setter.value == currentThread() { mine.add() }
    }
    // 1,000 sets wait behind a slot that is busy.
    let other = RunningThread { second.set(1) }
    entered.pass()
    RunningThread { for number in 2...1000 { second.set(number) } }.join()
    setter.value = currentThread()
    leave.open()
    first.set(-1)
    setter.value = nil
    other.join()

    #expect(mine.count <= 130)
    await until("equal sides") { first.value == second.value }
  }

  @Test func `properties whose payloads meet on a queue end equal`() {
    final class Holder: @unchecked Sendable { @EmitterValue var total = 0 }
    for round in 0..<200 {
      let (source, holder) = (EmitterValue(1), Holder())
      let queue = DispatchQueue(label: "binding")
      if round % 2 == 0 { source.signal.bind(to: \.total, of: holder, on: queue) }
      holder.$total.bind(to: source)
      if round % 2 == 1 { source.signal.bind(to: \.total, of: holder, on: queue) }
      source.set(2)
      holder.total = 3
      source.set(4)
      for _ in 0..<10 { queue.sync {} }
      #expect(source.value == holder.total)
    }
  }

  /// A part of a value.
  private final class Side: @unchecked Sendable {
    struct State: Sendable { var x = 0.0 }
    @EmitterValue var state = State()
    var x: Double {
      get { state.x }
      set { state.x = newValue }
    }
    var y: Double {
      get { state.x }
      set { _state.modify { $0.x = newValue } }
    }
  }

  @Test(arguments: [false, true])
  func `a circle of parts of values ends when they agree`(isModified: Bool) {
    let part = isModified ? \Side.y : \Side.x
    let (first, second) = (Side(), Side())
    first.$state.map { ($0.x * 9 / 5 + 32).rounded() }.bind(to: part, of: second, on: .inline)
    second.$state.map { ($0.x - 32) * 5 / 9 }.bind(to: part, of: first, on: .inline)
    first.x = 20.3
    #expect(second.x == 69)
    #expect(first.x == (69 - 32) * 5.0 / 9)
    second.x = 5
    #expect(second.x == 5)
    #expect(first.x == -15)
  }

  @Test func `what another thread sends meanwhile does not count as returning`() {
    let (value, emitter) = (EmitterValue(0), EmitterArg<Int>())
    defer { emitter.cancelAllObservers() }
    emitter.signal.removeDuplicates { last, next in
      if next == 1 { RunningThread { emitter.invoke(5) }.join() }
      return last == next
    }.bind(to: value)
    value.signal.bind(to: emitter)
    value.set(1)
    #expect(value.value == 5)
  }

  /// The circle that another thread joins leads through an operator whose payloads wait.
  @Test(arguments: [false, true])
  func `16. A circle ends, whoever is before it in the turns of an operator`(isStep: Bool) {
    let (first, second, numbers) = (EmitterArg<Int>(), EmitterArg<Int>(), Trace<Int>())
    defer { first.cancelAllObservers() }
    first.signal.connect(on: .inline) { number in
      numbers.add(number)
      if number == 1 { RunningThread { second.invoke(10) }.join() }
      // An end, so that the test fails, and does not crash.
      if numbers.entries.count == 20 { first.cancelAllObservers() }
    }
    if isStep {
      merge(first.signal, second.signal).scan(0) { $1 + 1 }.bind(to: first)
      second.invoke(0)
    } else {
      combineLatest(first.signal, second.signal).map { $0 + $1 }.bind(to: first)
      first.invoke(0)
      second.invoke(1)
    }
    #expect(numbers.entries == (isStep ? [1, 11] : [0, 1, 10]))
  }

  @Test func `only the first set of a setter is that of the binding`() {
    final class Holder {
      @EmitterValue var stored = 0
      var clamped: Int {
        get { stored }
        set {
          stored = newValue
          stored = 10
        }
      }
    }
    let (value, holder) = (EmitterValue(0), Holder())
    value.signal.bind(to: \.clamped, of: holder, on: .inline)
    holder.$stored.bind(to: value)
    value.set(3)
    #expect(holder.stored == 10)
    #expect(value.value == 10)
  }

  @Test func `a value may be bound to a part of itself`() {
    let side = Side()
    side.$state.map { ($0.x / 10).rounded() * 10 }.removeDuplicates()
      .bind(to: \.x, of: side, on: .inline)
    side.x = 12
    #expect(side.x == 10)
    side.y = 17
    #expect(side.x == 20)
  }

  @Test func `16. A part of a value ends on the newest, also if who is told sets the source`() {
    for part in [\Side.x, \Side.y] as [ReferenceWritableKeyPath<Side, Double> & Sendable] {
      let (first, second) = (Side(), Side())
      first.$state.map { $0.x * 2 }.bind(to: part, of: second, on: .inline)
      withObservationTracking {
        _ = second.x
      } onChange: {
        if first.x == 10 { first.x = 11 }
      }
      first.x = 10
      #expect(first.x == 11)
      #expect(second.x == 22)
    }
  }

  @Test func `16. A value with a setter ends on the newest, also if who is told sets the source`() {
    let (source, stored) = (EmitterValue(0), EmitterValue(0))
    let custom = EmitterValue(get: { stored.value }, set: { stored.set($0) })
    source.signal.map { $0 * 2 }.bind(to: custom)
    withObservationTracking {
      _ = custom.value
    } onChange: {
      if source.value == 10 { source.set(11) }
    }
    source.set(10)
    #expect(custom.value == 22)
  }
}
