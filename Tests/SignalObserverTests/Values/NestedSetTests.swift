import CSanitizers
import Dispatch
import Observation
import SignalObserver
import SignalObserverTesting
import Testing

@Suite struct NestedSetTests {
  @Test func `16. A set in a slot has been delivered when it returns, so a flag guards the slot`() {
    let cells = [EmitterValue(0), EmitterValue(0), EmitterValue(0)]
    // The slots hold the cells.
    defer { for cell in cells { cell.cancelAllObservers() } }
    let (isUpdating, calls) = (Box(false), Calls())
    for cell in cells {
      cell.signal.changes.connect(on: .inline) { _, new in
        calls.add()
        if isUpdating.value == true { return }
        isUpdating.value = true
        defer { isUpdating.value = false }
        for cell in cells { cell.set(new) }
      }
    }
    cells[1].set(7)
    #expect(cells.map(\.value) == [7, 7, 7])
    #expect(calls.count == 4)
  }

  @Test func `16. A slot that suspends its observer during a set gets nothing of that set`() {
    let value = EmitterValue(0)
    defer { value.cancelAllObservers() }
    let (received, observer) = (Trace<Int>(), Box<SignalObserver>())
    observer.value = value.signal.changes.connect(on: .inline) { _, number in
      received.add(number)
      observer.value?.suspend()
      value.set(min(number, 10))
      observer.value?.resume()
    }
    value.set(50)
    #expect(value.value == 10)
    #expect(received.entries == [50])
  }

  @Test func `16. A slot that sets only what differs ends, with the newest value for every slot`() {
    let value = EmitterValue(0)
    defer { value.cancelAllObservers() }
    let (first, last) = (Trace<Int>(), Trace<Int>())
    value.signal.connect(on: .inline) { number in
      first.add(number)
      if number > 10 { value.set(10) }
    }
    value.signal.connect(on: .inline) { last.add($0) }
    value.set(50)
    #expect(first.entries == [0, 50, 10])
    #expect(last.entries == [0, 50, 10])
  }

  @Test func `16. A slot on a queue that sets a value twenty times inside itself does not stop`() {
    let (value, queue) = (EmitterValue(0), DispatchQueue(label: "sets"))
    defer { value.cancelAllObservers() }
    let start = EmitterArg<Int>()
    start.signal.connect(on: queue) { value.set($0) }
    value.signal.changes.connect(on: .inline) { _, new in if new < 20 { value.set(new + 1) } }
    start.invoke(1)
    queue.sync {}
    #expect(value.value == 20)
  }

  @Test func `16. What another thread sets behind a getter is delivered after the delivery`() {
    let kept = Box(0)
    let value = EmitterValue(get: { kept.value ?? 0 }, set: { kept.value = $0 })
    defer { value.cancelAllObservers() }
    let trace = Trace<Int>()
    value.signal.connect(on: .inline) { number in
      trace.add(number)
      if number == 1 { RunningThread { value.set(2) }.join() }
    }
    value.set(1)
    #expect(trace.entries == [0, 1, 2])
  }

  @Test func `16. Slots that set each other without end stop the program, and are named`() async {
    let result = await #expect(
      processExitsWith: .failure, observing: [\.standardErrorContent]
    ) {
      let (first, second) = (EmitterValue(0), EmitterValue(0))
      first.signal.changes.connect(on: .inline) { _, new in second.set(new + 1) }
      second.signal.changes.connect(on: .inline) { _, new in first.set(new + 1) }
      first.set(1)
    }
    let message = String(decoding: result?.standardErrorContent ?? [], as: UTF8.self)
    #expect(message.contains("in a circle without end"))
    #expect(message.split(separator: "NestedSetTests.swift:").count == 3)
  }

  @Test func `16. The slot by which a circle with a bond continues is named, and the bond`() async {
    let result = await #expect(
      processExitsWith: .failure, observing: [\.standardErrorContent]
    ) {
      let (first, second) = (EmitterValue(0), EmitterValue(0))
      first.bond(givingTo: second, fileID: "bond", line: 1)
      second.signal.changes.connect(on: .inline, fileID: "slot", line: 2) { _, new in
        first.set(new + 1)
      }
      first.set(1)
    }
    let message = String(decoding: result?.standardErrorContent ?? [], as: UTF8.self)
    #expect(message.contains(": bond:1 → slot:2") || message.contains(": slot:2 → bond:1"))
  }

  @Test func `Slots that emit in a circle without end stop the program, and are named`() async {
    let result = await #expect(
      processExitsWith: .failure, observing: [\.standardErrorContent]
    ) {
      let (first, second) = (EmitterVoid(), EmitterVoid())
      first.signal.connect(on: .inline) { second.invoke() }
      second.signal.connect(on: .inline) { first.invoke() }
      first.invoke()
    }
    let message = String(decoding: result?.standardErrorContent ?? [], as: UTF8.self)
    #expect(message.contains("in a circle without end"))
    #expect(message.split(separator: "NestedSetTests.swift:").count == 3)
  }

  @Test func `Slots that connect themselves without end stop the program, and are named`() async {
    let result = await #expect(
      processExitsWith: .failure, observing: [\.standardErrorContent]
    ) {
      let value = EmitterValue(0)
      @Sendable func follow() { value.signal.connect(on: .inline) { _ in follow() } }
      follow()
    }
    let message = String(decoding: result?.standardErrorContent ?? [], as: UTF8.self)
    #expect(message.contains("in a circle without end"))
  }

  @Test(arguments: [2, 8])
  func `16. Such slots stop the program before a stack of 512 KiB ends`(_ count: Int) async {
    let result = await #expect(
      processExitsWith: .failure, observing: [\.standardErrorContent]
    ) { [count] in
      RunningThread(stackSize: 512 << 10) {
        let values = (0..<count).map { _ in EmitterValue(0) }
        for (value, next) in zip(values, values.dropFirst() + values.prefix(1)) {
          value.signal.changes.connect(on: .inline) { _, new in next.set(new + 1) }
        }
        values[0].set(1)
      }.join()
    }
    let message = String(decoding: result?.standardErrorContent ?? [], as: UTF8.self)
    #expect(message.contains("in a circle without end"))
  }

  @Test func `16. A getter, and a setter, that use their own value stop the program`() async {
    let setter = await #expect(processExitsWith: .failure, observing: [\.standardErrorContent]) {
      let own = Box<EmitterValue<Int>>()
      own.value = EmitterValue(get: { 0 }, set: { own.value?.set($0 + 1) })
      own.value?.set(1)
    }
    let getter = await #expect(processExitsWith: .failure, observing: [\.standardErrorContent]) {
      let own = Box<EmitterValue<Int>>()
      own.value = EmitterValue(get: { own.value?.value ?? 0 }, set: { _ in })
      _ = own.value?.value
    }
    for result in [setter, getter] {
      let message = String(decoding: result?.standardErrorContent ?? [], as: UTF8.self)
      #expect(message.contains("in a circle without end"))
      #expect(!message.contains("from the outside"))
    }
  }

  @Test(.disabled(if: built_with_thread_sanitizer(), "a million rounds take a minute"))
  func `A scan that emits to its own chain without end stops, and is named`() async {
    let result = await #expect(processExitsWith: .failure, observing: [\.standardErrorContent]) {
      let emitter = EmitterArg<Int>()
      emitter.signal.scan(0) { sum, number in
        emitter.invoke(number)
        return sum + number
      }.connect(on: .inline, fileID: "scan", line: 1) { _ in }
      emitter.invoke(1)
    }
    let message = String(decoding: result?.standardErrorContent ?? [], as: UTF8.self)
    #expect(message.contains("from the outside: scan:1"))
  }
}

/// A set reads nothing on behalf of its caller.
@MainActor @Suite(.serialized, .inTurn, .timeLimit(.minutes(5))) struct ReadingTests {
  final class Page {
    let stored = EmitterValue(0)
    let other = EmitterValue(0)
    let custom: EmitterValue<Int>
    var renders = 0

    init() {
      let stored = stored
      custom = EmitterValue(get: { stored.value }, set: { stored.value = $0 })
      custom.signal.connect(on: .inline) { _ in }
    }

    func set() {
      renders += 1
      custom.set(7)
    }

    func modify() {
      renders += 1
      if renders < 5 { custom.modify { $0 += 1 } }
    }

    func setOther() {
      renders += 1
      other.set(renders)
    }

    func look() {
      renders += 1
      _ = custom.value
    }
  }

  @Test func `the getter of a value that is set is not read by the caller`() {
    let (page, log) = (Page(), Log())
    withObservationTracking {
      page.custom.set(1)
    } onChange: {
      log.add("changed")
    }
    page.stored.set(2)
    #expect(log.entries.isEmpty)
  }

  @Test func `a method that sets a value with a getter is not called again`() async {
    let page = Page()
    track(page, Page.set)
    for _ in 0..<3 { await mainQueueSettled() }
    page.stored.set(9)
    for _ in 0..<3 { await mainQueueSettled() }
    #expect(page.renders == 1)
  }

  @Test func `a method that modifies a value with a getter is not called again`() async {
    let page = Page()
    track(page, Page.modify)
    for _ in 0..<9 { await mainQueueSettled() }
    #expect(page.renders == 1)
  }

  @Test func `a method that reads a value with a getter follows what that reads`() async {
    let page = Page()
    track(page, Page.look)
    page.stored.set(9)
    for _ in 0..<3 { await mainQueueSettled() }
    #expect(page.renders == 2)
  }

  @Test func `what an inline slot reads is not read by the method that sets`() async {
    let page = Page()
    let stored = page.stored
    page.other.signal.connect(on: .inline) { _ in _ = stored.value }
    track(page, Page.setOther)
    for _ in 0..<3 { await mainQueueSettled() }
    stored.set(9)
    for _ in 0..<3 { await mainQueueSettled() }
    #expect(page.renders == 1)
  }
}
