import Dispatch
import SignalObserver
import SignalObserverTesting
import Synchronization
import Testing

/// A set sends, equal or not; a binding makes equal.
@Suite(.serialized, .inTurn, .timeLimit(.minutes(5))) struct EqualEndsTests {
  /// Calls a function once when it is compared.
  struct Meddler: Equatable, Sendable {
    static let meddling = Mutex<(@Sendable () -> Void)?>(nil)
    let number: Int

    init(_ number: Int) { self.number = number }

    static func == (left: Meddler, right: Meddler) -> Bool {
      meddling.withLock { $0.take() }?()
      return left.number == right.number
    }
  }

  /// It cannot be compared.
  struct Opaque: Sendable { let number: Int }

  /// The main actor alone may compare it.
  @MainActor struct Note: @MainActor Equatable {
    nonisolated static let comparisonCount = Mutex(0)
    let number: Int

    static func == (left: Note, right: Note) -> Bool {
      comparisonCount.withLock { $0 += 1 }
      return left.number == right.number
    }
  }

  @MainActor final class Page {
    var note = Note(number: 0) { didSet { setCount += 1 } }
    var setCount = 0
  }

  @Test @MainActor func `payloads of the main actor are compared on its queue`() async {
    let (page, sent) = (Page(), EmitterArg<Note>())
    sent.signal.bind(to: \.note, of: page)
    let note = Note(number: 1)
    for _ in 0..<3 { await Task.detached { await sent.invokeAndWait(note) }.value }

    #expect(page.setCount == 1)
  }

  @Test @MainActor func `payloads that belong to an actor are compared there alone`() async {
    let (sent, several) = (EmitterArg<Note>(), EmitterArg<[Note?]>())
    let (value, partner) = (EmitterValue(Note(number: 0)), EmitterValue(Note(number: 0)))
    let list = EmitterValue<[Note?]>([])
    sent.signal.bind(to: value)
    value.bond(givingTo: partner)
    several.signal.bind(to: list)
    let (note, log) = (Note(number: 1), Trace<Int>())
    list.signal.changes.connect(on: .inline) { _ in log.add(0) }
    Note.comparisonCount.withLock { $0 = 0 }

    await Task.detached {
      sent.invoke(note)
      for _ in 0..<2 { several.invoke([note]) }
    }.value

    #expect(Note.comparisonCount.withLock { $0 } == 0)
    #expect([value.value.number, partner.value.number, list.value[0]?.number] == [1, 1, 1])
    #expect(log.entries.count == 2)
    several.invoke([note])
    #expect(Note.comparisonCount.withLock { $0 } > 0)
    #expect(log.entries.count == 2)
  }

  final class Holder: @unchecked Sendable {
    @EmitterValue var total = 0
    @EmitterValue var opaque = Opaque(number: 0)
    /// Passes on to the value, and reads it.
    var text: String {
      get { "\(total)" }
      set { total = Int(newValue) ?? -1 }
    }
    var emitter: EmitterValue<Int> { _total }
    var opaqueEmitter: EmitterValue<Opaque> { _opaque }
  }

  typealias Bind = (any SignalSource<Int>) -> Void

  /// One source into a value that is bonded with others.
  struct Program: Sendable, CustomTestStringConvertible {
    let testDescription: String
    let connect: @Sendable (_ source: EmitterValue<Int>, EmitterValue<Int>, Bind) -> Void

    static let all = [
      Program(testDescription: "combineLatest of two maps") { source, _, bind in
        let (price, count) = (source.signal.map { $0 * 10 }, source.signal.map { $0 + 1 })
        bind(combineLatest(price, count).map { $0 * $1 })
      },
      Program(testDescription: "merge") { source, _, bind in
        bind(merge(source.signal.map { $0 + 1 }, source.signal.map { $0 * 7 }))
      },
      Program(testDescription: "merge the other way round") { source, _, bind in
        bind(merge(source.signal.map { $0 * 7 }, source.signal.map { $0 + 1 }))
      },
      Program(testDescription: "scan") { source, _, bind in
        bind(merge(source.signal, source.signal).scan(0) { $0 + $1 })
      },
      Program(testDescription: "a diamond of maps") { source, _, bind in
        bind(source.signal.map { $0 + 1 })
        bind(source.signal.map { $0 * 7 })
      },
      Program(testDescription: "a bond beside a bind through map") { source, total, bind in
        source.bond(givingTo: total)
        bind(source.signal.map { $0 / 2 * 2 })
      },
      Program(testDescription: "a bind through map beside a bond") { source, total, bind in
        bind(source.signal.map { $0 / 2 * 2 })
        source.bond(givingTo: total)
      },
      Program(testDescription: "two scans") { source, _, bind in
        bind(source.signal.scan(0) { $0 + $1 })
        bind(source.signal.scan(1) { $0 * 2 + $1 })
      },
    ]
  }

  @Test(arguments: Program.all, [2, 3])
  func `all sides of bonds are equal`(_ program: Program, _ count: Int) {
    for onQueue in [false, true] {
      let (source, holder) = (EmitterValue(1), Holder())
      let sides = [holder.emitter] + (1..<count).map { _ in EmitterValue(0) }
      for index in 1..<count { sides[index - 1].bond(givingTo: sides[index]) }
      let queue = DispatchQueue(label: "binding")
      func bind(_ source: some SignalSource<Int>) {
        if onQueue {
          source.bind(to: \.total, of: holder, on: queue)
        } else {
          source.bind(to: holder.emitter)
        }
      }
      program.connect(source, holder.emitter) { bind($0) }

      for number in [3, 3, 8] {
        source.set(number)
        // What a binding sets on the queue may be passed on to it again.
        for _ in 0..<10 { queue.sync {} }
        #expect(Set(sides.map(\.value)).count == 1)
      }
      sides[count - 1].set(-5)
      for _ in 0..<10 { queue.sync {} }
      #expect(Set(sides.map(\.value)).count == 1)
    }
  }

  @Test(arguments: [true, false])
  func `properties that are bound in both directions end equal`(_ isInline: Bool) {
    let (model, field) = (Holder(), Holder())
    let queue = DispatchQueue(label: "binding")
    model.$total.bind(to: \.total, of: field, on: isInline ? .inline : queue)
    field.$total.bind(to: \.total, of: model, on: isInline ? .inline : queue)
    for _ in 0..<10 { queue.sync {} }
    let (trace, _) = field.$total.traced()

    for (index, holder) in [model, field, model].enumerated() {
      holder.total = index + 1
      for _ in 0..<10 { queue.sync {} }
      #expect(model.total == index + 1)
      #expect(field.total == index + 1)
    }
    // Equal, and sent all the same.
    field.total = 3
    for _ in 0..<10 { queue.sync {} }

    #expect(trace.entries == [0, 1, 2, 3, 3])
  }

  @Test @MainActor func `properties of the main actor that are bound in both directions end equal`()
    async
  {
    final class Screen { @EmitterValue var title = "" }
    let (model, field) = (Screen(), Screen())
    model.$title.bind(to: \.title, of: field)
    field.$title.bind(to: \.title, of: model)
    model.title = "a"
    #expect(field.title == "a")
    field.title = "b"
    #expect(model.title == "b")
  }

  @Test func `cycles of properties that cannot be compared end`() {
    let (model, field) = (Holder(), Holder())
    model.$opaque.bind(to: \.opaque, of: field, on: .inline)
    field.$opaque.bind(to: \.opaque, of: model, on: .inline)
    let (trace, _) = field.$opaque.map { $0.number }.traced()

    model.opaque = Opaque(number: 1)
    field.opaque = Opaque(number: 2)

    #expect(model.opaque.number == 2)
    #expect(field.opaque.number == 2)
    #expect(trace.entries == [0, 1, 2])
  }

  @Test func `a property that passes on to a value sets it as a binding does`() {
    let (model, field) = (Holder(), Holder())
    model.$total.map { "\($0)" }.bind(to: \.text, of: field, on: .inline)
    field.$total.bind(to: \.total, of: model, on: .inline)
    model.total = 7
    #expect(field.total == 7)
    field.text = "8"
    #expect(model.total == 8)
    #expect(field.total == 8)
  }

  @Test @MainActor func `what a bound property sets on the main actor is delivered at once`() {
    final class Field {
      @EmitterValue var total = 0
      var text: String {
        get { "\(total)" }
        set { total = Int(newValue) ?? -1 }
      }
    }
    let (source, field) = (EmitterArg<String>(), Field())
    var shown: [Int] = []
    field.$total.connect { shown.append($0) }
    source.signal.bind(to: \.text, of: field)
    source.invoke("7")
    #expect(shown == [0, 7])
  }

  @Test func `what a didSet of a bound property sets elsewhere is the program's`() {
    final class Label: @unchecked Sendable {
      let other: EmitterValue<Opaque>
      var title = Opaque(number: 0) { didSet { other.set(title) } }

      init(_ other: EmitterValue<Opaque>) { self.other = other }
    }
    let (source, other) = (EmitterValue(Opaque(number: 0)), EmitterValue(Opaque(number: 0)))
    let label = Label(other)
    source.signal.bind(to: \.title, of: label, on: .inline)
    // The program has set `other`, so this is not cut: only this slot ends the cycle.
    other.signal.changes.connect(on: .inline) { _, new in
      if new.number < 5 { source.set(Opaque(number: new.number + 1)) }
    }

    source.set(Opaque(number: 1))

    #expect(label.title.number == 5)
  }

  @Test func `what a transform sets is bound, also when a task begins to wait`() async {
    let (source, model, field) = (EmitterValue(1), Holder(), Holder())
    model.$total.bind(to: \.total, of: field, on: .inline)
    let mapped = source.signal.map { number in
      model.total = number
      return number
    }
    let payload = await mapped.next(after: {
      #expect(field.total == 1)
      source.set(2)
    })

    #expect(payload == 2)
    #expect(field.total == 2)
  }

  @Test(arguments: [true, false])
  func `a cycle that a transform sets is cut, also when a task begins to wait`(
    isOfProperties: Bool
  ) async {
    let (source, model, field) = (EmitterValue(1), Holder(), Holder())
    let observers = ObserverBag()
    for (one, other) in [(model, field), (field, model)] {
      if isOfProperties {
        one.$opaque.bind(to: \.opaque, of: other, on: .inline).store(in: observers)
      } else {
        one.$opaque.throttle(for: .zero, clock: ManualClock()).bind(to: other.opaqueEmitter)
          .store(in: observers)
      }
    }
    let calls = Calls()
    field.$opaque.changes.connect(on: .inline) { _, _ in
      calls.add()
      // This ends a cycle that is not cut.
      if calls.count == 20 { observers.cancelAll() }
    }
    let mapped = source.signal.map { number in
      model.opaque = Opaque(number: number)
      return number
    }

    let payload = await mapped.next(after: { source.set(2) })

    #expect(payload == 2)
    #expect(field.opaque.number == 2)
    #expect(calls.count == 2)
  }

  @Test func `a slot that corrects a bound value settles`() {
    let (model, field) = (EmitterValue(" a "), EmitterValue(""))
    model.signal.bind(to: field)
    let calls = Trace<String>()
    field.signal.connect(on: .inline) { text in
      calls.add(text)
      precondition(calls.entries.count < 100, "this has no end")
      model.set(text.filter { $0 != " " })
    }

    model.set(" b ")

    #expect(model.value == "b")
    #expect(field.value == "b")
    #expect(calls.entries == [" a ", "a", " b ", "b"])
  }

  @Test func `an equal set is sent, and an equal binding is not`() {
    let (source, target) = (EmitterValue(1), EmitterValue(1))
    let (sent, _) = source.signal.traced()
    let (bound, _) = target.signal.traced()
    source.signal.bind(to: target)

    source.set(1)
    source.set(2)

    #expect(sent.entries == [1, 1, 2])
    #expect(bound.entries == [1, 2])
  }

  private func bindBoth<Payload: Sendable>(
    _ first: EmitterValue<Payload>, _ second: EmitterValue<Payload>
  ) {
    first.signal.bind(to: second)
    second.signal.bind(to: first)
  }

  @Test func `generic code compares as concrete code does`() {
    let (first, second) = (EmitterValue([1]), EmitterValue([2]))
    bindBoth(first, second)
    let (trace, _) = second.signal.traced()
    first.set([3])
    first.set([3])
    #expect(trace.entries == [[1], [3]])
  }

  @Test func `NaN equals nothing, and its path cuts the cycle`() {
    let (first, second) = (EmitterValue(0.0), EmitterValue(0.0))
    bindBoth(first, second)
    let (trace, _) = second.signal.traced()
    first.set(.nan)
    #expect(first.value.isNaN)
    #expect(second.value.isNaN)
    #expect(trace.entries.count == 2)
  }

  @Test(arguments: [true, false])
  func `a value that cannot be compared does not return to the side that a bond begins with`(
    isNewer: Bool
  ) {
    // From now on, changes are numbered.
    EmitterValue(0).bond(givingTo: EmitterValue(0))
    let (first, second) = (EmitterValue(Opaque(number: 0)), EmitterValue(Opaque(number: 0)))
    let traces = [first, second].map { $0.signal.map { $0.number }.traced().0 }
    (isNewer ? second : first).set(Opaque(number: 1))
    (isNewer ? first : second).set(Opaque(number: 2))

    first.bond(givingTo: second)

    #expect(traces.map(\.entries) == (isNewer ? [[0, 2], [0, 1, 2]] : [[0, 1], [0, 2, 1]]))
  }

  @Test func `a bond begins with what a slot has set meanwhile`() {
    let (first, second) = (EmitterValue(Opaque(number: 1)), EmitterValue(Opaque(number: 2)))
    second.signal.changes.connect(on: .inline) { _, new in
      if new.number == 1 { first.set(Opaque(number: 3)) }
    }

    first.bond(givingTo: second)

    #expect(first.value.number == 3)
    #expect(second.value.number == 3)
  }

  @Test func `a new bond leaves its ends equal, though the side that gives has changed meanwhile`()
    async
  {
    let (holder, second) = (Holder(), EmitterValue(0))
    let queue = DispatchQueue(label: "binding")
    second.signal.filter { $0 == 2 }.bind(to: \.total, of: holder, on: queue)
    holder.total = 1
    defer { second.cancelAllObservers() }
    let isBonded = Box(false)
    second.signal.changes.connect(on: .inline) { _, new in
      if new != 2 || isBonded.value == true { return }
      isBonded.value = true
      // What this gives waits, and meanwhile an older payload arrives. It may also arrive later, and
      // is then the newest.
      holder.emitter.bond(givingTo: second)
      queue.resume()
      queue.sync {}
    }

    queue.suspend()
    second.set(2)

    await until("equal ends") { holder.total == second.value }
    #expect([1, 2].contains(second.value))
  }

  @Test
  func `7. No lock is held while values are compared: one may be set meanwhile`() {
    let (first, second) = (EmitterValue(Meddler(0)), EmitterValue(Meddler(1)))
    let (trace, _) = second.signal.traced()
    // Once, while 1 is compared with 1.
    Meddler.meddling.withLock { $0 = { second.set(Meddler(5)) } }

    first.set(Meddler(1))
    first.signal.bind(to: second)

    #expect(trace.entries.map(\.number) == [1, 5])
  }

  @Test(arguments: [true, false])
  func `a value that is set to the payload while a binding compares it is not set again`(
    isStored: Bool
  ) {
    let (source, kept) = (EmitterArg<Meddler>(), Box(Meddler(1)))
    let target =
      isStored
      ? EmitterValue(Meddler(1))
      : EmitterValue(get: { kept.value ?? Meddler(0) }, set: { kept.value = $0 })
    let (trace, _) = target.signal.traced()
    source.signal.bind(to: target)
    Meddler.meddling.withLock { $0 = { target.set(Meddler(1)) } }

    source.invoke(Meddler(1))

    #expect(trace.entries.map(\.number) == [1, 1])
  }

  @Test func `properties that are both set before a queue delivers end equal`() {
    let (model, field) = (Holder(), Holder())
    let queue = DispatchQueue(label: "binding")
    model.$total.bind(to: \.total, of: field, on: queue)
    field.$total.bind(to: \.total, of: model, on: .inline)
    queue.sync {}
    queue.suspend()
    model.total = 1
    field.total = 2
    queue.resume()
    for _ in 0..<10 { queue.sync {} }

    #expect(model.total == field.total)
  }

  @Test func `a payload that is late does not part ends that have agreed on another`() {
    final class Way: @unchecked Sendable { @EmitterValue var stop = Meddler(5) }
    let (first, second, way) = (EmitterValue(Meddler(5)), EmitterValue(Meddler(5)), Way())
    let queue = DispatchQueue(label: "binding")
    // What is not 5 takes the long way.
    first.signal.filter { $0.number == 5 }.bind(to: second)
    first.signal.filter { $0.number != 5 }.bind(to: \.stop, of: way, on: queue)
    way.$stop.bind(to: second)
    second.signal.bind(to: first)
    // The first comparison is that of `way`. During the one of `second`, which is 5, `first` agrees.
    Meddler.meddling.withLock {
      $0 = { Meddler.meddling.withLock { $0 = { first.set(Meddler(5)) } } }
    }

    queue.suspend()
    first.set(Meddler(1))
    queue.resume()
    for _ in 0..<10 { queue.sync {} }

    #expect(Meddler.meddling.withLock { $0 == nil })
    #expect(first.value.number == second.value.number)
    withExtendedLifetime(way) {}
  }

  @Test func `11. a payload does not return to its source after a nested emission`() {
    let (first, second) = (EmitterArg<Int>(), EmitterArg<Int>())
    first.signal.connect(on: .inline) { if $0 == 1 { first.invoke(2) } }
    first.signal.bind(to: second)
    second.signal.bind(to: first)
    let traces = [first, second].map { $0.signal.traced().0 }

    first.invoke(1)

    #expect(traces.map(\.entries) == [[1, 2], [1, 2]])
  }

  @Test func `a cycle of values through an operator of time settles`() {
    let clock = ManualClock()
    let late = LateClock(clock)
    let (first, second) = (EmitterValue(0), EmitterValue(0))
    first.signal.delay(for: .seconds(1), clock: late).bind(to: second)
    second.signal.bind(to: first)
    let traces = [first, second].map { $0.signal.traced().0 }

    first.set(1)
    for _ in 0..<9 {
      clock.advance(by: .seconds(2))
      // Sends what is due.
      first.invoke()
    }

    #expect(traces.map(\.entries.last) == [1, 1])
    late.wake()
  }

  // Each is a program of its own, in which nothing was bound before.
  @Test func `cycles of the first bindings of a program are cut`() async {
    await #expect(processExitsWith: .success) {
      let (first, second) = (EmitterArg<Int>(), EmitterArg<Int>())
      first.signal.throttle(for: .zero, clock: ManualClock()).bind(to: second)
      second.signal.throttle(for: .zero, clock: ManualClock()).bind(to: first)
      first.invoke(1)
    }
    await #expect(processExitsWith: .success) {
      let (model, field) = (Holder(), Holder())
      model.$opaque.bind(to: \.opaque, of: field, on: .inline)
      field.$opaque.bind(to: \.opaque, of: model, on: .inline)
      model.opaque = Opaque(number: 1)
    }
    await #expect(processExitsWith: .success) {
      let (first, second) = (EmitterValue(Opaque(number: 0)), EmitterValue(Opaque(number: 0)))
      first.signal.throttle(for: .zero, clock: ManualClock()).bind(to: second)
      second.signal.throttle(for: .zero, clock: ManualClock()).bind(to: first)
      first.set(Opaque(number: 1))
    }
    await #expect(processExitsWith: .success) {
      let (first, second) = (EmitterValue(Opaque(number: 0)), EmitterValue(Opaque(number: 0)))
      let (firsts, _) = first.signal.map { $0.number }.traced()
      let (seconds, _) = second.signal.map { $0.number }.traced()
      first.bond(givingTo: second)
      first.set(Opaque(number: 1))
      second.set(Opaque(number: 2))
      precondition(firsts.entries == [0, 1, 2] && seconds.entries == [0, 0, 1, 2])
    }
  }

  @Test func `a bond copies what modify makes`() {
    let (first, second) = (EmitterValue(1), EmitterValue(2))
    first.bond(givingTo: second)
    second.modify { $0 += 10 }
    first.modify { $0 += 100 }
    #expect(first.value == 111)
    #expect(second.value == 111)
  }

  @Test func `a bond that is resumed passes on what is set or sent next`() {
    let (first, second) = (EmitterValue(1), EmitterValue(2))
    let bond = first.bond(givingTo: second)
    bond.suspend()
    second.set(9)
    bond.resume()
    #expect(first.value == 1)
    #expect(second.value == 9)
    first.invoke()
    #expect(first.value == 1)
    #expect(second.value == 1)
  }

  @Test func `bonds of values that cannot be compared may form rings`() {
    let values = (0..<4).map { EmitterValue(Opaque(number: $0)) }
    for index in 0..<4 { values[index].bond(givingTo: values[(index + 1) % 4]) }
    let traces = values.map { $0.signal.map { $0.number }.traced().0 }
    values[2].set(Opaque(number: 7))
    #expect(values.allSatisfy { $0.value.number == 7 })
    #expect(traces.allSatisfy { $0.entries.count < 20 && $0.entries.last == 7 })
  }

  @Test func `a bond passes on what another thread has set as if nobody had passed it on`() {
    let (first, second, third) = (EmitterValue(0), EmitterValue(0), EmitterValue(0))
    defer { first.cancelAllObservers() }
    // Before the bond, which then copies what this sets.
    first.signal.connect(on: .inline) { number in
      if number == 2 { onThreads(1) { _ in first.set(1) } }
    }
    first.bond(givingTo: second)
    bindBoth(second, third)
    third.set(2)
    #expect([first.value, second.value, third.value] == [1, 1, 1])
  }

  @Test func `threads that set both ends of bindings leave them equal`() async {
    for round in 0..<200 {
      let (first, second, holder) = (EmitterValue(0), EmitterValue(0), Holder())
      let queue = DispatchQueue(label: "binding")
      first.bond(givingTo: second)
      bindBoth(second, holder.emitter)
      if round % 2 == 0 { first.signal.bind(to: \.total, of: holder, on: queue) }
      onThreads(3) { index in
        for number in 1...20 {
          [first, second, holder.emitter][index].set(index * 100 + number)
        }
      }
      // A global queue may have been handed what is left.
      var ends: Set<Int> = []
      await until("equal ends") {
        queue.sync {}
        ends = [first.value, second.value, holder.total]
        return ends.count == 1
      }
      #expect(ends.count == 1)
    }
  }

  @Test func `a bond that is made in an outdated emission begins with equal sides`() {
    let (first, second) = (EmitterValue(0), EmitterValue(0))
    let (bag, ends) = (ObserverBag(), Trace<[Int]>())
    first.signal.bind(to: second).store(in: bag)
    second.signal.connect(on: .inline) { if $0 == 1 { second.set(2) } }.store(in: bag)
    second.signal.connect(on: .inline) { number in
      if number != 1 || !ends.entries.isEmpty { return }
      ends.add([])
      first.bond(givingTo: second).store(in: bag)
      ends.add([first.value, second.value])
    }.store(in: bag)

    first.set(1)

    #expect(ends.entries.last.map { $0.first == $0.last } == true)
    #expect(first.value == second.value)
  }
}
