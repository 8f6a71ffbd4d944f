import SignalObserver
import Testing
import Turns

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

  @Test func `A-H1: a property of an object of any class is bound, and the object held weakly`() {
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

  @Test func `A-H2: a value fits an optional property, and by map an optional value`() {
    let (value, optional) = (EmitterValue("a"), EmitterValue<String?>(nil))
    value.signal.bind(to: \.text, of: label, on: nil)
    value.signal.map(Optional.some).bind(to: optional)
    value.set("b")
    #expect(label.texts == ["a", "b"])
    #expect(optional.value == "b")
  }

  @Test func `A-H3: binding applies the current value, if there is one, and each new one`() {
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

  @Test func `A-H4: an emitter and a value are bound to another one, which is followed`() {
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

  @Test func `A-H5: a bond keeps two values the same, whichever is set`() {
    let observer = mine.bond(givingTo: theirs)
    mine.set(3)
    #expect(theirs.value == 3)
    theirs.set(4)
    #expect(mine.value == 4)
    observer.cancel()
    mine.set(5)
    #expect(theirs.value == 4)
  }

  @Test func `A-H6: a bond begins with mine`() {
    mine.bond(givingTo: theirs)
    #expect(mine.value == 1)
    #expect(theirs.value == 1)
  }

  @Test func `A-H6: a bond begins with theirs`() {
    mine.bond(takingFrom: theirs)
    #expect(mine.value == 2)
    #expect(theirs.value == 2)
  }

  @Test func `A-H7: a bond sets each side once for each change`() {
    let (one, two) = (mine.signal.traced().0, theirs.signal.traced().0)
    mine.bond(givingTo: theirs)
    mine.set(3)
    theirs.set(4)
    #expect(one.entries == [1, 3, 4])
    #expect(two.entries == [2, 1, 3, 4])
  }

  @Test func `A-H7: two bindings that make a cycle set each side once`() {
    let (one, two) = (mine.signal.traced().0, theirs.signal.traced().0)
    mine.signal.changes.map { $1 }.bind(to: theirs)
    theirs.signal.changes.map { $1 }.bind(to: mine)
    mine.set(3)
    theirs.set(4)
    #expect(one.entries == [1, 3, 4])
    #expect(two.entries == [2, 3, 4])
  }
}
