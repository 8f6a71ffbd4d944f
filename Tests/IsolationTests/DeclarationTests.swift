import SignalObserver
import Testing

/// Everywhere an emitter can be declared; that this file builds without a warning is half of it.
@Suite(.serialized, .inTurn) struct DeclarationTests {
  private let trace = Trace()

  @Test func `an emitter is a property of a class`() {
    let player = Player()
    player.started.connect(on: .inline) { [trace] in trace.note("started") }
    player.scored.connect(on: .inline) { [trace] in trace.note($0) }
    player.scoreChanged.connect(on: .inline) { [trace] in trace.note("\($0) \($1)") }
    player.moved.connect(on: .inline) { [trace] in trace.note("\($0.0) \($0.1) \($0.2)") }

    player.play()

    #expect(trace.lines == ["started", "1", "1 north", "1 2 3"])
  }

  @Test func `an emitter in a struct is shared by its copies`() {
    let counter = Counter()
    let copy = counter
    counter.counted.connect(on: .inline) { [trace] in trace.note($0) }

    counter.count(1)
    copy.count(2)

    #expect(trace.lines == ["1", "2"])
  }

  @Test func `everyone may connect to an emitter of an actor, which emits in isolation`() async {
    let store = Store()
    store.changed.connect(on: .inline) { [trace] in trace.note($0) }

    await store.change(to: 1)

    #expect(trace.lines == ["1"])
  }

  @Test func `everyone may connect to an emitter of the main actor`() async {
    let model = Model()
    model.changed.connect(on: .inline) { [trace] in trace.note($0) }

    await model.change(to: 1)

    #expect(trace.lines == ["1"])
  }

  @Test func `an emitter is a constant of a Sendable class`() {
    let service = Service()
    service.responded.connect(on: .inline) { [trace] in trace.note($0) }

    Threads.run { service.respond() }

    #expect(trace.lines == ["200"])
  }

  @Test func `an emitter is a static constant`() {
    let observer = Application.quit.connect(on: .inline) { [trace] in trace.note("quit") }

    Application.quitNow()
    observer.cancel()

    #expect(trace.lines == ["quit"])
  }

  @Test func `a signal is a requirement of a protocol, whatever declares its emitter`() {
    let player = Player()
    let service = Service()
    let counters: [any Scoring] = [player, service]
    for counter in counters { counter.scored.connect(on: .inline) { [trace] in trace.note($0) } }

    player.play()
    service.respond()

    #expect(trace.lines == ["1", "200"])
  }

  @Test func `an emitter of a payload that is not Sendable stays where it is`() {
    let editor = Editor()
    var names: [String] = []
    editor.opened.connect { document in names.append(document.name) }

    editor.open("a")

    #expect(names == ["a"])
  }
}

private protocol Scoring {
  var scored: SignalArg<Int> { get }
}

private final class Player: Scoring {
  @EmitterVoid var started
  @EmitterArg<Int> var scored
  @EmitterArg2<Int, String> var scoreChanged
  @EmitterArg<(Int, Int, Int)> var moved

  func play() {
    _started.invoke()
    _scored.invoke(1)
    _scoreChanged.invoke(1, "north")
    _moved.invoke((1, 2, 3))
  }
}

private struct Counter {
  @EmitterArg<Int> var counted

  func count(_ number: Int) { _counted.invoke(number) }
}

private actor Store {
  @EmitterArg<Int> nonisolated var changed

  func change(to number: Int) { _changed.invoke(number) }
}

@MainActor
private final class Model {
  @EmitterArg<Int> nonisolated var changed

  func change(to number: Int) { _changed.invoke(number) }
}

private final class Service: Sendable, Scoring {
  private let responding = EmitterArg<Int>()

  var responded: SignalArg<Int> { responding.signal }
  var scored: SignalArg<Int> { responding.signal }

  func respond() { responding.invoke(200) }
}

private enum Application {
  private static let quitting = EmitterVoid()

  static var quit: SignalVoid { quitting.signal }

  static func quitNow() { quitting.invoke() }
}

private final class Editor {
  final class Document {
    let name: String

    init(name: String) { self.name = name }
  }

  @EmitterArg<Document> var opened

  func open(_ name: String) { _opened.invoke(Document(name: name)) }
}
