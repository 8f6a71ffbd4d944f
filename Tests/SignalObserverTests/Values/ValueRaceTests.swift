import Dispatch
import SignalObserver
import Testing

@Suite(.serialized, .inTurn, .timeLimit(.minutes(5))) struct ValueRaceTests {
  @Test func `16. Sets of a value are delivered in order; all slots end on the newest value`()
    async
  {
    for _ in 0..<100 {
      let value = EmitterValue(0)
      let (first, _) = value.signal.traced()
      let (second, _) = value.signal.traced()
      onThreads(3) { index in
        for number in 1...50 { value.set(index * 1000 + number) }
      }
      #expect(await first.entries(151) == second.entries(151))
      #expect(first.entries.last == value.value)
    }
  }

  @Test func `16. Sets of a value are delivered one at a time: old and new ones form a chain`()
    async
  {
    let value = EmitterValue(0)
    let changes = Trace<[Int]>()
    value.signal.changes.connect(on: .inline) { old, new in changes.add([old, new]) }
    onThreads(4) { index in
      for number in 1...500 { value.set(index * 1000 + number) }
    }
    let (olds, news) = (await changes.entries(2000).map { $0[0] }, changes.entries.map { $0[1] })
    #expect([0] + news.dropLast() == olds)
    #expect(news.last == value.value)
  }

  @Test func `cancelling while others set and connect calls nobody afterwards`() async {
    for _ in 0..<200 {
      let value = EmitterValue(0)
      let trace = Trace<Int>()
      onThreads(3) { index in
        switch index {
        case 0: for number in 1...30 { value.set(number) }
        default:
          for _ in 0..<10 { value.signal.connect(on: .inline) { trace.add($0) }.cancel() }
        }
      }
      let (last, _) = value.signal.dropFirst().traced()
      value.set(31)
      #expect(await last.entries(1) == [31])
      #expect(!trace.entries.contains(31))
    }
  }

  @Test func `16. All slots end on the newest value: a queue slot`() async {
    let queue = DispatchQueue(label: "values", attributes: .concurrent)
    let value = EmitterValue(0)
    let trace = Trace<Int>()
    value.signal.connect(on: queue) { trace.add($0) }
    let (inline, _) = value.signal.traced()
    onThreads(3) { index in
      for number in 1...300 { value.set(index * 1000 + number) }
    }
    #expect(await trace.entries(901) == inline.entries(901))
    #expect(trace.entries.last == value.value)
  }

  @Test func `16. Sets of a value are delivered one at a time: another thread does not wait`() {
    let value = EmitterValue(0)
    let (isIn, mayLeave) = (Gate(), Gate())
    let (trace, _) = value.signal.traced()
    value.signal.changes.connect(on: .inline) { _, new in
      guard new == 1 else { return }
      isIn.open()
      mayLeave.pass()
    }
    onThreads(2) { index in
      if index == 0 { return value.set(1) }
      isIn.pass()
      value.set(2)
      let (late, _) = value.signal.traced()
      #expect(late.entries.isEmpty)
      #expect(trace.entries == [0, 1])
      #expect(value.value == 2)
      mayLeave.open()
    }
    #expect(trace.entries == [0, 1, 2])
  }
}
