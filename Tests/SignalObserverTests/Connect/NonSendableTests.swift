import SignalObserver
import Testing

/// Slots of payloads that are not `Sendable` stay where their signal is: other threads release
/// nothing.
@Suite(.serialized, .inTurn, .timeLimit(.minutes(5))) struct NonSendableTests {
  private let log = Log()

  @Test
  func `what a closure captures stays until the signal is used, though another thread cancels`() {
    let one = EmitterArg<Note>()
    let capture = Box(Lifetime { [log] in log.add("gone") })
    let observer = one.signal.connect { [capture = capture.value] _ in capture?.use() }
    capture.value = nil
    RunningThread { observer.cancel() }.join()
    #expect(log.entries == [])
    #expect(observer.isCancelled)
    one.invoke(Note("a"))

    #expect(log.entries == ["gone"])
  }

  @Test(arguments: 0..<6)
  func `the death of a target shows when the signal is used again`(form: Int) {
    let (one, two) = (EmitterArg<Note>(), EmitterArg2<Note, Note>())
    var reader: Plain? = Plain()
    let observer =
      switch form {
      case 0: one.signal.connect(reader!, Plain.nothing)
      case 1: one.signal.connect(reader!, Plain.one)
      case 2: two.signal.connect(reader!, Plain.two)
      case 3: one.signal.connect(reader!) { reader, _ in reader.nothing() }
      case 4: two.signal.connect(reader!) { reader, _, _ in reader.nothing() }
      default: two.signal.connect(reader!, Plain.nothing)
      }
    reader = nil
    #expect(!observer.isCancelled)
    one.invoke(Note("a"))
    two.invoke(Note("a"), Note("b"))

    #expect(observer.isCancelled)
  }

  @Test func `closures of an actor are not connected elsewhere, with a target either`() async {
    await #expect(processExitsWith: .failure) {
      EmitterArg<Note>().signal.connect(Plain()) { @MainActor _, _ in }
    }
    await #expect(processExitsWith: .failure) {
      EmitterArg2<Note, Note>().signal.connect(Plain()) { @MainActor _, _, _ in }
    }
  }

  @MainActor @Test func `a function of no actor may be connected on any`() {
    let (one, log) = (EmitterArg<Note>(), log)
    one.signal.connect(Plain.show(log))
    one.invoke(Note("a"))

    #expect(log.entries == ["a"])
  }
}

/// Methods of a class that is not `Sendable`.
private final class Plain {
  func nothing() {}
  func one(_: Note) {}
  func two(_: Note, _: Note) {}

  /// A function that is of no actor.
  nonisolated static func show(_ log: Log) -> (Note) -> Void { { log.add($0.text) } }
}
