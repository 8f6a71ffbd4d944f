import Dispatch
import SignalObserver
import Testing
import Turns

@Suite(.serialized, .inTurn, .timeLimit(.minutes(5))) struct DescriptionTests {
  let emitter = EmitterArg<Int>()
  let log = Log()

  private var lines: [String] {
    emitter.signal.debugDescription.split(separator: "\n").map(String.init)
  }

  @Test func `a signal without slots says so`() {
    #expect(emitter.signal.debugDescription == "Signal<Int>, 0 slots")
  }

  @Test func `an inline closure is described with the place where it was connected`() {
    emitter.signal.connect(on: .inline, fileID: "Module/File.swift", line: 7) { _ in }

    #expect(lines == ["Signal<Int>, 1 slot", "  closure, inline, Module/File.swift:7"])
  }

  @Test func `the place is that of the call unless it is given`() {
    let line = #line + 1
    emitter.signal.connect(on: .inline) { _ in }

    #expect(lines.last == "  closure, inline, \(#fileID):\(line)")
  }

  @Test func `the target's type, the queue, suspension and what is pending are described`() {
    let queue = DispatchQueue(label: "described")
    let hold = Gate()
    queue.async { hold.pass() }
    let target = Target("target", log)
    let observer = emitter.signal.connect(target, Target.show, queue, fileID: "M/F.swift", line: 1)
    #expect(lines.last == "  Target, queue \"described\", M/F.swift:1")

    for value in 0..<3 { emitter.invoke(value) }
    observer.suspend()

    #expect(lines.last == "  Target, queue \"described\", suspended, 3 pending, M/F.swift:1")
    hold.open()
    queue.sync {}
  }

  @Test func `main, isolated and asynchronous deliveries are described`() async {
    let recorder = Recorder(log)
    emitter.signal.connect({ @MainActor _ in }, fileID: "M/F.swift", line: 1)
    emitter.signal.connect(recorder, { _, _ in }, fileID: "M/F.swift", line: 2)
    emitter.signal.connect({ @Studio _ in }, fileID: "M/F.swift", line: 3)
    emitter.signal.connect(recorder, Recorder.note, fileID: "M/F.swift", line: 4)

    #expect(
      lines == [
        "Signal<Int>, 4 slots",
        "  closure, main, M/F.swift:1",
        "  Recorder, isolated to its target, M/F.swift:2",
        "  closure, isolated to Studio, M/F.swift:3",
        "  Recorder, async, isolated to its target, M/F.swift:4",
      ])
  }

  @Test func `a slot whose actor is gone is left out`() async {
    let label = Label()
    var owner: Owner? = Owner()
    @Weakly var kept = owner
    await owner?.connect(emitter.signal, to: label)
    #expect(lines.last == "  Label, isolated to Owner, M/F.swift:1")
    owner = nil
    await until("the death of the actor") { kept == nil }

    #expect(lines == ["Signal<Int>, 0 slots"])
  }

  @Test func `what stands in front of a slot is described with the slot`() {
    let other = EmitterArg<Int>()
    let value = EmitterValue(1)
    let recorder = Recorder(log)
    let (file, signal) = ("M/F.swift" as StaticString, emitter.signal)
    let observers = [
      signal.map { $0 + 1 }.debounce(for: .seconds(100)).filter { $0 > 0 }
        .connect(recorder, { _, _ in }, fileID: file, line: 1),
      signal.throttle(for: .seconds(1)).connect({ @MainActor _ in }, fileID: file, line: 2),
      merge(signal, other.signal).delay(for: .seconds(1))
        .connect(on: .inline, fileID: file, line: 3) { _ in },
      combineLatest(signal, value.signal).connect(on: .inline, fileID: file, line: 4) { _ in },
      combineLatest([signal, other.signal]).connect(on: .inline, fileID: file, line: 5) { _ in },
    ]
    let replay = signal.replay(1)
    for _ in 1...2 { replay.connect(on: .inline) { _ in } }
    observers[3].suspend()

    #expect(
      lines == [
        "Signal<Int>, 6 slots",
        "  map → debounce → filter → Recorder, isolated to its target, M/F.swift:1",
        "  throttle → closure, main, M/F.swift:2",
        "  merge → delay → closure, inline, M/F.swift:3",
        "  combineLatest → closure, inline, suspended, M/F.swift:4",
        "  combineLatest → closure, inline, M/F.swift:5",
        "  replay → 2 slots",
      ])
    for observer in observers { observer.cancel() }
    withExtendedLifetime(replay) {}
  }

  @Test func `cancelled slots and those of dead targets are left out`() {
    emitter.signal.connect(on: .inline) { _ in }.cancel()
    emitter.signal.connect(Target("dead", log), Target.show, nil)

    #expect(emitter.signal.debugDescription == "Signal<Int>, 0 slots")
  }

  @Test func `a value is described without its value`() {
    let value = EmitterValue(7)
    #expect(value.signal.debugDescription == "SignalValue<Int>, 0 slots")
    value.signal.connect(on: .inline, fileID: "M/F.swift", line: 1) { _ in }
    value.signal.changes.connect(on: .inline, fileID: "M/F.swift", line: 2) { _, _ in }.suspend()

    #expect(
      value.signal.debugDescription.split(separator: "\n") == [
        "SignalValue<Int>, 2 slots", "  closure, inline, M/F.swift:1",
        "  changes → closure, inline, suspended, M/F.swift:2",
      ])
  }

  @Test func `asynchronous slots are described with where they begin`() {
    let (nothing, pair) = (EmitterVoid(), EmitterArg2<Int, Int>())
    let recorder = Recorder(log)
    nothing.signal.connect(recorder) { recorder async in await recorder.note(0) }
    emitter.signal.connect(recorder) { recorder, value async in await recorder.note(value) }
    pair.signal.connect(recorder) { recorder, first, _ async in await recorder.note(first) }
    nothing.signal.connect(recorder, Recorder.noteNothing)
    emitter.signal.connect(recorder, Recorder.note)
    pair.signal.connect(recorder, Recorder.noteBoth)
    let own = [nothing.signal.debugDescription, pair.signal.debugDescription]
    #expect(own.allSatisfy { $0.split(separator: "async, isolated to its target").count == 3 })
    #expect(lines.count { $0.contains("async, isolated to its target") } == 2)
  }

  @Test func `asynchronous methods are described with the actor of their class`() {
    let (nothing, pair) = (EmitterVoid(), EmitterArg2<Int, Int>())
    let clerk = Clerk()
    nothing.signal.connect(clerk, Clerk.nothing)
    emitter.signal.connect(clerk, Clerk.nothing)
    emitter.signal.connect(clerk, Clerk.one)
    pair.signal.connect(clerk, Clerk.two)
    let all = [
      nothing.signal.debugDescription, emitter.signal.debugDescription,
      pair.signal.debugDescription,
    ].joined(separator: "\n")
    #expect(
      all.split(separator: "\n").count { $0.contains("Clerk, async, isolated to Studio") } == 4)
  }

  @Test func `asynchronous closures are described with the actor that they are of`() {
    let (nothing, pair) = (EmitterVoid(), EmitterArg2<Int, Int>())
    let target = Target("target", log)
    nothing.signal.connect { @Studio () async in }
    emitter.signal.connect { @Studio (_: Int) async in }
    pair.signal.connect { @Studio (_: Int, _: Int) async in }
    nothing.signal.connect(target) { @Studio (_: Target) async in }
    emitter.signal.connect(target) { @Studio (_: Target, _: Int) async in }
    pair.signal.connect(target) { @Studio (_: Target, _: Int, _: Int) async in }
    let all = [
      nothing.signal.debugDescription, emitter.signal.debugDescription,
      pair.signal.debugDescription,
    ]
    #expect(all.allSatisfy { $0.split(separator: "async, isolated to Studio").count == 3 })
  }

  @MainActor @Test func `slots of payloads that are not Sendable are described as inline`() {
    let (one, two) = (EmitterArg<Note>(), EmitterArg2<Note, Note>())
    let view = NoteView(log)
    one.signal.connect(view, NoteView.nothing)
    one.signal.connect(view, NoteView.one)
    two.signal.connect(view, NoteView.two)
    one.signal.connect { _ in }
    one.signal.connect(view) { _, _ in }
    two.signal.connect(view) { _, _, _ in }
    let lines = (one.signal.debugDescription + two.signal.debugDescription)
      .split(separator: "\n").filter { $0.hasPrefix("  ") }
    #expect(lines.count == 6)
    #expect(lines.allSatisfy { $0.contains(", inline, ") })
  }

  @MainActor @Test func `function values are described with where they run`() {
    let (nothing, pair) = (EmitterVoid(), EmitterArg2<Int, Int>())
    let target = Target("target", log)
    let none: () -> Void = {}
    let ofTarget: (Target) -> Void = { _ in }
    let ofBoth: (Target, Int) -> Void = { _, _ in }
    let ofThree: (Target, Int, Int) -> Void = { _, _, _ in }
    nothing.signal.connect(keeping: none)
    nothing.signal.connect(target, ofTarget)
    emitter.signal.connect(target, ofBoth)
    pair.signal.connect(target, ofThree)
    let lines =
      [nothing.signal.debugDescription, pair.signal.debugDescription].joined()
      .split(separator: "\n").filter { $0.hasPrefix("  ") } + lines.dropFirst().map { $0[...] }
    #expect(lines.count == 4)
    #expect(lines.allSatisfy { $0.contains(", main, ") })
  }

  @Test func `closures of a target are described with their queue`() {
    let (nothing, pair) = (EmitterVoid(), EmitterArg2<Int, Int>())
    let target = Target("target", log)
    nothing.signal.connect(target, on: .inline) { _ in }
    emitter.signal.connect(target, on: .inline) { _, _ in }
    pair.signal.connect(target, on: .inline) { _, _, _ in }
    let all = [
      nothing.signal.debugDescription, emitter.signal.debugDescription,
      pair.signal.debugDescription,
    ]
    #expect(all.allSatisfy { $0.contains("Target, inline, ") })
  }
}

/// `@unchecked Sendable`: nothing is emitted, so that nobody sets the number.
private final class Label: @unchecked Sendable {
  private var number = 0

  func show(_ number: Int) { self.number = number }
}

/// Connects on itself, and is not held by what it connects.
private actor Owner {
  func connect(_ signal: Signal<Int>, to label: Label) {
    signal.connect(label, Label.show, fileID: "M/F.swift", line: 1)
  }
}

/// Has asynchronous methods of each shape, of a global actor.
@Studio private final class Clerk {
  nonisolated init() {}

  func nothing() async {}
  func one(_: Int) async {}
  func two(_: Int, _: Int) async {}
}
