import Dispatch
import SignalObserver
import SignalObserverTesting
import Synchronization
import Testing
import Turns

/// The rows of values; the README says what they are.
@Suite(.serialized, .inTurn, .timeLimit(.minutes(5))) struct ValueRowTests {
  @Test func `an event has no state, and every emission is sent, equal or not`() {
    let emitter = EmitterArg<Int>()
    let (trace, _) = emitter.signal.traced()
    for number in [1, 1, 2] { emitter.invoke(number) }
    #expect(trace.entries == [1, 1, 2])
  }

  @Test func `a property is a state that others follow`() {
    final class Model { @EmitterValue var title = "a" }
    let model = Model()
    let (trace, _) = model.$title.traced()
    model.title = "b"
    #expect(model.title == "b")
    #expect(trace.entries == ["a", "b"])
  }

  @Test func `only the new slot is given the current value, at once`() {
    let value = EmitterValue(0)
    let (first, _) = value.signal.traced()
    value.set(1)
    let (second, _) = value.signal.traced()
    #expect(first.entries == [0, 1])
    #expect(second.entries == [1])
  }

  @Test func `an event is not sent again to those who connect later`() {
    let emitter = EmitterArg<Int>()
    emitter.invoke(1)
    let (trace, _) = emitter.signal.traced()
    #expect(trace.entries == [])
    emitter.invoke(2)
    #expect(trace.entries == [2])
  }

  @Test func `the current value is read synchronously, by those who cannot set it as well`() {
    let value = EmitterValue("a")
    let seen = Trace<String>()
    let signal = value.signal
    signal.connect(on: .inline) { _ in seen.add(signal.value) }
    value.set("b")
    #expect(value.value == "b")
    #expect(signal.value == "b")
    #expect(seen.entries == ["a", "b"])
  }

  @Test func `a delivery has the old value, whose first is the one of before`() {
    let value = EmitterValue<Int?>(nil)
    let (trace, _) = value.signal.changes.map { [$0, $1] }.traced()
    value.set(1)
    value.set(1)
    value.set(nil)
    #expect(trace.entries == [[nil, 1], [1, 1], [1, nil]])
  }

  @Test func `a value set in the slot that is given the current one is delivered`() {
    let value = EmitterValue(0)
    defer { value.cancelAllObservers() }
    let trace = Trace<Int>()
    value.signal.connect(on: .inline) {
      trace.add($0)
      if $0 < 3 { value.set($0 + 1) }
    }
    #expect(trace.entries == [0, 1, 2, 3])
  }

  @Test func `a custom getter and setter keep the value`() {
    let store = Store()
    let value = EmitterValue(
      get: {
        store.calls.append("get")
        return store.title
      },
      set: {
        store.calls.append("set")
        store.title = $0.uppercased()
      })
    let (trace, _) = value.signal.traced()
    store.calls = []
    value.set("new")
    #expect(store.calls == ["get", "set", "get"])
    #expect(value.value == "NEW")
    #expect(trace.entries == ["stored", "NEW"])
  }

  @Test func `an object behind a value may be held weakly`() {
    var store: Store? = Store()
    @Weakly var kept = store
    let value = EmitterValue(get: { [weak store] in store?.title }, set: { _ in })
    #expect(value.value == "stored")
    store = nil
    #expect(kept == nil)
    #expect(value.value == nil)
  }

  @Test func `the source of a change is a part of the payload`() {
    let emitter = EmitterArg2<String, ObjectIdentifier>()
    let (mine, theirs) = (Lifetime(), Lifetime())
    let (trace, _) = emitter.signal.filter { [mine] in $1 != ObjectIdentifier(mine) }
      .map { text, _ in text }.traced()
    emitter.invoke("a", ObjectIdentifier(mine))
    emitter.invoke("b", ObjectIdentifier(theirs))
    #expect(trace.entries == ["b"])
  }

  @Test func `others follow and read a value that only its owner sets`() {
    final class Model {
      private let title = EmitterValue("a")
      var titleValue: SignalValue<String> { title.signal }
      func load() { title.set("b") }
    }
    let model = Model()
    let (trace, _) = model.titleValue.traced()
    model.load()
    #expect(trace.entries == ["a", "b"])
    #expect(model.titleValue.value == "b")
    #expect(!((model.titleValue as Any) is EmitterValue<String>))
  }

  private final class Store: @unchecked Sendable {
    var title = "stored"
    var calls: [String] = []
  }
}

/// The rows of bindings; the README says what they are.
@Suite(.serialized, .inTurn, .timeLimit(.minutes(5))) struct BindingRowTests {
  /// `@unchecked Sendable`: one thread at a time.
  final class Label: @unchecked Sendable {
    var text: String? = nil { didSet { texts.append(text) } }
    var title = "" { didSet { texts.append(title) } }
    var texts: [String?] = []
  }

  let label = Label()
  let mine = EmitterValue(1)
  let theirs = EmitterValue(2)

  @Test func `a property of an object of any class is bound, and the object held weakly`() {
    let value = EmitterValue("a")
    var label: Label? = Label()
    @Weakly var released = label
    let observer = value.signal.bind(to: \.title, of: label!, on: nil)
    value.set("b")
    #expect(label!.title == "b")
    label = nil
    #expect(released == nil)
    #expect(observer.isCancelled)
  }

  @Test func `a value fits an optional property, and by map an optional value`() {
    let (value, optional) = (EmitterValue("a"), EmitterValue<String?>(nil))
    value.signal.bind(to: \.text, of: label, on: nil)
    value.signal.map(Optional.some).bind(to: optional)
    value.set("b")
    #expect(label.texts == ["a", "b"])
    #expect(optional.value == "b")
  }

  @Test func `binding applies the current value, if there is one, and each new one`() {
    let (value, event) = (EmitterValue("a"), EmitterArg<String?>())
    event.signal.bind(to: \.text, of: label, on: nil)
    #expect(label.texts == [])
    value.signal.bind(to: \.title, of: label, on: nil)
    value.set("b")
    // The text is nil already, and an equal binding sets nothing.
    event.invoke(nil)
    #expect(label.texts == ["a", "b"])
    event.invoke("c")
    event.invoke(nil)
    #expect(label.texts == ["a", "b", "c", nil])
  }

  @Test func `an emitter and a value are bound to another one, which is followed`() {
    let (north, all) = (EmitterArg<Int>(), EmitterArg<Int>())
    let (trace, _) = all.signal.map { -$0 }.traced()
    let observer = north.signal.bind(to: all)
    mine.signal.bind(to: theirs)
    let (values, _) = theirs.signal.removeDuplicates().traced()
    north.invoke(1)
    observer.cancel()
    north.invoke(2)
    for number in [3, 3, 4] { mine.set(number) }
    #expect(trace.entries == [-1])
    #expect(values.entries == [1, 3, 4])
  }

  @Test func `a bond keeps two values the same, whichever is set`() {
    let observer = mine.bond(givingTo: theirs)
    mine.set(3)
    #expect(theirs.value == 3)
    theirs.set(4)
    #expect(mine.value == 4)
    observer.cancel()
    mine.set(5)
    #expect(theirs.value == 4)
  }

  @Test func `a bond begins with mine`() {
    mine.bond(givingTo: theirs)
    #expect(mine.value == 1)
    #expect(theirs.value == 1)
  }

  @Test func `a bond begins with theirs`() {
    mine.bond(takingFrom: theirs)
    #expect(mine.value == 2)
    #expect(theirs.value == 2)
  }

  @Test func `a bond sets each side once for each change`() {
    let (one, two) = (mine.signal.traced().0, theirs.signal.traced().0)
    mine.bond(givingTo: theirs)
    mine.set(3)
    theirs.set(4)
    #expect(one.entries == [1, 3, 4])
    #expect(two.entries == [2, 1, 3, 4])
  }

  @Test func `two bindings that make a cycle set each side once`() {
    let (one, two) = (mine.signal.traced().0, theirs.signal.traced().0)
    mine.signal.changes.map { $1 }.bind(to: theirs)
    theirs.signal.changes.map { $1 }.bind(to: mine)
    mine.set(3)
    theirs.set(4)
    #expect(one.entries == [1, 3, 4])
    #expect(two.entries == [2, 3, 4])
  }
}

/// The rows of operators; the README says what they are.
@Suite(.serialized, .inTurn, .timeLimit(.minutes(5))) struct OperatorRowTests {
  let log = Log()
  let emitter = EmitterArg<Int>()

  @Test func `map adapts one argument and two for a method`() {
    let two = EmitterArg2<Int, [Int]>()
    let target = Target("target", log)
    emitter.signal.map(target, Target.show, { $0 + 1 }, nil)
    two.signal.map(target, Target.showBoth, { ($0, "\($1.count)") }, nil)
    emitter.invoke(1)
    two.invoke(7, [1, 2, 3])
    #expect(log.entries == ["target 2", "target 7 3"])
  }

  @Test func `map makes a source, which is mapped and connected like a signal`() {
    let source = emitter.signal.map { $0 * 2 }
    let (doubled, _) = source.traced()
    let (texts, _) = source.map { "\($0)" }.traced()
    for number in 1...2 { emitter.invoke(number) }
    #expect(doubled.entries == [2, 4])
    #expect(texts.entries == ["2", "4"])
  }

  @Test func `transforms run where the slot runs`() {
    let queue = DispatchQueue(label: "transforms")
    let key = DispatchSpecificKey<Bool>()
    queue.setSpecific(key: key, value: true)
    let trace = Trace<Bool>()
    emitter.signal.map { _ in DispatchQueue.getSpecific(key: key) ?? false }
      .filter { _ in DispatchQueue.getSpecific(key: key) ?? false }
      .connect(on: queue) { trace.add($0) }
    emitter.invoke(1)
    queue.sync {}
    #expect(trace.entries == [true])
  }

  @Test func `compactMap drops what is nil, and keeps an optional that is a value`() {
    let (numbers, _) = emitter.signal.compactMap { $0 > 1 ? $0 * 10 : nil }.traced()
    let (optionals, _) = emitter.signal.compactMap { $0 > 1 ? Int??.some(nil) : nil }.traced()
    for number in 1...3 { emitter.invoke(number) }
    #expect(numbers.entries == [20, 30])
    #expect(optionals.entries == [nil, nil])
  }

  @Test func `the elements of a collection are mapped`() {
    let emitter = EmitterArg<[String]>()
    let (trace, _) = emitter.signal.map { $0.map { $0.count } }.traced()
    emitter.invoke(["ab", ""])
    emitter.invoke([])
    #expect(trace.entries == [[2, 0], []])
  }

  @Test func `a filter looks at the old value and the new one`() {
    let value = EmitterValue(0)
    let (rising, _) = value.signal.changes.filter { old, new in new > old }.map { $1 }.traced()
    let (sent, _) = value.signal.removeDuplicates { last, new in new <= last }.traced()
    for number in [3, 1, 2, 4] { value.set(number) }
    #expect(rising.entries == [3, 2, 4])
    #expect(sent.entries == [0, 3, 4])
  }

  @Test func `equal values are dropped`() {
    let (trace, _) = emitter.signal.removeDuplicates().traced()
    for number in [1, 1, 2, 2, 1] { emitter.invoke(number) }
    #expect(trace.entries == [1, 2, 1])
  }

  @Test func `the same object is dropped`() {
    let emitter = EmitterArg<Lifetime>()
    let (trace, _) = emitter.signal.removeDuplicates(by: ===).traced()
    let (first, second) = (Lifetime(), Lifetime())
    for object in [first, first, second, first] { emitter.invoke(object) }
    #expect(
      trace.entries.map(ObjectIdentifier.init)
        == [first, second, first].map { ObjectIdentifier($0) })
  }

  @Test func `throttle sends the first at once and then the newest`() async {
    let clock = ManualClock()
    let (trace, observer) = emitter.signal.throttle(for: .seconds(1), clock: clock).traced()
    for number in 1...5 { emitter.invoke(number) }
    #expect(trace.entries == [1])
    await clock.waitForSleepers(1)
    clock.advance(by: .seconds(1))
    #expect(await trace.entries(2) == [1, 5])
    emitter.invoke(6)
    #expect(trace.entries == [1, 5])
    await clock.waitForSleepers(1)
    clock.advance(by: .seconds(1))
    #expect(await trace.entries(3) == [1, 5, 6])
    observer.cancel()
  }

  @Test func `sources of the same payload are merged`() {
    let south = EmitterArg<Int>()
    let (trace, observer) = merge(emitter.signal, south.signal.map { -$0 }).traced()
    emitter.invoke(1)
    south.invoke(2)
    emitter.invoke(3)
    observer.cancel()
    south.invoke(4)
    #expect(trace.entries == [1, -2, 3])
    #expect(emitter.signal.slotCount == 0)
    #expect(south.signal.slotCount == 0)
  }

  @Test func `the latest of two, three and four sources are sent as a tuple`() {
    let (name, south) = (EmitterValue("n"), EmitterArg<Int>())
    let (two, _) = combineLatest(name.signal, emitter.signal).map { "\($0) \($1)" }.traced()
    let (three, _) = combineLatest(name.signal, emitter.signal, south.signal)
      .map { "\($0) \($1) \($2)" }.traced()
    let (four, _) = combineLatest(name.signal, emitter.signal, south.signal, name.signal)
      .map { "\($0) \($1) \($2) \($3)" }.traced()
    emitter.invoke(1)
    south.invoke(2)
    name.set("m")
    #expect(two.entries == ["n 1", "m 1"])
    #expect(three.entries == ["n 1 2", "m 1 2"])
    #expect(four.entries == ["n 1 2 n", "m 1 2 n", "m 1 2 m"])
  }

  @Test func `users write operators the same way`() {
    let source = Every(base: emitter.signal, n: 2)
    let (first, _) = source.traced()
    emitter.invoke(1)
    let (second, _) = source.map { -$0 }.traced()
    for number in 2...5 { emitter.invoke(number) }
    #expect(first.entries == [2, 4])
    #expect(second.entries == [-3, -5])
  }

  @Test func `map changes the number of arguments`() {
    let nothing = EmitterVoid()
    let target = Target("target", log)
    nothing.signal.map { 7 }.map { ($0, "seven") }.connect(target, Target.showBoth, nil)
    nothing.signal.map { 7 }.connect(target, Target.called, nil)
    nothing.signal.map(target, Target.show, { 8 }, nil)
    nothing.invoke()
    #expect(log.entries == ["target 7 seven", "target", "target 8"])
  }

  /// Sends every `n`th payload.
  private struct Every<Base: SignalSource>: SignalSource {
    let base: Base
    let n: Int

    func attach(_ slot: SignalSlot<Base.Payload>) -> SignalObserver {
      let count = Counter()
      return base.attach(slot.compactAdapted { [n] in count.next() % n == 0 ? $0 : nil })
    }
  }

  private final class Counter: Sendable {
    private let count = Atomic(0)
    func next() -> Int { count.add(1, ordering: .relaxed).newValue }
  }
}
