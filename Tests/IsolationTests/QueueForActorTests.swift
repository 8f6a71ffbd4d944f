import Dispatch
import SignalObserver
import Testing

/// Handing a queue to a method of a global actor is deprecated: the warning says what to write, and
/// the method runs on its actor.
@Suite(.serialized, .inTurn, .timeLimit(.minutes(5))) struct QueueForActorTests {
  @MainActor @Test(arguments: [DispatchQueue(label: "other"), nil])
  func `a method of the main actor runs there, whatever queue it is given`(
    queue: DispatchQueue?
  ) {
    let stage = Stage()
    let view = View(stage.trace)
    let connector: any QueueConnector = Deprecated()

    let line = connector.connect(view, stage, queue)
    #expect(stage.lines == Array(line..<line + 6))
    stage.emit()

    #expect(stage.trace.lines == ["nothing", "0", "1", "2", "1 2", "3 4"])
  }

  @Background @Test(arguments: [DispatchQueue(label: "other"), nil])
  func `a method of a global actor runs there, whatever queue it is given`(
    queue: DispatchQueue?
  ) {
    let stage = Stage()
    let log = Log(stage.trace)
    let connector: any QueueConnector = Deprecated()

    let line = connector.connect(log, stage, queue)
    #expect(stage.lines == Array(line..<line + 6))
    stage.emit()

    #expect(stage.trace.lines == ["nothing", "0", "1", "2", "1 2", "3 4"])
  }
}

/// What is deprecated is reached by a protocol, so that the tests build without the warning.
///
/// Each function returns the line of its first connection.
private protocol QueueConnector {
  func connect(_ view: View, _ stage: Stage, _ queue: DispatchQueue?) -> Int
  func connect(_ log: Log, _ stage: Stage, _ queue: DispatchQueue?) -> Int
}

private struct Deprecated: QueueConnector {
  @available(*, deprecated)
  func connect(_ view: View, _ stage: Stage, _ queue: DispatchQueue?) -> Int {
    stage.void.signal.connect(view, View.nothing, queue)
    stage.void.signal.map(view, View.one, { 0 }, queue)
    stage.one.signal.connect(view, View.one, queue)
    stage.one.signal.map(view, View.one, { $0 + 1 }, queue)
    stage.two.signal.connect(view, View.two, queue)
    stage.two.signal.map(view, View.two, { ($0 + 2, $1 + 2) }, queue)
    return #line - 6
  }

  @available(*, deprecated)
  func connect(_ log: Log, _ stage: Stage, _ queue: DispatchQueue?) -> Int {
    stage.void.signal.connect(log, Log.nothing, queue)
    stage.void.signal.map(log, Log.one, { 0 }, queue)
    stage.one.signal.connect(log, Log.one, queue)
    stage.one.signal.map(log, Log.one, { $0 + 1 }, queue)
    stage.two.signal.connect(log, Log.two, queue)
    stage.two.signal.map(log, Log.two, { ($0 + 2, $1 + 2) }, queue)
    return #line - 6
  }
}

private struct Stage {
  let void = EmitterVoid()
  let one = EmitterArg<Int>()
  let two = EmitterArg2<Int, Int>()
  let trace = Trace()

  /// The lines that made the connections.
  var lines: [Int] {
    (void.signal.connections + one.signal.connections + two.signal.connections).map(\.line)
  }

  func emit(isolation: isolated (any Actor)? = #isolation) {
    void.invoke()
    one.invoke(1)
    two.invoke(1, 2)
  }
}

@MainActor
private final class View {
  private let trace: Trace

  init(_ trace: Trace) { self.trace = trace }

  func nothing() { note("nothing") }
  func one(_ number: Int) { note("\(number)") }
  func two(_ first: Int, _ second: Int) { note("\(first) \(second)") }

  private func note(_ line: String) {
    MainActor.preconditionIsolated()
    trace.note(line)
  }
}

@Background
private final class Log {
  private let trace: Trace

  init(_ trace: Trace) { self.trace = trace }

  func nothing() { note("nothing") }
  func one(_ number: Int) { note("\(number)") }
  func two(_ first: Int, _ second: Int) { note("\(first) \(second)") }

  private func note(_ line: String) {
    Background.preconditionIsolated()
    trace.note(line)
  }
}
