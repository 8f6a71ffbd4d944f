import SignalObserver
import Testing
import Turns

@Suite(.serialized, .inTurn, .timeLimit(.minutes(5))) struct SignalReplayTests {
  let emitter = EmitterArg<Int>()

  @Test func `a late slot is given the last payloads and then every new one`() {
    let replay = emitter.signal.replay(2)
    for number in 1...3 { emitter.invoke(number) }
    let (trace, _) = replay.traced()
    emitter.invoke(4)
    let (later, _) = replay.traced()
    #expect(trace.entries == [2, 3, 4])
    #expect(later.entries == [3, 4])
  }

  @Test func `a replay of nothing yet, or of no payload, waits`() {
    let (early, _) = emitter.signal.replay(3).traced()
    let none = emitter.signal.replay(0)
    emitter.invoke(1)
    let (late, _) = none.traced()
    emitter.invoke(2)
    #expect(early.entries == [1, 2])
    #expect(late.entries == [2])
  }

  @Test func `a replay once is for the first slot`() {
    let replay = emitter.signal.replayOnce(.unbounded)
    for number in 1...3 { emitter.invoke(number) }
    let (first, _) = replay.traced()
    let (second, _) = replay.traced()
    emitter.invoke(4)
    #expect(first.entries == [1, 2, 3, 4])
    #expect(second.entries == [4])
    #expect(replay.traced().0.entries == [])
    #expect(replay.droppedCount == 0)
  }

  @Test(arguments: [SignalBuffering.oldest(2), .newest(2)])
  func `a replay once counts what it has no room for`(_ buffering: SignalBuffering) {
    let replay = emitter.signal.replayOnce(buffering)
    for number in 1...5 { emitter.invoke(number) }
    #expect(replay.droppedCount == 3)
    #expect(replay.traced().0.entries == (buffering == .oldest(2) ? [1, 2] : [4, 5]))
    emitter.invoke(6)
    #expect(replay.droppedCount == 3)
  }

  @Test func `a replay once releases what it hands to its first slot`() {
    let emitter = EmitterArg<Lifetime>()
    let replay = emitter.signal.replayOnce(.newest(1))
    var witness: Lifetime? = Lifetime()
    @Weakly var payload = witness
    emitter.invoke(witness!)
    witness = nil
    #expect(payload != nil)
    replay.connect(on: .inline) { $0.use() }
    #expect(payload == nil)
  }

  @Test func `a replay of a value begins with the current one`() {
    let value = EmitterValue("a")
    let replay = value.signal.replay(2)
    value.set("b")
    #expect(replay.traced().0.entries == ["a", "b"])
  }

  @Test func `a replay releases what it no longer keeps`() {
    let emitter = EmitterArg<Lifetime>()
    let replay = emitter.signal.replay(1)
    var witness: Lifetime? = Lifetime()
    @Weakly var first = witness
    emitter.invoke(witness!)
    witness = nil
    #expect(first != nil)
    emitter.invoke(Lifetime())
    #expect(first == nil)
    withExtendedLifetime(replay) {}
  }

  @Test func `a replay whose emitter has died keeps nothing`() {
    let census = Census()
    var emitter: EmitterArg<Lifetime>? = EmitterArg()
    let replay = emitter!.signal.replay(2)
    for _ in 0..<3 { emitter?.invoke(census.member()) }
    #expect(census.alive == 2)

    emitter = nil

    #expect(census.alive == 0)
    withExtendedLifetime(replay) {}
  }

  @Test func `20. A dropped replay records as long as it is connected to`() {
    var replay: SignalReplay<Int>? = emitter.signal.replay(1)
    @Weakly var kept = replay
    let (trace, observer) = replay!.traced()
    replay = nil
    emitter.invoke(1)
    #expect(trace.entries == [1])
    #expect(kept != nil)
    observer.cancel()
    #expect(kept == nil)
    #expect(emitter.signal.slotCount == 0)
  }

  @Test func `a dropped replay records as long as an asynchronous slot is connected to it`() async {
    actor Reader {
      var read: [Int] = []
      func read(_ number: Int) async { read.append(number) }
    }
    let reader = Reader()
    var replay: SignalReplay<Int>? = emitter.signal.replay(1)
    @Weakly var kept = replay
    let observer = replay!.connect(reader, Reader.read)
    replay = nil
    #expect(kept != nil)
    observer.cancel()
    #expect(kept == nil)
  }

  @Test func `the death of the emitter ends the connections of its replay`() {
    var emitter: EmitterArg<Int>? = EmitterArg<Int>()
    let replay = emitter!.signal.replay(1)
    let (trace, observer) = replay.traced()
    emitter?.invoke(1)
    emitter = nil
    #expect(trace.entries == [1])
    #expect(observer.isCancelled)
    let (late, lateObserver) = replay.traced()
    #expect(late.entries.isEmpty)
    #expect(lateObserver.isCancelled)
  }

  @Test func `a slot that drops the emitter is given the rest of what is kept, and what follows`() {
    let emitter = Box(EmitterArg<Int>())
    let replay = emitter.value?.signal.replay(3)
    for number in 1...3 { emitter.value?.invoke(number) }
    let trace = Trace<Int>()
    let observer = replay?.connect(on: .inline) {
      trace.add($0)
      if $0 > 1 { return }
      emitter.value?.invoke(4)
      emitter.value = nil
    }
    #expect(trace.entries == [1, 2, 3, 4])
    #expect(observer?.isCancelled == true)
  }

  @Test func `a slot that connects during a delivery is given each payload once`() {
    let replay = emitter.signal.replay(3)
    let late = Box<Trace<Int>>()
    let observer = replay.connect(on: .inline) { [emitter] number in
      guard number == 1 else { return }
      // Both wait for their turn: first the slot, and then the payload.
      late.value = replay.traced().0
      emitter.invoke(2)
    }
    emitter.invoke(1)
    // The slot holds the emitter and the replay.
    observer.cancel()

    #expect(late.value?.entries == [1, 2])
  }

  @Studio
  @Test func `connecting while a signal is looked at knows the actor of the emission around it`() {
    let replay = emitter.signal.replay(1)
    emitter.invoke(1)
    let (log, looked, outer) = (Log(), EmitterVoid(), EmitterVoid())
    var target: Target? = Target("target", log)
    let capture = Box(
      Lifetime { replay.connect { @Studio (number: Int) in log.add("given \(number)") } })
    _ = target.map {
      looked.signal.connect($0, on: .inline) { [capture = capture.value] _, _ in capture?.use() }
    }
    capture.value = nil
    target = nil
    // The look finds the target dead, and releases the capture.
    outer.signal.connect(on: .inline) { log.add("\(looked.signal.slotCount) slots") }

    outer.invoke()

    #expect(log.entries == ["given 1", "0 slots"])
  }

  @Test func `connecting to a replay while threads emit leaves no gap and no double`() async {
    for _ in 0..<200 {
      let emitter = EmitterArg<Int>()
      let replay = emitter.signal.replay(100)
      let traces = Trace<Trace<Int>>()
      onThreads(3) { index in
        if index == 0 { return (1...50).forEach { emitter.invoke($0) } }
        for _ in 0..<5 { traces.add(replay.traced().0) }
      }
      for trace in traces.entries { #expect(await trace.entries(50) == Array(1...50)) }
    }
  }
}
