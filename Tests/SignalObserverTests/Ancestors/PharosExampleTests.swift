import SignalObserver
import SignalObserverTesting
import Testing
import Turns

/// What the examples of Pharos do, in our words; the README lists them.
///
/// Controls are plain objects here.
@Suite(.serialized, .inTurn, .timeLimit(.minutes(5))) struct PharosExampleTests {
  final class Owner {
    @EmitterValue var text: String? = nil
    let log: Log
    var observers = ObserverBag()

    init(_ log: Log) { self.log = log }

    func textDidChange(from old: String?, to new: String?) {
      log.add("\(old ?? "-") \(new ?? "-")")
    }
  }

  /// `@unchecked Sendable`: one thread at a time.
  final class Field: @unchecked Sendable {
    @EmitterValue var text: String?
    var label: String?

    init(_ text: String? = nil) { _text = EmitterValue(text) }
  }

  let log = Log()
  let owner: Owner

  init() { owner = Owner(log) }

  // MARK: - Setting

  @Test func `a value is a normal property`() {
    let copy = owner
    #expect(owner.text == nil)
    owner.text = "a"
    owner.text?.append("b")
    #expect(owner.text == "ab")
    #expect(copy.text == "ab")
  }

  @Test func `a slot is called on every set with old and new, also if they are equal`() {
    owner.$text.changes.connect(on: .inline) { [log] in log.add("\($0 ?? "-") \($1 ?? "-")") }
    for text in ["a", "a", nil] { owner.text = text }
    #expect(log.entries == ["- a", "a a", "a -"])
  }

  @Test func `sets that change nothing are skipped`() {
    let (trace, _) = owner.$text.removeDuplicates().traced()
    for text in ["a", "a", nil, nil, "a"] { owner.text = text }
    #expect(trace.entries == [nil, "a", nil, "a"])
  }

  @Test func `a method is called with old and new, and its object held weakly`() {
    var target: Owner? = Owner(log)
    @Weakly var released = target
    owner.$text.changes.connect(target!, Owner.textDidChange, nil)
    owner.text = "a"
    target = nil
    owner.text = "b"
    #expect(released == nil)
    #expect(log.entries == ["- a"])
  }

  @Test func `a slot is called once with the current value, at once`() {
    owner.text = "a"
    let (trace, _) = owner.$text.traced()
    #expect(trace.entries == ["a"])
  }

  // MARK: - Several slots

  @Test func `a registration replaces another by its scoped observer`() {
    var current = owner.$text.changes.connect(on: .inline) { [log] in log.add("first \($1 ?? "-")")
    }
    .scoped()
    owner.text = "a"
    current = owner.$text.changes.connect(on: .inline) { [log] in log.add("second \($1 ?? "-")") }
      .scoped()
    withExtendedLifetime(current) { owner.text = "b" }
    #expect(log.entries == ["first a", "second b"])
  }

  @Test func `one set runs three slots of one chain, in order`() {
    let chain = owner.$text.changes.map { $1 ?? "-" }
    for number in 1...3 { chain.connect(on: .inline) { [log] in log.add("\(number) \($0)") } }
    owner.text = "a"
    #expect(log.entries == ["1 a", "2 a", "3 a"])
  }

  @Test func `one set runs two slots of the value and a chained one, in order`() {
    for number in 1...2 {
      owner.$text.changes.connect(on: .inline) { [log] in log.add("\(number) \($1 ?? "-")") }
    }
    owner.$text.changes.map { $1?.count ?? 0 }.connect(on: .inline) { [log] in log.add("3 \($0)") }
    owner.text = "a"
    #expect(log.entries == ["1 a", "2 a", "3 1"])
  }

  @Test func `a chain that is kept and one that is written out are the same`() {
    let kept = owner.$text.changes.map { $1 }
    let (first, _) = kept.traced()
    let (second, _) = owner.$text.changes.map { $1 }.traced()
    for text in ["a", nil] { owner.text = text }
    #expect(first.entries == ["a", nil])
    #expect(second.entries == ["a", nil])
  }

  // MARK: - Ends

  @Test func `a slot in a bag runs until the bag is emptied`() {
    let (trace, observer) = owner.$text.dropFirst().traced()
    observer.store(in: owner.observers)
    owner.text = "a"
    owner.observers.cancelAll()
    owner.text = "b"
    #expect(trace.entries == ["a"])
  }

  @Test func `a slot in a bag runs until the bag is replaced`() {
    let (trace, observer) = owner.$text.dropFirst().traced()
    observer.store(in: owner.observers)
    owner.text = "a"
    owner.observers = ObserverBag()
    owner.text = "b"
    #expect(trace.entries == ["a"])
  }

  @Test func `a slot in a bag runs until the bag's owner dies`() {
    var holder: Owner? = Owner(log)
    let (trace, observer) = owner.$text.dropFirst().traced()
    observer.store(in: holder!.observers)
    owner.text = "a"
    holder = nil
    owner.text = "b"
    #expect(trace.entries == ["a"])
  }

  // MARK: - Values of others

  @Test func `a value with getter and setter reads, sets, and then tells`() {
    let (field, log) = (Field("stored"), log)
    let title = EmitterValue(
      get: { field.label ?? "none" },
      set: {
        log.add("set \($0)")
        field.label = $0
      })
    title.signal.connect(on: .inline) { log.add("slot \($0)") }
    #expect(title.value == "none")
    title.set("a")
    #expect(title.value == "a")
    #expect(log.entries == ["slot none", "set a", "slot a"])
  }

  @Test func `two values that are bonded follow each other, and tell once`() {
    let (text, field) = (EmitterValue<String?>("a"), Field("b"))
    text.bond(givingTo: field.emitter)
    let (trace, _) = text.signal.changes.map { $1 }.traced()
    text.set("c")
    #expect(field.text == "c")
    field.text = "d"
    #expect(text.value == "d")
    #expect(trace.entries == ["c", "d"])
  }

  @Test func `a bond that takes mine sets the field at once`() {
    let (text, field) = (EmitterValue<String?>("a"), Field("b"))
    text.bond(givingTo: field.emitter)
    #expect(text.value == "a")
    #expect(field.text == "a")
  }

  @Test func `a bond that takes theirs sets the text at once`() {
    let (text, field) = (EmitterValue<String?>("a"), Field("b"))
    text.bond(takingFrom: field.emitter)
    #expect(text.value == "b")
    #expect(field.text == "b")
  }

  @Test func `a property of another object is followed`() {
    let field = Field("a")
    let (trace, _) = field.$text.traced()
    field.text = "b"
    #expect(trace.entries == ["a", "b"])
  }

  @Test func `a value is relayed to another object's, one way`() {
    let (state, field) = (EmitterValue<String?>("normal"), Field())
    state.signal.bind(to: field.emitter)
    state.set("pressed")
    #expect(field.text == "pressed")
    field.text = "mine"
    #expect(state.value == "pressed")
  }

  @Test func `a slot lives exactly as long as its source`() {
    var field: Field? = Field("a")
    let (trace, observer) = field!.$text.traced()
    field!.text = "b"
    #expect(!observer.isCancelled)
    field = nil
    #expect(observer.isCancelled)
    #expect(trace.entries == ["a", "b"])
  }

  // MARK: - Operators

  @Test func `nil and empty are left out`() {
    let (trace, _) = owner.$text.filter { !($0?.isEmpty ?? true) }.traced()
    for text in ["", nil, "a"] { owner.text = text }
    #expect(trace.entries == ["a"])
  }

  @Test func `a burst of distinct sets is the first at once, and then the newest`() async {
    let clock = ManualClock()
    let (trace, observer) = owner.$text.removeDuplicates()
      .throttle(for: .seconds(1), clock: clock).traced()
    for text in ["a", "a", "b", "c"] { owner.text = text }
    #expect(trace.entries == [nil])
    await clock.waitForSleepers(1)
    clock.advance(by: .seconds(1))
    #expect(await trace.entries(2) == [nil, "c"])
    observer.cancel()
  }

  @Test func `what is derived has old and new of its own`() {
    let (trace, _) = owner.$text.map { $0?.count ?? 0 }.pairwise().map { [$0, $1] }.traced()
    for text in ["ab", "abc"] { owner.text = text }
    #expect(trace.entries == [[0, 2], [2, 3]])
  }

  @Test func `the elements of an array are mapped`() {
    let words = EmitterValue(["a"])
    let (trace, _) = words.signal.map { $0.map { $0.count } }.traced()
    words.value = ["ab", ""]
    #expect(trace.entries == [[1], [2, 0]])
  }

  @Test func `text sets its count, and that its emptiness when it changes only`() {
    let (text, count, isEmpty) = (EmitterValue("x"), EmitterValue(0), EmitterValue(false))
    let (sets, _) = isEmpty.signal.changes.map { $1 }.traced()
    text.signal.map(\.count).bind(to: count)
    count.signal.map { $0 == 0 }.removeDuplicates().bind(to: isEmpty)
    for value in ["abc", "ab", ""] { text.value = value }
    #expect(count.value == 0)
    #expect(isEmpty.value)
    // It was false from the start, and an equal binding sets nothing.
    #expect(sets.entries == [true])
  }

  @Test func `a label's property follows, until the label is gone`() {
    var field: Field? = Field()
    @Weakly var released = field
    let observer = owner.$text.bind(to: \.label, of: field!, on: nil)
    owner.text = "a"
    #expect(field!.label == "a")
    field = nil
    owner.text = "b"
    #expect(released == nil)
    #expect(observer.isCancelled)
  }

  @Test func `each set of three values makes one of the latest of all`() {
    struct User: Equatable { let name: String, fullName: String, password: String }
    let values = [EmitterValue("n"), EmitterValue("f"), EmitterValue("p")]
    let user = EmitterValue<User?>(nil)
    combineLatest(values[0].signal, values[1].signal, values[2].signal)
      .map { User(name: $0, fullName: $1, password: $2) }
      .bind(to: user)
    let (trace, _) = user.signal.traced()
    for (value, text) in zip(values, ["N", "F", "P"]) { value.set(text) }
    #expect(
      trace.entries == [
        User(name: "n", fullName: "f", password: "p"),
        User(name: "N", fullName: "f", password: "p"),
        User(name: "N", fullName: "F", password: "p"),
        User(name: "N", fullName: "F", password: "P"),
      ])
  }
}

extension PharosExampleTests.Field {
  fileprivate var emitter: EmitterValue<String?> { _text }
}

@Suite(.serialized, .inTurn, .timeLimit(.minutes(5))) @MainActor struct PharosMainExampleTests {
  final class Screen {
    let trace = Trace<Int>()
    func show(_ number: Int) { trace.add(number) }
  }

  let value = EmitterValue(0)
  let screen = Screen()

  @Test func `a slot runs on main, whatever thread sets`() async {
    let (value, trace) = (value, screen.trace)
    value.signal.changes.connect(screen) { screen, _, new in
      MainActor.assertIsolated()
      screen.show(new)
    }
    await Task.detached { onThreads(1) { _ in value.set(1) } }.value
    #expect(await trace.entries(1) == [1])
  }

  @Test func `set on main it runs at once, and set elsewhere later`() async {
    let value = value
    value.signal.connect(screen, Screen.show)
    value.set(1)
    #expect(screen.trace.entries == [0, 1])
    onThreads(1) { _ in value.set(2) }
    #expect(screen.trace.entries == [0, 1])
    #expect(await screen.trace.entries(3) == [0, 1, 2])
  }
}
