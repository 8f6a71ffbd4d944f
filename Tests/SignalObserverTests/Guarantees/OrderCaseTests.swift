import SignalObserver
import Testing

@Suite(.serialized, .inTurn, .timeLimit(.minutes(5)), .nothingLeft) struct OrderCaseTests {
  let log = Log()
  let made = Made.current

  @Test(arguments: 1...20)
  func `O3 survivors of random cancels keep their order`(seed: UInt64) {
    let emitter = made.emitter()
    var numbers = Numbers(seed: seed)
    let observers = (0..<100).map { index in
      emitter.signal.connect(on: .inline) { log.add("\(index)") }
    }
    let cancelled = (0..<100).shuffled(using: &numbers).prefix(50)

    for index in cancelled { observers[index].cancel() }
    emitter.invoke()

    let expected = (0..<100).filter { !cancelled.contains($0) }.map { "\($0)" }
    #expect(log.entries == expected, "cancelled: \(cancelled)")
  }

  @Test func `O1 methods of four targets are called in the order in which they were connected`() {
    let emitter = made.emitter(Int.self)
    let targets = (0..<4).map { made.watch(Target("\($0)", log)) }
    for target in targets {
      emitter.signal.connect(target, Target.called, .inline)
      emitter.signal.connect(target, Target.show, .inline)
    }

    emitter.invoke(7)

    #expect(log.entries == ["0", "0 7", "1", "1 7", "2", "2 7", "3", "3 7"])
    withExtendedLifetime(targets) {}
  }
}
