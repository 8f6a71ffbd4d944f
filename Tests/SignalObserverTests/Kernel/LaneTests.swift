import Dispatch
import SignalObserver
import Testing

@Suite(.serialized, .inTurn, .timeLimit(.minutes(5))) struct LaneTests {
  let first = EmitterArg<Int>()
  let second = EmitterArg<Int>()
  let log = Log()
  let queue = DispatchQueue(label: "delivery")

  init() {
    first.signal.connect(on: queue) { [log] in log.add("first \($0)") }
    second.signal.connect(on: queue) { [log] in log.add("second \($0)") }
  }

  @Test func `18. What two signals send to one queue is delivered in the order of emission`() {
    queue.suspend()
    for number in 0..<2 { first.invoke(number) }
    queue.async { [first, second] in
      second.invoke(0)
      first.invoke(2)
    }
    queue.resume()
    for _ in 0..<2 { queue.sync {} }

    #expect(log.entries == ["first 0", "first 1", "second 0", "first 2"])
  }
}
