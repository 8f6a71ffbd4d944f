import Dispatch
import SignalObserver
import Testing

/// What the examples of Pharos do, in our words; the numbers are theirs.
@Suite struct PharosExampleTests {
  final class Owner {
    @EmitterValue var text: String? = nil
    let trace = Trace<String>()
    var observers = ObserverBag()

    func textDidChange(from old: String?, to new: String?) {
      trace.add("\(old ?? "-") \(new ?? "-")")
    }
  }

  @MainActor final class Screen {
    let trace = Trace<Int>()
    func show(_ number: Int) { trace.add(number) }
  }

  let owner = Owner()

  @Test func `2, 4: a method is called on every set with old and new, also if they are equal`() {
    owner.$text.changes.connect(owner, Owner.textDidChange, nil)
    for text in ["a", "a", nil] { owner.text = text }
    #expect(owner.trace.elements == ["- a", "a a", "a -"])
  }

  @Test func `3: sets that change nothing can be skipped`() {
    let (trace, _) = owner.$text.removeDuplicates().traced()
    for text in ["a", "a", nil, nil, "a"] { owner.text = text }
    #expect(trace.elements == [nil, "a", nil, "a"])
  }

  @Test func `6: a registration replaces another by its scoped observer`() {
    let trace = Trace<String>()
    var current = owner.$text.changes.connect({ trace.add("first \($1 ?? "-")") }, nil).scoped()
    owner.text = "a"
    current = owner.$text.changes.connect({ trace.add("second \($1 ?? "-")") }, nil).scoped()
    withExtendedLifetime(current) { owner.text = "b" }
    #expect(trace.elements == ["first a", "second b"])
  }

  @Test func `7, 8, 9: one set runs all that are connected, in order`() {
    let trace = Trace<Int>()
    for number in 1...3 { owner.$text.changes.connect({ _, _ in trace.add(number) }, nil) }
    owner.text = "a"
    #expect(trace.elements == [1, 2, 3])
  }

  @Test func `10, 11: an observer in a bag runs until that is emptied or replaced`() {
    let owner = owner
    let trace = Trace<String?>()
    owner.$text.dropFirst().connect({ trace.add($0) }, nil).store(in: owner.observers)
    owner.text = "a"
    owner.observers.cancelAll()
    owner.text = "b"
    owner.$text.connect({ trace.add($0) }, nil).store(in: owner.observers)
    owner.observers = ObserverBag()
    owner.text = "c"
    #expect(trace.elements == ["a", "b"])
  }

  @Test func `12: nor after the owner of the bag has died`() {
    var holder: Owner? = Owner()
    let (trace, observer) = owner.$text.traced()
    observer.store(in: holder!.observers)
    holder = nil
    owner.text = "a"
    #expect(trace.elements == [nil])
  }

  @Test func `20: nil and empty can be left out`() {
    let (trace, _) = owner.$text.filter { !($0?.isEmpty ?? true) }.traced()
    for text in ["", nil, "a"] { owner.text = text }
    #expect(trace.elements == ["a"])
  }

  @Test func `21: a burst of distinct sets is the first at once, and then the newest`() async {
    let clock = ManualClock()
    let (trace, _) = owner.$text.removeDuplicates().throttle(for: .seconds(1), clock: clock)
      .traced()
    for text in ["a", "a", "b", "c"] { owner.text = text }
    #expect(trace.elements == [nil])
    await clock.sleepers(1)
    clock.advance(by: .seconds(1))
    #expect(await trace.elements(2) == [nil, "c"])
  }

  @Test func `24, 25: what is derived has old and new of its own`() {
    let words = EmitterValue(["a"])
    let (counts, _) = owner.$text.map { $0?.count ?? 0 }.pairwise().map { [$0, $1] }.traced()
    let (lengths, _) = words.signal.mapElements { $0.count }.traced()
    owner.text = "ab"
    owner.text = "abc"
    words.value = ["ab", ""]
    #expect(counts.elements == [[0, 2], [2, 3]])
    #expect(lengths.elements == [[1], [2, 0]])
  }

  @Test func `26: a chain of values, the last of which is set when it changes only`() {
    let (text, count, isEmpty) = (EmitterValue("x"), EmitterValue(0), EmitterValue(false))
    let (sets, _) = isEmpty.signal.changes.map { $1 }.traced()
    text.signal.map(\.count).bind(to: count)
    count.signal.map { $0 == 0 }.removeDuplicates().bind(to: isEmpty)
    for value in ["abc", "ab", ""] { text.value = value }
    #expect(count.value == 0)
    #expect(sets.elements == [false, true])
  }

  @Test func `the source of a change is a part of the payload`() {
    let emitter = EmitterArg2<String, ObjectIdentifier>()
    let (trace, _) = emitter.signal.filter { $1 != ObjectIdentifier(Owner.self) }.map { $0.0 }
      .traced()
    emitter.invoke("a", ObjectIdentifier(Owner.self))
    emitter.invoke("b", ObjectIdentifier(Witness.self))
    #expect(trace.elements == ["b"])
  }
}

@Suite struct PharosMainExampleTests {
  @Test @MainActor func `22, 23: on the main actor at once if set there, and later if not`() async {
    let (value, screen) = (EmitterValue(0), PharosExampleTests.Screen())
    value.signal.connect(screen, PharosExampleTests.Screen.show)
    value.value = 1
    #expect(screen.trace.elements == [0, 1])
    together(1) { _ in value.value = 2 }
    #expect(screen.trace.elements == [0, 1])
    #expect(await screen.trace.elements(3) == [0, 1, 2])
  }
}
