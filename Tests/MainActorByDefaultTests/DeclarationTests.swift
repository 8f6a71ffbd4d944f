import SignalObserver
import Testing

/// A module whose declarations are the main actor's unless they say otherwise: nothing is annotated
/// but what leaves the main actor, and everything runs at once on it.
@Suite(.serialized, .inTurn) struct DeclarationTests {
  private let trace = Trace()

  @Test func `emitters, methods and closures need no annotation`() {
    let player = Player()
    let label = Label(trace)
    player.started.connect(label, Label.start)
    player.scored.connect(label, Label.show)
    player.scoreChanged.connect(label, Label.showTeam)
    player.scored.connect { label.show($0 * 10) }
    player.scored.connect(label) { me, score in me.show(score * 100) }
    player.scored.map(label, Label.show, { $0 * 1000 })

    player.play()

    #expect(trace.lines == ["start", "1", "10", "100", "1000", "1 north"])
  }

  @Test func `an async method runs on the main actor`() async {
    let player = Player()
    let label = Label(trace)
    player.scored.connect(label, Label.load)

    player.play()

    await trace.lines(1)
    #expect(trace.lines == ["loaded 1"])
  }

  @Test func `a struct, an actor and constants declare emitters too`() async {
    let counter = Counter()
    let store = Store()
    let service = Service()
    for signal in [counter.counted, store.changed, service.responded, Application.quit] {
      signal.connect(on: .inline) { [trace] in trace.note($0) }
    }

    counter.count(1)
    await store.change(to: 2)
    service.respond()
    Application.quitting.invoke(4)

    #expect(trace.lines == ["1", "2", "3", "4"])
  }

  @Test func `a signal is a requirement of a protocol`() {
    let player = Player()
    let scoring: any Scoring = player
    scoring.scored.connect { self.trace.note($0) }

    player.play()

    #expect(trace.lines == ["1"])
  }
}

private protocol Scoring {
  var scored: SignalArg<Int> { get }
}

private final class Player: Scoring {
  @EmitterVoid var started
  @EmitterArg<Int> var scored
  @EmitterArg2<Int, String> var scoreChanged

  func play() {
    _started.invoke()
    _scored.invoke(1)
    _scoreChanged.invoke(1, "north")
  }
}

private final class Label {
  private let trace: Trace

  init(_ trace: Trace) { self.trace = trace }

  func start() { trace.note("start") }
  func show(_ score: Int) { trace.note(score) }
  func showTeam(_ score: Int, _ team: String) { trace.note("\(score) \(team)") }

  func load(_ score: Int) async {
    MainActor.preconditionIsolated()
    trace.note("loaded \(score)")
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

nonisolated private final class Service: Sendable {
  private let responding = EmitterArg<Int>()

  var responded: SignalArg<Int> { responding.signal }

  func respond() { responding.invoke(3) }
}

private enum Application {
  static let quitting = EmitterArg<Int>()

  static var quit: SignalArg<Int> { quitting.signal }
}
