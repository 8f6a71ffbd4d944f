import Dispatch
import SignalObserver
import Testing

/// When a drain comes back although nothing is pending.
///
/// A slot whose drain is on its way is called before one whose drain is scheduled only now.
@Suite(.serialized, .inTurn, .timeLimit(.minutes(5))) struct MailboxTests {
  let first = EmitterArg<Int>()
  let second = EmitterArg<Int>()
  let log = Log()
  let queue = DispatchQueue(label: "delivery")

  /// Emits `burst` at once, and later, from behind its drain, to the other slot and to this one.
  private func trace(burst: Int) -> [String] {
    first.signal.connect(on: queue) { [log] in log.add("first \($0)") }
    second.signal.connect(on: queue) { [log] in log.add("second \($0)") }
    queue.suspend()
    for number in 0..<burst { first.invoke(number) }
    queue.async { [first, second] in
      second.invoke(0)
      first.invoke(burst)
    }
    queue.resume()
    for _ in 0..<2 { queue.sync {} }
    return log.entries
  }

  @Test func `after a burst a drain comes back once more, and finds what came meanwhile`() {
    #expect(trace(burst: 2) == ["first 0", "first 1", "first 2", "second 0"])
  }

  @Test func `after a single delivery it does not`() {
    #expect(trace(burst: 1) == ["first 0", "second 0", "first 1"])
  }
}
