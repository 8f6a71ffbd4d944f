import Dispatch
import SignalObserver
import SignalObserverTesting
import Synchronization
import Testing

@Suite(.serialized, .inTurn, .timeLimit(.minutes(5))) struct BindingTests {
  final class Label: @unchecked Sendable {
    var text: String? = nil { didSet { texts.append(text) } }
    var title = "" { didSet { texts.append(title) } }
    var texts: [String?] = []
  }

  @Test @MainActor func `a property of the main actor is set at once there`() {
    @MainActor final class Screen { var title = "" }
    let (value, screen) = (EmitterValue("a"), Screen())
    value.signal.bind(to: \.title, of: screen)
    #expect(screen.title == "a")
    value.set("b")
    #expect(screen.title == "b")
  }

  @Test func `a property that is a value is assigned, so its didSet runs`() {
    final class Model: @unchecked Sendable {
      @EmitterValue var title = "" { didSet { titles.append(title) } }
      var titles: [String] = []
    }
    let (value, model) = (EmitterValue("a"), Model())
    value.signal.bind(to: \.title, of: model, on: .inline)
    value.set("b")
    #expect(model.titles == ["a", "b"])
  }

  @Test func `what a slot sets after a binding that has set nothing is its own set`() {
    final class Mirror: @unchecked Sendable {
      let value = EmitterValue(0)
      // A binding takes it for a property that is stored in the value.
      var next: Int {
        get { value.value + 1 }
        set {}
      }
    }
    let mirror = Mirror()
    mirror.value.signal.bind(to: \.next, of: mirror, on: .inline)
    mirror.value.signal.connect(on: .inline) { if $0 == 1 { mirror.value.set(2) } }
    mirror.value.set(1)
    #expect(mirror.value.value == 2)
  }

  @Test func `a binding behind scan does not pass on a payload that a slot has replaced`() {
    let (source, target) = (EmitterValue(0), EmitterValue(0))
    source.signal.connect(on: .inline) { if $0 == 1 { source.set(2) } }
    source.signal.scan(0) { _, number in number }.bind(to: target)
    let (trace, _) = target.signal.traced()

    source.set(1)

    #expect(trace.entries == [0, 2])
  }

  @Test func `a binding does not pass on what another thread has replaced before its turn`() {
    let (source, target) = (EmitterValue(0), EmitterValue(0))
    source.signal.bind(to: target)
    let (trace, _) = target.signal.traced()
    source.signal.connect(on: .inline) { number in
      if number == 1 { RunningThread { for number in 2...3 { source.set(number) } }.join() }
    }

    source.set(1)

    #expect(trace.entries == [0, 1, 3])
  }

  @Test func `a payload of another thread is not taken for one that returns through scan`() {
    let (emitter, value, entered, mayGo) = (EmitterArg<Int>(), EmitterValue(0), Gate(), Gate())
    value.signal.bind(to: emitter)
    emitter.signal
      .scan(0) { _, number in
        if number == 1 {
          entered.open()
          mayGo.pass()
        }
        return number
      }
      .bind(to: value)

    onThreads(2) { index in
      if index == 0 { return value.set(1) }
      entered.pass()
      emitter.invoke(5)
      mayGo.open()
    }

    #expect(value.value == 5)
  }

  @Test func `a property whose getter reads several values is none of them`() {
    let totals = Totals()
    totals.$second.map { $0 * 2 }.bind(to: \.total, of: totals, on: .inline)
    totals.second = 5

    #expect(totals.first == 10)
    #expect(totals.second == 0)
  }

  @Test func `a property is set on the queue that is named`() {
    let (value, label) = (EmitterValue("a"), Label())
    let queue = DispatchQueue(label: "binding")
    value.signal.map { $0 + "!" }.bind(to: \.text, of: label, on: queue)
    queue.sync {}
    #expect(label.texts == ["a!"])
  }

  @Test func `cycles of emitters are cut`() {
    let emitters = [EmitterArg<Int>(), EmitterArg<Int>(), EmitterArg<Int>()]
    let traces = emitters.map { $0.signal.traced().0 }
    for index in 0..<3 { emitters[index].signal.bind(to: emitters[(index + 1) % 3]) }
    emitters[0].invoke(1)
    emitters[2].invoke(2)
    #expect(traces.map(\.entries) == [[1, 2], [1, 2], [1, 2]])
  }

  @Test func `16. A value that a slot of the bound one sets reaches it`() {
    let (model, field) = (EmitterValue(0), EmitterValue(0))
    model.signal.bind(to: field)
    field.signal.connect(on: .inline) { if $0 > 10 { model.set(10) } }
    let (trace, _) = field.signal.traced()

    field.set(11)

    #expect(model.value == 10)
    #expect(field.value == 10)
    #expect(trace.entries == [0, 11, 10])
  }

  @Test func `an event that a slot of the bound emitter sends is passed on`() {
    let (model, field) = (EmitterArg<Int>(), EmitterArg<Int>())
    model.signal.bind(to: field)
    field.signal.connect(on: .inline) { if $0 > 0 { model.invoke($0 - 1) } }
    let (trace, _) = field.signal.traced()

    field.invoke(3)

    #expect(trace.entries == [3, 2, 1, 0])
  }

  @Test(arguments: 2..<6, 0..<2)
  func `16. All values of a cycle end on the newest, whatever a slot in it sets`(
    _ count: Int, _ setter: Int
  ) {
    for (place, target) in [(0, 0), (0, 1), (1, 0), (1, 1)] {
      let values = (0..<count).map { EmitterValue($0) }
      values[place].signal.connect(on: .inline) { if $0 > 10 { values[target].set(10) } }
      for index in 0..<count { values[index].signal.bind(to: values[(index + 1) % count]) }
      let traces = values.map { $0.signal.traced().0 }

      values[setter].set(11)

      #expect(values.map(\.value) == Array(repeating: 10, count: count))
      #expect(traces.allSatisfy { $0.entries.last == 10 && $0.entries.count <= 5 })
    }
  }

  /// A source that passes on what it is made of, in ways that are emissions of their own.
  struct Passing: Sendable, CustomTestStringConvertible {
    let testDescription: String
    let apply: @Sendable (SignalValue<Int>) -> any SignalSource<Int>

    static let all = [
      Passing(testDescription: "map") { $0.map { $0 } },
      Passing(testDescription: "replay") { $0.replay(1) },
      Passing(testDescription: "merge") { merge($0, EmitterArg<Int>().signal) },
      Passing(testDescription: "combineLatest") { combineLatest($0, $0).map { first, _ in first } },
      Passing(testDescription: "combineLatest of many") {
        combineLatest([$0, $0]).map { $0[0] }
      },
      Passing(testDescription: "throttle") { $0.throttle(for: .zero, clock: ManualClock()) },
    ]
  }

  @Test(arguments: Passing.all) func `cycles of operators are cut`(_ each: Passing) {
    let (mine, theirs) = (EmitterValue(0), EmitterValue(0))
    func bind(_ source: some SignalSource<Int>, to value: EmitterValue<Int>) {
      source.bind(to: value)
    }
    bind(each.apply(mine.signal), to: theirs)
    bind(each.apply(theirs.signal), to: mine)
    let (trace, _) = mine.signal.traced()

    mine.set(1)
    theirs.set(2)

    #expect(mine.value == 2)
    #expect(theirs.value == 2)
    #expect(trace.entries.first == 0)
    #expect(trace.entries.last == 2)
  }

  @Test func `16. A binding behind an operator sets its target, though a slot sets its source`() {
    struct Case {
      let name: String
      let last: Int
      let apply: (SignalValue<Int>) -> any SignalSource<Int>
    }
    func bind(_ source: some SignalSource<Int>, to value: EmitterValue<Int>) {
      source.bind(to: value)
    }
    let (numbers, clock) = (EmitterArg<Int>(), ManualClock())
    for each in [
      Case(name: "filter", last: 1) { $0.filter { $0 == 1 } },
      Case(name: "compactMap", last: 1) { $0.compactMap { $0 == 1 ? 1 : nil } },
      Case(name: "removeDuplicates", last: 1) { $0.map { min($0, 1) }.removeDuplicates() },
      Case(name: "prefix", last: 1) { $0.prefix(2) },
      Case(name: "prefix with a condition", last: 1) { $0.prefix { $0 < 2 } },
      Case(name: "merge", last: 1) { merge($0.filter { $0 == 1 }, numbers.signal) },
      Case(name: "filter behind merge", last: 1) {
        merge($0, numbers.signal).filter { $0 == 1 }
      },
      Case(name: "compactMap behind combineLatest", last: 1) {
        combineLatest($0, $0).compactMap { first, _ in first == 1 ? 1 : nil }
      },
      Case(name: "collect", last: 1) { $0.collect(2).map { $0.last ?? 0 } },
      Case(name: "throttle", last: 1) {
        $0.changes.map { $1 }.throttle(for: .seconds(1), latest: false, clock: clock)
      },
      Case(name: "zip", last: 1) { $0.zip(numbers.signal.replay(2)).map { first, _ in first } },
      Case(name: "map", last: 2) { $0.map { $0 } },
      Case(name: "scan", last: 3) { $0.scan(0) { $0 + $1 } },
    ] {
      let (value, target) = (EmitterValue(0), EmitterValue(0))
      value.signal.connect(on: .inline) { if $0 == 1 { value.set(2) } }
      defer { value.cancelAllObservers() }
      let source = each.apply(value.signal)
      bind(source, to: target)
      final class Label: @unchecked Sendable { var number = 0 }
      let label = Label()
      func bindProperty(_ source: some SignalSource<Int>) {
        source.bind(to: \.number, of: label, on: .inline)
      }
      bindProperty(source)
      numbers.invoke(0)
      if each.name == "zip" { numbers.invoke(0) }

      value.set(1)

      #expect(target.value == each.last, "\(each.name)")
      #expect(label.number == each.last, "\(each.name)")
    }
  }

  @Test func `16. A closure that sets its own source ends on the newest, whatever follows it`() {
    let (value, target) = (EmitterValue(0), EmitterValue(0))
    defer { value.cancelAllObservers() }
    value.signal.map { number in
      if number == 1 { value.set(2) }
      return number
    }.bind(to: target)
    value.signal.filter { _ in true }.connect(on: .inline) { _ in }
    value.set(1)
    #expect(target.value == 2)
  }

  @Test func `whoever cancels the connections of a signal ends a binding behind an operator`() {
    final class Board: @unchecked Sendable { var total = 0 }
    let (board, queue, scored) = (Board(), DispatchQueue(label: "board"), EmitterArg<Int>())
    for isTarget in [true, false] {
      let observer = scored.signal.scan(0) { $0 + $1 }.bind(to: \.total, of: board, on: queue)
      queue.suspend()
      scored.invoke(1)
      if isTarget {
        scored.signal.cancelObservers(of: board)
      } else {
        scored.cancelAllObservers()
      }
      #expect(observer.isCancelled)
      queue.resume()
      queue.sync {}
      #expect(board.total == 0)
    }
  }

  @Test func `a property on a queue is set to the last payload of the operators before it`() {
    final class Board: @unchecked Sendable { var (total, text) = (0, "") }
    let (board, queue) = (Board(), DispatchQueue(label: "board"))
    let (scored, state) = (EmitterArg<Int>(), EmitterValue(""))
    scored.signal.scan(0) { $0 + $1 }.bind(to: \.total, of: board, on: queue)
    state.signal.filter { $0 != "loading" }.bind(to: \.text, of: board, on: queue)

    queue.suspend()
    for number in 1...3 { scored.invoke(number) }
    state.set("done")
    state.set("loading")
    queue.resume()
    queue.sync {}

    #expect(board.total == 6)
    #expect(board.text == "done")
  }

  @Test func `cycles of bindings and bonds are cut`() {
    let values = (0..<4).map { EmitterValue($0) }
    for index in 0..<4 {
      if index % 2 == 0 {
        values[index].signal.bind(to: values[(index + 1) % 4])
      } else {
        values[index].bond(givingTo: values[(index + 1) % 4])
      }
    }

    for (index, value) in values.enumerated() {
      value.set(10 + index)
      #expect(values.map(\.value) == Array(repeating: 10 + index, count: 4))
    }
  }

  @Test func `cycles end, also if threads set their values at once`() async {
    for _ in 0..<50 {
      let values = (0..<3).map { EmitterValue($0) }
      for index in 0..<3 { values[index].signal.bind(to: values[(index + 1) % 3]) }
      onThreads(3) { index in
        for number in 1...20 { values[index].set(index * 100 + number) }
      }
      // If a global queue has taken over, its work is done when all have a last value.
      values[0].set(1000)
      await until("the last value") { values.allSatisfy { $0.value == 1000 } }
    }
  }

  @Test func `a payload sets a bound value, though a slot has set that value meanwhile`() {
    let (mine, theirs) = (EmitterValue(0), EmitterValue(0))
    mine.signal.changes.connect(on: .inline) { _, _ in theirs.set(100) }
    mine.signal.bind(to: theirs)

    mine.set(1)

    #expect(theirs.value == 1)
  }

  @Test func `what had to wait in a cycle does not pass through it again`() {
    let values = (0..<3).map { _ in EmitterValue(0) }
    for index in 0..<3 { values[index].signal.bind(to: values[(index + 1) % 3]) }
    let traces = values.map { $0.signal.traced().0 }
    values[2].signal.connect(on: .inline) { if $0 == 1 { values[0].set(2) } }

    values[2].set(1)

    #expect(traces.map(\.entries) == Array(repeating: [0, 1, 2], count: 3))
  }

  @Test func `a value that a slot of an emitter sets is sent by that emitter`() {
    let (value, events) = (EmitterValue(0), EmitterArg<Int>())
    value.signal.bind(to: events)
    events.signal.connect(on: .inline) { if $0 == 1 { value.set(2) } }
    let (trace, _) = events.signal.traced()

    events.invoke(1)

    #expect(trace.entries.sorted() == [1, 2])
  }

  @Test func `an event that a slot sends is newer than the event of the slot`() {
    let (mine, theirs) = bondedValues { events, mine, _ in
      events.signal.bind(to: mine)
      events.signal.connect(on: .inline) { event in
        if event != 1 { return }
        mine.set(5)
        events.invoke(2)
      }
    }

    #expect(mine == 2)
    #expect(theirs == 2)
  }

  @Test func `what a combination sends after it had to wait is newer than what it waited for`() {
    let (mine, theirs) = bondedValues { events, mine, theirs in
      combineLatest([events.signal]).map { $0[0] }.bind(to: mine)
      mine.signal.changes.connect(on: .inline) { _, new in
        if new != 1 { return }
        theirs.set(50)
        events.invoke(2)
      }
    }

    #expect(mine == 2)
    #expect(theirs == 2)
  }

  /// Two bonded values after `connect`, and after an emitter has passed on a 1 that a source was set
  /// to.
  private func bondedValues(
    _ connect: (EmitterArg<Int>, EmitterValue<Int>, EmitterValue<Int>) -> Void
  ) -> (Int, Int) {
    let (source, events) = (EmitterValue(0), EmitterArg<Int>())
    let (mine, theirs) = (EmitterValue(0), EmitterValue(0))
    mine.bond(givingTo: theirs)
    connect(events, mine, theirs)
    source.signal.bind(to: events)

    source.set(1)

    return (mine.value, theirs.value)
  }

  @Test func `bindings end with the bag of a third object`() {
    final class Owner { let observers = ObserverBag() }
    var owner: Owner? = Owner()
    let (value, label) = (EmitterValue("a"), Label())
    value.signal.bind(to: \.title, of: label, on: nil).store(in: owner!.observers)
    owner = nil
    value.set("b")
    #expect(label.texts == ["a"])
  }

  @Test @MainActor func `a property, optional or not, is set on the actor of the call`() async {
    final class Screen {
      var title = ""
      var text: String?
    }
    let (emitter, screen) = (EmitterArg<String>(), Screen())
    emitter.signal.bind(to: \.title, of: screen)
    emitter.signal.bind(to: \.text, of: screen)
    onThreads(1) { _ in emitter.invoke("a") }
    #expect(screen.title == "")
    #expect(screen.text == nil)
    await mainQueueSettled()

    #expect(screen.title == "a")
    #expect(screen.text == "a")
  }

  @Studio @Test func `a property is set at once on the actor of the call, whichever that is`() {
    let (emitter, label) = (EmitterArg<String>(), Label())
    emitter.signal.bind(to: \.title, of: label)
    emitter.signal.bind(to: \.text, of: label)
    // The main queue, where it would be set otherwise, is busy.
    let leave = Gate()
    DispatchQueue.main.async { leave.pass() }
    emitter.invoke("a")
    #expect(label.title == "a")
    #expect(label.text == "a")
    leave.open()
  }

  @Studio @Test func `a payload that equals a property, optional or not, does not set it`() {
    let emitter = EmitterArg<String>()
    let (label, other) = (Label(), Label())
    emitter.signal.bind(to: \.title, of: label)
    emitter.signal.bind(to: \.text, of: label)
    emitter.signal.bind(to: \.title, of: other, on: .inline)
    emitter.signal.bind(to: \.text, of: other, on: .inline)
    for text in ["a", "a", "b"] { emitter.invoke(text) }

    #expect(label.texts == ["a", "a", "b", "b"])
    #expect(other.texts == ["a", "a", "b", "b"])
  }

  @Test func `a setter that modifies a value loses no set of another thread`() {
    let (emitter, counter) = (EmitterArg<Int>(), Counter())
    emitter.signal.bind(to: \.highest, of: counter, on: .inline)
    counter.during = { counter.value.set(100) }
    emitter.invoke(5)
    #expect(counter.highest == 100)

    // What the setter sets in the end is the binding's, and not the program's.
    let mirror = EmitterValue(0)
    let calls = Calls()
    counter.value.signal.bind(to: mirror)
    mirror.signal.bind(to: \.highest, of: counter, on: .inline)
    mirror.signal.changes.connect(on: .inline) { _, _ in calls.add() }
    counter.during = { counter.value.set(300) }
    mirror.set(200)
    #expect((counter.highest, mirror.value) == (300, 300))
    #expect(calls.count <= 3)
  }

  @Test func `what a setter changes does not return to its source`() {
    let (mirror, rounded) = (EmitterValue(0), Rounded())
    mirror.signal.bind(to: \.number, of: rounded, on: .inline)
    rounded.value.signal.bind(to: mirror)

    mirror.set(25)

    #expect(rounded.number == 20)
    #expect(mirror.value == 25)
  }

  @Test func `a property, optional or not, is set on its queue and not before`() {
    let (emitter, label) = (EmitterArg<String>(), Label())
    let queue = DispatchQueue(label: "binding")
    emitter.signal.bind(to: \.title, of: label, on: queue)
    emitter.signal.bind(to: \.text, of: label, on: queue)
    queue.suspend()
    emitter.invoke("a")
    #expect(label.texts.isEmpty)
    queue.resume()
    queue.sync {}

    #expect(label.texts == ["a", "a"])
  }
}

/// Has a property that sets the value of the last read, and then the other one.
private final class Totals: @unchecked Sendable {
  @EmitterValue var first = 0
  @EmitterValue var second = 0

  var total: Int {
    get { first + second }
    set {
      second = 0
      first = newValue
    }
  }
}

/// Its setter keeps the highest number.
private final class Counter: Sendable {
  let value = EmitterValue(0)
  private let once = Mutex<(@Sendable () -> Void)?>(nil)

  /// What happens once, on another thread, before the setter modifies the value.
  var during: (@Sendable () -> Void)? {
    get { once.withLock { $0.take() } }
    set { once.withLock { $0 = newValue } }
  }

  var highest: Int {
    get { value.value }
    set {
      if let during { RunningThread(during).join() }
      value.modify { $0 = max($0, newValue) }
    }
  }
}

/// Its setter rounds down to tens.
private final class Rounded: @unchecked Sendable {
  let value = EmitterValue(0)

  var number: Int {
    get { value.value }
    set { value.modify { $0 = newValue / 10 * 10 } }
  }
}
