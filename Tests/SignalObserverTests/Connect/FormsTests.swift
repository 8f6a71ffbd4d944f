import Dispatch
import SignalObserver
import Testing

/// The forms that nothing else connects with: each is called once, and its slot runs once.
@Suite(.serialized, .inTurn, .timeLimit(.minutes(5))) struct FormsTests {
  private let log = Log()

  // MARK: - Payloads that are not Sendable

  @Test func `forms for payloads that are not Sendable run inline`() {
    let one = EmitterArg<Note>()
    let two = EmitterArg2<Note, Note>()
    let (reader, log) = (Reader(log), log)

    one.signal.connect(reader, Reader.nothing)
    one.signal.connect(reader, Reader.one)
    two.signal.connect(reader, Reader.two)
    one.signal.connect { note in log.add("closure \(note.text)") }
    one.signal.connect(reader) { reader, note in reader.one(note) }
    two.signal.connect(reader) { reader, first, second in reader.two(first, second) }
    expectLines(#line - 6, one.signal.connections + two.signal.connections)
    one.invoke(Note("a"))
    two.invoke(Note("b"), Note("c"))

    let ones = ["nothing", "one a", "closure a", "one a"]
    #expect(log.entries == ones + ["two b c", "two b c"])
  }

  @MainActor @Test func `methods of the main actor take payloads that are not Sendable there`() {
    let one = EmitterArg<Note>()
    let two = EmitterArg2<Note, Note>()
    let view = NoteView(log)

    one.signal.connect(view, NoteView.nothing)
    one.signal.connect(view, NoteView.one)
    two.signal.connect(view, NoteView.two)
    expectLines(#line - 3, one.signal.connections + two.signal.connections)
    one.invoke(Note("a"))
    two.invoke(Note("b"), Note("c"))

    #expect(log.entries == ["nothing", "one a", "two b c"])
  }

  @MainActor @Test func `an optional property of the main actor is set there`() {
    @MainActor final class Screen { var title: String? }
    let (emitter, screen) = (EmitterArg<String>(), Screen())

    emitter.signal.bind(to: \.title, of: screen)
    emitter.invoke("a")

    #expect(screen.title == "a")
  }

  @MainActor @Test
  func `async function values without an isolation run where they are connected`() async {
    let (nothing, one, two) = (EmitterVoid(), EmitterArg<Int>(), EmitterArg2<Int, String>())
    let (log, target) = (Log(), Target("target", Log()))
    let first: @Sendable () async -> Void = { log.add("nothing") }
    let second: @Sendable (Int) async -> Void = { log.add("one \($0)") }
    let third: @Sendable (Int, String) async -> Void = { log.add("two \($0) \($1)") }
    let fourth: @Sendable (Target, Int) async -> Void = { log.add("\($0.name) \($1)") }
    nothing.signal.connect(first)
    one.signal.connect(second)
    one.signal.connect(target, fourth)
    two.signal.connect(third)
    let connections = nothing.signal.connections + one.signal.connections + two.signal.connections
    #expect(connections.map(\.place) == [.main, .main, .main, .main])
    await nothing.invokeAndWait()
    await one.invokeAndWait(1)
    await two.invokeAndWait(2, "b")
    #expect(log.entries.sorted() == ["nothing", "one 1", "target 1", "two 2 b"])
  }

  @Test func `function values of an actor run there, whoever connects them`() async {
    await #expect(processExitsWith: .success) {
      let (one, two) = (EmitterArg<Int>(), EmitterArg2<Int, Int>())
      let target = Target("target", Log())
      let first: @isolated(any) (Target, Int) -> Void = { @Studio target, number in
        Studio.shared.preconditionIsolated()
        target.log.add("\(number)")
      }
      let both: @isolated(any) (Target, Int, Int) -> Void = { @Studio target, first, second in
        Studio.shared.preconditionIsolated()
        target.log.add("\(first) \(second)")
      }
      let kept: @isolated(any) (Int) -> Void = { @Studio number in
        Studio.shared.preconditionIsolated()
        target.log.add("kept \(number)")
      }
      one.signal.connect(target, first)
      two.signal.connect(target, both)
      one.signal.connect(keeping: kept)
      one.invoke(1)
      two.invoke(2, 3)
      await until("the calls") { target.log.entries == ["1", "kept 1", "2 3"] }
    }
  }

  @Archive @Test func `methods of a global actor take payloads that are not Sendable there`() {
    let one = EmitterArg<Note>()
    let two = EmitterArg2<Note, Note>()
    let archivist = Archivist(log)

    one.signal.connect(archivist, Archivist.nothing)
    one.signal.connect(archivist, Archivist.one)
    two.signal.connect(archivist, Archivist.two)
    expectLines(#line - 3, one.signal.connections + two.signal.connections)
    one.invoke(Note("a"))
    two.invoke(Note("b"), Note("c"))

    #expect(log.entries == ["nothing", "one a", "two b c"])
  }

  @Test func `connecting a global actor's method elsewhere stops if the payload must stay`() async {
    await #expect(processExitsWith: .failure) {
      let archivist = await Archivist(Log())
      EmitterArg<Note>().signal.connect(archivist, Archivist.one)
    }
    await #expect(processExitsWith: .failure) {
      let archivist = await Archivist(Log())
      EmitterArg<Note>().signal.connect(archivist, Archivist.nothing)
    }
    await #expect(processExitsWith: .failure) {
      let archivist = await Archivist(Log())
      EmitterArg2<Note, Note>().signal.connect(archivist, Archivist.two)
    }
  }

  // MARK: - Values of closures

  @MainActor @Test func `closures that are not Sendable run where they are connected`() {
    let one = EmitterArg<Int>()
    let two = EmitterArg2<Int, String>()
    let target = Target("target", log)
    let void = EmitterVoid()
    let nothing: (Target) -> Void = { $0.called() }
    let all: (Target, Int) -> Void = { $0.show($1) }
    let both: (Target, Int, String) -> Void = { $0.showBoth($1, $2) }

    void.signal.connect(target, nothing)
    one.signal.connect(target, all)
    two.signal.connect(target, both)
    void.invoke()
    one.invoke(1)
    two.invoke(2, "two")

    #expect(log.entries == ["target", "target 1", "target 2 two"])
  }

  @Test func `a closure that is given its target runs on its queue`() {
    let emitter = EmitterArg<Int>()
    let target = Target("target", log)
    let queue = DispatchQueue(label: "closure")

    emitter.signal.connect(target, on: queue) { target, _ in target.called() }
    emitter.invoke(1)
    queue.sync {}

    #expect(log.entries == ["target"])
  }

  // MARK: - Asynchronous methods

  @MainActor @Test func `asynchronous methods that stay with their caller run where connected`()
    async
  {
    let one = EmitterArg<Int>()
    let two = EmitterArg2<Int, String>()
    let loader = Loader(log)

    one.signal.connect(loader, Loader.nothing)
    #expect(await trace { one.invoke(1) } == ["nothing"])
    one.cancelAllObservers()
    one.signal.connect(loader, Loader.one)
    #expect(await trace { one.invoke(1) } == ["one 1"])
    two.signal.connect(loader, Loader.two)
    #expect(await trace { two.invoke(2, "b") } == ["two 2 b"])
  }

  @MainActor @Test func `a transform precedes asynchronous methods that stay with their caller`()
    async
  {
    let emitter = EmitterArg<Int>()
    let loader = Loader(log)

    emitter.signal.map { _ in }.connect(loader, Loader.nothing)
    #expect(await trace { emitter.invoke(1) } == ["nothing"])
    emitter.cancelAllObservers()
    emitter.signal.map { $0 + 1 }.connect(loader, Loader.one)
    #expect(await trace { emitter.invoke(1) } == ["one 2"])
    emitter.cancelAllObservers()
    emitter.signal.map { ($0 + 2, "b") }.connect(loader, Loader.two)
    #expect(await trace { emitter.invoke(1) } == ["two 3 b"])
  }

  @Test(arguments: 0..<6)
  func `asynchronous methods that leave their caller run, though deprecated`(form: Int) async {
    let one = EmitterArg<Int>()
    let two = EmitterArg2<Int, String>()
    let loader = Loader(log)
    let forms: any DeprecatedForms = Deprecated()

    forms.connect(loader, one, two, form)
    let entries = await trace {
      one.invoke(1)
      two.invoke(2, "b")
    }

    let traces = ["nothing", "one 1", "two 2 b", "nothing", "one 2", "two 3 b"]
    #expect(entries == [traces[form]])
  }

  @MainActor @Test func `a queue before a closure is its target, though deprecated`() {
    let emitter = EmitterArg<Int>()
    let (queue, log) = (DispatchQueue(label: "unused"), log)
    let forms: any DeprecatedForms = Deprecated()

    let void = EmitterVoid()
    forms.connect(queue, void, emitter) { log.add($0) }
    void.invoke()
    emitter.invoke(1)

    #expect(log.entries == ["unused", "unused 1"])
    #expect(void.signal.debugDescription.contains(", main, "))
    #expect(emitter.signal.debugDescription.contains(", main, "))
  }

  @Test func `deprecated forms show where they are called, and a closure its actor`() {
    let (void, one, two) = (EmitterVoid(), EmitterArg<Int>(), EmitterArg2<Int, String>())
    let (panel, loader, queue) = (Panel(), Loader(log), DispatchQueue(label: "unused"))
    let forms: any DeprecatedForms = Deprecated()
    let (first, count) = forms.connectAll(panel, loader, queue, void, one, two)

    expectLines(
      first, void.signal.connections + one.signal.connections + two.signal.connections,
      count: count)
    let descriptions = void.signal.debugDescription + one.signal.debugDescription
    #expect(descriptions.split(separator: "isolated to Studio").count == 3)
    // The connections hold no target.
    withExtendedLifetime((panel, loader, queue)) {}
  }

  @Test func `an asynchronous slot ends with the actor that connected it`() async {
    let (emitter, log) = (EmitterArg<Lifetime>(), log)
    let loader = SharedLoader(log)
    var home: Home? = Home(Lifetime { log.add("actor gone") })
    let observer = await home?.follow(emitter.signal, loader)

    home = nil
    #expect(await log.entries(1) == ["actor gone"])
    emitter.invoke(Lifetime { log.add("payload gone") })

    #expect(await log.entries(2) == ["actor gone", "payload gone"])
    #expect(observer?.isCancelled == true)
  }

  @Test @MainActor
  func `cancelled on the main actor, the slots that were connected there are released at once`() {
    let (one, two) = (EmitterArg<Note>(), EmitterArg2<Note, Note>())
    let (view, reader) = (NoteView(log), Reader(log))
    let nothing: @Sendable (NoteView) -> @isolated(any) () -> Void = NoteView.nothing
    let show: @Sendable (NoteView) -> @isolated(any) (Note) -> Void = NoteView.one
    let showBoth: @Sendable (NoteView) -> @isolated(any) (Note, Note) -> Void = NoteView.two
    let observers =
      connectWatched(one, two, view, reader) + [
        watched(one.signal).connect(view, nothing),
        watched(one.signal).connect(view, show),
        watched(two.signal).connect(view, showBoth),
      ]
    for observer in observers { observer.cancel() }

    #expect(log.entries.count == observers.count)
  }

  @Test @MainActor func `cancelled elsewhere, slots keep what they capture for their domain`() {
    let (one, two) = (EmitterArg<Note>(), EmitterArg2<Note, Note>())
    let (view, reader) = (NoteView(log), Reader(log))
    expectKept(connectWatched(one, two, view, reader), one, two)
  }

  @Test @Archive func `cancelled elsewhere, slots of a global actor keep what they capture for it`()
  {
    let (one, two) = (EmitterArg<Note>(), EmitterArg2<Note, Note>())
    let archivist = Archivist(log)
    let observers = [
      watched(one.signal).connect(archivist, Archivist.nothing),
      watched(one.signal).connect(archivist, Archivist.one),
      watched(two.signal).connect(archivist, Archivist.two),
    ]
    expectKept(observers, one, two)
  }

  /// Connects in each form for payloads that are not `Sendable`, each with a watched capture.
  @MainActor private func connectWatched(
    _ one: EmitterArg<Note>, _ two: EmitterArg2<Note, Note>, _ view: NoteView, _ reader: Reader
  ) -> [SignalObserver] {
    [
      watched(one.signal).connect(view, NoteView.nothing),
      watched(one.signal).connect(view, NoteView.one),
      watched(two.signal).connect(view, NoteView.two),
      watched(one.signal).connect(reader, Reader.nothing),
      watched(one.signal).connect(reader, Reader.one),
      watched(two.signal).connect(reader, Reader.two),
      watched(one.signal).connect { _ in },
      watched(one.signal).connect(reader) { _, _ in },
      watched(two.signal).connect(reader) { _, _, _ in },
    ]
  }

  /// Cancels elsewhere, and expects that the captures stay until the signals are used here.
  private func expectKept(
    _ observers: [SignalObserver], _ one: EmitterArg<Note>, _ two: EmitterArg2<Note, Note>
  ) {
    DispatchQueue(label: "elsewhere").sync { for observer in observers { observer.cancel() } }
    #expect(log.entries == [])
    #expect(one.signal.slotCount + two.signal.slotCount == 0)
    #expect(log.entries.count == observers.count)
  }

  /// The same payloads, through a closure with a capture that notes its end.
  private func watched<Source: SignalSource>(
    _ source: Source
  ) -> some SignalSource<Source.Payload> {
    let log = log
    return source.filter { [capture = Lifetime { log.add("gone") }] _ in
      capture.use()
      return true
    }
  }

  /// Expects that connections are of this file, and of one line each, from `first` on.
  private func expectLines(
    _ first: Int, _ connections: [Wiring.Connection], count: Int? = nil,
    sourceLocation: SourceLocation = #_sourceLocation
  ) {
    let lines = connections.map(\.line).sorted()
    #expect(
      lines == Array(first..<first + (count ?? connections.count))
        && connections.allSatisfy { $0.fileID == #fileID },
      sourceLocation: sourceLocation)
  }

  /// What `body` adds to the log: one entry.
  private func trace(_ body: () -> Void) async -> [String] {
    let count = log.entries.count
    body()
    return Array(await log.entries(count + 1)[count...])
  }
}

/// Methods of a class that is not `Sendable`.
private final class Reader {
  private let log: Log

  init(_ log: Log) { self.log = log }

  func nothing() { log.add("nothing") }
  func one(_ note: Note) { log.add("one \(note.text)") }
  func two(_ first: Note, _ second: Note) { log.add("two \(first.text) \(second.text)") }
}

@MainActor final class NoteView {
  private let log: Log

  init(_ log: Log) { self.log = log }

  func nothing() { log.add("nothing") }
  func one(_ note: Note) { log.add("one \(note.text)") }
  func two(_ first: Note, _ second: Note) { log.add("two \(first.text) \(second.text)") }
}

/// A global actor; public, since release builds cannot connect methods of an internal one.
@globalActor public actor Archive {
  /// The one instance.
  public static let shared = Archive()
}

@Archive final class Archivist {
  private let log: Log

  init(_ log: Log) { self.log = log }

  func nothing() { log.add("nothing") }
  func one(_ note: Note) { log.add("one \(note.text)") }
  func two(_ first: Note, _ second: Note) { log.add("two \(first.text) \(second.text)") }
}

@MainActor private final class Panel {
  func nothing() {}
  func one(_: Int) {}
  func two(_: Int, _: String) {}
}

/// Asynchronous methods of a class that is not `Sendable`.
private final class Loader {
  private let log: Log

  init(_ log: Log) { self.log = log }

  nonisolated(nonsending) func nothing() async { log.add("nothing") }
  nonisolated(nonsending) func one(_ value: Int) async { log.add("one \(value)") }
  nonisolated(nonsending) func two(_ value: Int, _ text: String) async {
    log.add("two \(value) \(text)")
  }

  @concurrent func leavingNothing() async { log.add("nothing") }
  @concurrent func leavingOne(_ value: Int) async { log.add("one \(value)") }
  @concurrent func leavingTwo(_ value: Int, _ text: String) async {
    log.add("two \(value) \(text)")
  }
}

private final class SharedLoader: Sendable {
  private let log: Log

  init(_ log: Log) { self.log = log }

  nonisolated(nonsending) func keep(_ lifetime: Lifetime) async { log.add("kept") }
}

/// An actor that connects what runs on it.
private actor Home {
  private let lifetime: Lifetime

  init(_ lifetime: Lifetime) { self.lifetime = lifetime }

  func follow(_ signal: SignalArg<Lifetime>, _ loader: SharedLoader) -> SignalObserver {
    signal.connect(loader, SharedLoader.keep)
  }
}

/// What is deprecated is reached by a protocol, so that the tests build without the warning.
private protocol DeprecatedForms {
  func connect(
    _ loader: Loader, _ one: EmitterArg<Int>, _ two: EmitterArg2<Int, String>, _ form: Int)
  @MainActor func connect(
    _ queue: DispatchQueue, _ void: EmitterVoid, _ emitter: EmitterArg<Int>,
    _ add: @escaping @Sendable (String) -> Void)
  func connectAll(
    _ panel: Panel, _ loader: Loader, _ queue: DispatchQueue, _ void: EmitterVoid,
    _ one: EmitterArg<Int>, _ two: EmitterArg2<Int, String>
  ) -> (firstLine: Int, count: Int)
}

private struct Deprecated: DeprecatedForms {
  @available(*, deprecated)
  func connect(
    _ loader: Loader, _ one: EmitterArg<Int>, _ two: EmitterArg2<Int, String>, _ form: Int
  ) {
    switch form {
    case 0: one.signal.connect(loader, Loader.leavingNothing)
    case 1: one.signal.connect(loader, Loader.leavingOne)
    case 2: two.signal.connect(loader, Loader.leavingTwo)
    case 3: one.signal.map { _ in }.connect(loader, Loader.leavingNothing)
    case 4: one.signal.map { $0 + 1 }.connect(loader, Loader.leavingOne)
    default: one.signal.map { ($0 + 2, "b") }.connect(loader, Loader.leavingTwo)
    }
  }

  @available(*, deprecated)
  @MainActor func connect(
    _ queue: DispatchQueue, _ void: EmitterVoid, _ emitter: EmitterArg<Int>,
    _ add: @escaping @Sendable (String) -> Void
  ) {
    void.signal.connect(queue) { queue in add(queue.label) }
    emitter.signal.connect(queue) { queue, value in add("\(queue.label) \(value)") }
  }

  @available(*, deprecated)
  func connectAll(
    _ panel: Panel, _ loader: Loader, _ queue: DispatchQueue, _ void: EmitterVoid,
    _ one: EmitterArg<Int>, _ two: EmitterArg2<Int, String>
  ) -> (firstLine: Int, count: Int) {
    let keeping: (Int) -> Void = { _ in }
    let firstLine = #line + 1
    one.signal.connect(keeping)
    one.signal.connect(panel, Panel.nothing, queue)
    one.signal.connect(panel, Panel.one, queue)
    two.signal.connect(panel, Panel.two, queue)
    one.signal.map(panel, Panel.one, { $0 }, queue)
    one.signal.map(panel, Panel.two, { ($0, "") }, queue)
    one.signal.connect(loader, Loader.leavingNothing)
    one.signal.connect(loader, Loader.leavingOne)
    two.signal.connect(loader, Loader.leavingTwo)
    void.signal.connect(queue) { @Studio _ in }
    one.signal.connect(queue) { @Studio _, _ in }
    return (firstLine, #line - firstLine)
  }
}

@Suite(.serialized, .inTurn, .timeLimit(.minutes(5))) struct FormsWithoutPayloadTests {
  private final class Counter {
    var count = 0

    func add() { count += 1 }
  }

  let emitter = EmitterVoid()

  @MainActor @Test func `a function value that is not Sendable runs where it is connected`() {
    let counter = Counter()
    let add: () -> Void = { counter.add() }
    emitter.signal.connect(keeping: add)

    emitter.invoke()

    #expect(counter.count == 1)
  }

  @Test func `a function value of an actor runs there, whoever connects it`() async {
    await #expect(processExitsWith: .success) {
      let (emitter, target) = (EmitterVoid(), Target("target", Log()))
      let call: @isolated(any) (Target) -> Void = { @Studio target in
        Studio.shared.preconditionIsolated()
        target.log.add("called")
      }
      emitter.signal.connect(target, call)
      emitter.invoke()
      await until("the call") { target.log.entries == ["called"] }
    }
  }

  @Test func `a closure with a queue is given its target`() {
    let target = Target("target", Log())
    emitter.signal.connect(target, on: .inline) { $0.log.add($0.name) }

    emitter.invoke()

    #expect(target.log.entries == ["target"])
  }
}
