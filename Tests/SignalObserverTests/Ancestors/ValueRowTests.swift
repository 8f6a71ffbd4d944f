import SignalObserver
import Testing
import Turns

/// The rows of values; the README says what they are.
@Suite(.serialized, .inTurn, .timeLimit(.minutes(5))) struct ValueRowTests {
  @Test func `A-G1: an event has no state, and every emission is sent, equal or not`() {
    let emitter = EmitterArg<Int>()
    let (trace, _) = emitter.signal.traced()
    for number in [1, 1, 2] { emitter.invoke(number) }
    #expect(trace.entries == [1, 1, 2])
  }

  @Test func `A-G2: a property is a state that others follow`() {
    final class Model { @EmitterValue var title = "a" }
    let model = Model()
    let (trace, _) = model.$title.traced()
    model.title = "b"
    #expect(model.title == "b")
    #expect(trace.entries == ["a", "b"])
  }

  @Test func `A-G3: only the new slot is given the current value, at once`() {
    let value = EmitterValue(0)
    let (first, _) = value.signal.traced()
    value.set(1)
    let (second, _) = value.signal.traced()
    #expect(first.entries == [0, 1])
    #expect(second.entries == [1])
  }

  @Test func `A-G4: an event is not sent again to those who connect later`() {
    let emitter = EmitterArg<Int>()
    emitter.invoke(1)
    let (trace, _) = emitter.signal.traced()
    #expect(trace.entries == [])
    emitter.invoke(2)
    #expect(trace.entries == [2])
  }

  @Test func `A-G5: the current value is read synchronously, by those who cannot set it as well`() {
    let value = EmitterValue("a")
    let seen = Trace<String>()
    let signal = value.signal
    signal.connect(on: .inline) { _ in seen.add(signal.value) }
    value.set("b")
    #expect(value.value == "b")
    #expect(signal.value == "b")
    #expect(seen.entries == ["a", "b"])
  }

  @Test func `A-G6: a delivery has the old value, whose first is the one of before`() {
    let value = EmitterValue<Int?>(nil)
    let (trace, _) = value.signal.changes.map { [$0, $1] }.traced()
    value.set(1)
    value.set(1)
    value.set(nil)
    #expect(trace.entries == [[nil, 1], [1, 1], [1, nil]])
  }

  @Test func `A-G7: a value set in the slot that is given the current one is delivered`() {
    let value = EmitterValue(0)
    defer { value.cancelAllObservers() }
    let trace = Trace<Int>()
    value.signal.connect(on: .inline) {
      trace.add($0)
      if $0 < 3 { value.set($0 + 1) }
    }
    #expect(trace.entries == [0, 1, 2, 3])
  }

  @Test func `A-G8: a custom getter and setter keep the value`() {
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

  @Test func `A-G8: an object behind a value may be held weakly`() {
    var store: Store? = Store()
    @Weakly var kept = store
    let value = EmitterValue(get: { [weak store] in store?.title }, set: { _ in })
    #expect(value.value == "stored")
    store = nil
    #expect(kept == nil)
    #expect(value.value == nil)
  }

  @Test func `A-G10: the source of a change is a part of the payload`() {
    let emitter = EmitterArg2<String, ObjectIdentifier>()
    let (mine, theirs) = (Lifetime(), Lifetime())
    let (trace, _) = emitter.signal.filter { [mine] in $1 != ObjectIdentifier(mine) }
      .map { text, _ in text }.traced()
    emitter.invoke("a", ObjectIdentifier(mine))
    emitter.invoke("b", ObjectIdentifier(theirs))
    #expect(trace.entries == ["b"])
  }

  @Test func `A-G11: others follow and read a value that only its owner sets`() {
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
