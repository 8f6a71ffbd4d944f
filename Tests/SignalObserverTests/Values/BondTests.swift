import Observation
import SignalObserver
import SignalObserverTesting
import Testing
import Turns

/// A way to change a value.
enum ValueChangeForm: CaseIterable {
  case set, modify, send

  func change(_ value: EmitterValue<Int>) {
    switch self {
    case .set: value.set(1)
    case .modify: value.modify { $0 += 1 }
    case .send: value.invoke()
    }
  }
}

@Suite(.serialized, .inTurn, .timeLimit(.minutes(5))) struct BondTests {
  let mine = EmitterValue(1)
  let theirs = EmitterValue(2)

  @Test func `both sides are equal, though they were set while the bond was made`() {
    let (mine, theirs) = (mine, theirs)
    var targets = (0..<8).map { _ in Lifetime() }
    var capture: Lifetime? = Lifetime {
      theirs.set(3)
      mine.set(4)
    }
    for target in targets {
      theirs.signal.connect(target, on: .inline) { [capture] _, _ in capture?.use() }
    }
    (targets, capture) = ([], nil)
    // The ninth connection ends the others, which releases what they capture.
    mine.bond(takingFrom: theirs)

    #expect([mine.value, theirs.value] == [3, 3])
  }

  /// It cannot be compared.
  private struct Color: Sendable { var red = 0 }

  @Test func `a ring of values that cannot be compared ends when a slot changes what it carries`() {
    let values = (0..<3).map { _ in EmitterValue(Color()) }
    values[0].signal.connect(on: .inline) { color in
      if color.red > 255 { values[0].set(Color(red: 255)) }
    }
    for index in 0..<3 { values[index].bond(givingTo: values[(index + 1) % 3]) }
    values[0].set(Color(red: 300))

    #expect(values.map(\.value.red) == [255, 255, 255])
    values[0].cancelAllObservers()
  }

  @Test func `sides that cannot be compared are equal, though another binding was between them`() {
    let (mine, theirs) = (EmitterValue(Color()), EmitterValue(Color()))
    let emitter = EmitterArg<Color>()
    mine.bond(givingTo: theirs)
    theirs.signal.changes.map { $0.1 }.bind(to: emitter)
    emitter.signal.connect(on: .inline) { color in
      if color.red == 1 { theirs.set(Color(red: 2)) }
    }
    emitter.signal.bind(to: mine)
    emitter.invoke(Color(red: 1))

    #expect([mine.value.red, theirs.value.red] == [2, 2])
    emitter.cancelAllObservers()
  }

  @Test func `each side is set once for each change`() {
    let (one, two) = (mine.signal.traced().0, theirs.signal.traced().0)
    let observer = mine.bond(givingTo: theirs)
    mine.set(3)
    theirs.set(4)
    observer.cancel()
    mine.set(5)
    #expect(one.entries == [1, 3, 4, 5])
    #expect(two.entries == [2, 1, 3, 4])
  }

  @Test func `a value that a slot corrects is corrected on both sides`() {
    mine.bond(givingTo: theirs)
    let theirs = theirs
    theirs.signal.connect(on: .inline) { if $0 > 10 { theirs.set(10) } }
    mine.set(11)
    #expect(mine.value == 10)
    #expect(theirs.value == 10)
  }

  /// An operator emits between the value and the slot, for a slot on a queue.
  @MainActor @Test func `a bond made in a slot gives back no value that equals nothing`() {
    let (first, second) = (EmitterValue(0.0), EmitterValue(0.0))
    defer { second.cancelAllObservers() }
    let (trace, _) = first.signal.traced()
    let made = Log()
    combineLatest(first.signal, second.signal).connect {
      guard $0.isNaN, $1.isNaN, made.entries.isEmpty else { return }
      made.add("bond")
      second.bond(givingTo: first)
    }
    first.bond(givingTo: second)
    first.set(.nan)
    #expect(made.entries == ["bond"])
    #expect(trace.entries.count == 2)
  }

  @Test func `while it is suspended it copies nothing`() {
    let observer = mine.bond(givingTo: theirs)
    observer.suspend()
    mine.set(3)
    #expect(theirs.value == 1)
    observer.resume()
    #expect(theirs.value == 1)
    mine.set(4)
    #expect(theirs.value == 4)
  }

  @Test func `code that sets a bonded value has not read it`() {
    mine.bond(givingTo: theirs)
    let log = Log()
    withObservationTracking {
      mine.set(3)
    } onChange: {
      log.add("changed")
    }
    mine.set(4)
    theirs.set(5)
    #expect(log.entries == [])
  }

  @Test func `a bond that is cancelled leaves no slots`() {
    let observer = mine.bond(givingTo: theirs)
    #expect(mine.signal.slotCount == 1)
    #expect(theirs.signal.slotCount == 1)
    observer.cancel()
    #expect(mine.signal.slotCount == 0)
    #expect(theirs.signal.slotCount == 0)
  }

  @Test(arguments: ValueChangeForm.allCases)
  func `a bond holds when a side is bound to what is older than the other side`(
    _ form: ValueChangeForm
  ) {
    let (mine, theirs, source) = (mine, theirs, EmitterValue(0))
    mine.bond(givingTo: theirs)
    source.signal.changes.connect(on: .inline) { _, _ in mine.set(5) }
    source.signal.bind(to: mine)
    form.change(source)
    #expect(mine.value == source.value)
    #expect(theirs.value == source.value)
  }

  @Test func `a value that is kept elsewhere is set once for each change, and leads as well`() {
    final class Kept: @unchecked Sendable { var numbers = [0] }
    let kept = Kept()
    let value = EmitterValue(
      get: { kept.numbers.last ?? 0 }, set: { number in kept.numbers.append(number) })
    value.bond(givingTo: theirs)
    theirs.set(5)
    #expect(kept.numbers == [0, 5])
    value.set(6)
    #expect(theirs.value == 6)
    value.modify { $0 = 7 }
    #expect(theirs.value == 7)
    #expect(kept.numbers == [0, 5, 6, 7])
  }

  @Test func `bonds may form chains and rings`() {
    let third = EmitterValue(3)
    mine.bond(givingTo: theirs)
    theirs.bond(givingTo: third)
    third.bond(givingTo: mine)
    let traces = [mine, theirs, third].map { $0.signal.changes.map { $1 }.traced().0 }
    theirs.set(7)
    #expect([mine, theirs, third].map(\.value) == [7, 7, 7])
    #expect(traces.allSatisfy { $0.entries.allSatisfy { $0 == 7 } })
  }

  @Test func `threads that set both sides leave them the same`() {
    for _ in 0..<300 {
      let (mine, theirs) = (EmitterValue(0), EmitterValue(0))
      mine.bond(givingTo: theirs)
      onThreads(2) { index in
        for number in 1...20 { (index == 0 ? mine : theirs).set(index * 100 + number) }
      }
      #expect(mine.value == theirs.value)
      #expect([20, 120].contains(mine.value))
    }
  }

  @Test func `objects bond values that others cannot set`() {
    final class Field {
      @EmitterValue private(set) var text = "field"
      func bondText(with other: EmitterValue<String>) { _text.bond(takingFrom: other) }
    }
    final class Model {
      @EmitterValue private(set) var title = "model"
      func edit(in field: Field) { field.bondText(with: _title) }
      func load() { title = "loaded" }
    }
    let (model, field) = (Model(), Field())

    model.edit(in: field)
    #expect(field.text == "model")
    model.load()

    #expect(field.text == "loaded")
  }

  @Test func `a bond keeps neither side and ends with the first`() {
    let mine = mine
    var theirs: EmitterValue<Int>? = EmitterValue(2)
    @Weakly var kept = theirs!.signal
    let observer = mine.bond(givingTo: theirs!)
    #expect(kept != nil)
    #expect(!observer.isCancelled)
    theirs = nil
    #expect(kept == nil)
    #expect(observer.isCancelled)
    mine.set(9)
    #expect(mine.value == 9)
  }

  @Test func `who is told of a change may set the other side: both end equal`() {
    mine.bond(givingTo: theirs)
    let bound = EmitterValue(0)
    mine.signal.bind(to: bound)
    for value in [theirs, bound] {
      withObservationTracking {
        _ = value.value
      } onChange: { [mine] in
        mine.set(mine.value + 1)
      }
      mine.set(10)
      #expect(mine.value == 11)
      #expect([theirs.value, bound.value] == [11, 11])
    }
  }

  @Test(arguments: [true, false])
  func `4. A bond that ends during a copy makes no other`(isCancelled: Bool) {
    let (kept, entered, mayGo) = (Box(0), Gate(), Gate())
    let theirs = EmitterValue(
      get: { kept.value ?? 0 },
      set: { number in
        kept.value = number
        if number == 3 {
          entered.open()
          mayGo.pass()
        }
      })
    let observer = mine.bond(givingTo: theirs)
    onThreads(2) { [mine] index in
      if index == 0 { return mine.set(3) }
      entered.pass()
      theirs.set(5)
      if isCancelled { observer.cancel() } else { observer.suspend() }
      mayGo.open()
    }
    #expect(mine.value == 3)
  }
}
