import Dispatch
import SignalObserver
import Testing

@Suite struct ValueRaceTests {
  @Test func `connecting while a thread sets leaves no gap and no double`() {
    for _ in 0..<300 {
      let value = EmitterValue(0)
      let traces = Trace<Trace<Int>>()
      together(3) { index in
        if index == 0 {
          for number in 1...50 { value.set(number) }
        } else {
          for _ in 0..<5 { traces.add(value.signal.traced().0) }
        }
      }
      for trace in traces.elements {
        let first = trace.elements.first ?? -1
        #expect(trace.elements == Array(first...50))
      }
      #expect(traces.elements.count == 10)
    }
  }

  @Test func `all slots see the sets of several threads in one order and end on the newest`() {
    for _ in 0..<100 {
      let value = EmitterValue(0)
      let (first, _) = value.signal.traced()
      let (second, _) = value.signal.traced()
      together(3) { index in
        for number in 1...50 { value.set(index * 1000 + number) }
      }
      #expect(first.elements == second.elements)
      #expect(first.elements.count == 151)
      #expect(first.elements.last == value.value)
    }
  }

  @Test func `old and new values form a chain whichever threads set`() {
    let value = EmitterValue(0)
    let changes = Trace<[Int]>()
    value.signal.changes.connect({ old, new in changes.add([old, new]) }, nil)
    together(4) { index in
      for number in 1...500 { value.set(index * 1000 + number) }
    }
    let olds = changes.elements.map { $0[0] }
    let news = changes.elements.map { $0[1] }
    #expect([0] + news.dropLast() == olds)
    #expect(news.last == value.value)
  }

  @Test func `cancelling while others set and connect calls nobody afterwards`() {
    for _ in 0..<200 {
      let value = EmitterValue(0)
      let trace = Trace<Int>()
      together(3) { index in
        switch index {
        case 0: for number in 1...30 { value.set(number) }
        default:
          for _ in 0..<10 { value.signal.connect({ trace.add($0) }, nil).cancel() }
        }
      }
      let count = trace.elements.count
      value.set(31)
      #expect(trace.elements.count == count)
    }
  }

  @Test func `a queue slot ends on the newest of several threads`() async {
    let queue = DispatchQueue(label: "values", attributes: .concurrent)
    let value = EmitterValue(0)
    let trace = Trace<Int>()
    value.signal.connect({ trace.add($0) }, queue)
    let (inline, _) = value.signal.traced()
    together(3) { index in
      for number in 1...300 { value.set(index * 1000 + number) }
    }
    #expect(await trace.elements(901) == inline.elements)
    #expect(trace.elements.last == value.value)
  }

  @Test func `a setter on another thread does not wait for a slow slot`() {
    let value = EmitterValue(0)
    let isIn = DispatchSemaphore(value: 0)
    let mayLeave = DispatchSemaphore(value: 0)
    let (trace, _) = value.signal.traced()
    value.signal.changes.connect(
      { _, new in
        guard new == 1 else { return }
        isIn.signal()
        #expect(mayLeave.wait(timeout: .now() + 10) == .success)
      }, nil)
    together(2) { index in
      if index == 0 { return value.set(1) }
      #expect(isIn.wait(timeout: .now() + 10) == .success)
      value.set(2)
      let (late, _) = value.signal.traced()
      #expect(late.elements.isEmpty && trace.elements == [0, 1] && value.value == 2)
      mayLeave.signal()
    }
    #expect(trace.elements == [0, 1, 2])
  }
}

@Suite struct SignalReplayTests {
  let emitter = EmitterArg<Int>()

  @Test func `a late slot is given the last payloads and then every new one`() {
    let replay = emitter.signal.replay(2)
    for number in 1...3 { emitter.invoke(number) }
    let (trace, _) = replay.traced()
    emitter.invoke(4)
    let (later, _) = replay.traced()
    #expect(trace.elements == [2, 3, 4])
    #expect(later.elements == [3, 4])
  }

  @Test func `a replay of nothing yet, or of no payload, waits`() {
    let (early, _) = emitter.signal.replay(3).traced()
    let none = emitter.signal.replay(0)
    emitter.invoke(1)
    let (late, _) = none.traced()
    emitter.invoke(2)
    #expect(early.elements == [1, 2])
    #expect(late.elements == [2])
  }

  @Test func `a replay of a value begins with the current one`() {
    let value = EmitterValue("a")
    let replay = value.signal.replay(2)
    value.set("b")
    #expect(replay.traced().0.elements == ["a", "b"])
  }

  @Test func `a replay releases what it no longer keeps`() {
    let emitter = EmitterArg<Witness>()
    let replay = emitter.signal.replay(1)
    var witness: Witness? = Witness()
    weak let first = witness
    emitter.invoke(witness!)
    witness = nil
    #expect(first != nil)
    emitter.invoke(Witness())
    #expect(first == nil)
    withExtendedLifetime(replay) {}
  }

  @Test func `a dropped replay records as long as it is connected to`() {
    var replay: SignalReplay<Int>? = emitter.signal.replay(1)
    weak let kept = replay
    let (trace, observer) = replay!.traced()
    replay = nil
    emitter.invoke(1)
    #expect(trace.elements == [1] && kept != nil)
    observer.cancel()
    #expect(kept == nil)
    #expect(emitter.signal.slotCount == 0)
  }

  @Test func `the death of the emitter ends the connections of its replay`() {
    var emitter: EmitterArg<Int>? = EmitterArg<Int>()
    let replay = emitter!.signal.replay(1)
    let (_, observer) = replay.traced()
    emitter = nil
    #expect(observer.isCancelled)
    #expect(replay.traced().1.isCancelled)
  }

  @Test func `connecting to a replay while threads emit leaves no gap and no double`() {
    for _ in 0..<200 {
      let emitter = EmitterArg<Int>()
      let replay = emitter.signal.replay(100)
      let traces = Trace<Trace<Int>>()
      together(3) { index in
        if index == 0 { return (1...50).forEach { emitter.invoke($0) } }
        for _ in 0..<5 { traces.add(replay.traced().0) }
      }
      for trace in traces.elements { #expect(trace.elements == Array(1...50)) }
    }
  }
}
