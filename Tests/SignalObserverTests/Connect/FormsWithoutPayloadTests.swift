import SignalObserver
import Testing

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
