import Dispatch
import SignalObserver
import Synchronization
import Testing

@MainActor @Suite(.serialized, .inTurn, .timeLimit(.minutes(5))) struct InvokeAndWaitTests {
  @Test func `invokeAndWait returns after every slot, wherever it runs`() async {
    let emitter = EmitterArg<Int>()
    let counter = Counter()
    let trace = Trace<String>()
    emitter.signal.connect(on: .inline) { _ in trace.add("inline") }
    emitter.signal.connect(on: DispatchQueue(label: "q")) { _ in trace.add("queue") }
    emitter.signal.connect { @MainActor _ in trace.add("main") }
    emitter.signal.connect(counter, Counter.add)
    let gate = AsyncGate()
    emitter.signal.connect { _ async in
      await gate.wait()
      trace.add("async")
    }
    emitter.signal.connect(on: DispatchQueue(label: "other")) { _ in gate.open() }

    await emitter.invokeAndWait(1)

    #expect(trace.entries.sorted() == ["async", "inline", "main", "queue"])
    #expect(await counter.sum == 1)
  }

  @Test func `invokeAndWait returns at once on a signal without slots`() async {
    let log = Log()
    let task = await begun {
      await EmitterVoid().invokeAndWait()
      log.add("nothing")
      await EmitterArg2<Int, String>().invokeAndWait(1, "north")
      log.add("two")
    }

    #expect(log.entries == ["nothing", "two"])
    await task.value
  }

  @Test func `it waits while an asynchronous slot is suspended`() async {
    let emitter = EmitterVoid()
    let gate = AsyncGate()
    let trace = Trace<String>()
    emitter.signal.connect { () async in
      trace.add("begin")
      await gate.wait()
      trace.add("end")
    }
    emitter.signal.connect(on: DispatchQueue(label: "q")) { gate.open() }

    await emitter.invokeAndWait()

    #expect(trace.entries == ["begin", "end"])
  }

  @Test(arguments: [false, true])
  func `it waits for a slot behind an operator and a limit`(_ isLast: Bool) async {
    let emitter = EmitterArg<Int>()
    let gate = AsyncGate()
    let trace = Trace<String>()
    emitter.signal.prefix(isLast ? 1 : 2).buffering(.oldest(8)).connect { _ async in
      await gate.wait()
      trace.add("saved")
    }
    let waiting = await begun {
      await emitter.invokeAndWait(1)
      trace.add("stopped")
    }
    gate.open()

    await waiting.value
    #expect(trace.entries == ["saved", "stopped"])
  }

  @Test func `it does not wait for what is emitted later`() async {
    let emitter = EmitterArg<Int>()
    let began = EmitterArg<Int>()
    let gates = [AsyncGate(), AsyncGate()]
    let finished = Trace<Int>()
    emitter.signal.connect { number async in
      began.invoke(number)
      await gates[number].wait()
      finished.add(number)
    }
    let beginnings = began.signal.values
    let first = await begun { await emitter.invokeAndWait(0) }
    var iterator = beginnings.makeAsyncIterator()
    #expect(await iterator.next() == 0)
    emitter.invoke(1)
    gates[0].open()

    await first.value
    #expect(await iterator.next() == 1)
    #expect(finished.entries == [0])
    gates[1].open()
  }

  @Test func `it does not wait for what is delivered together with its own`() async {
    let emitter = EmitterArg<Int>()
    let queue = DispatchQueue(label: "q")
    let trace = Trace<Int>()
    let gate = Gate()
    queue.suspend()
    emitter.signal.connect(on: queue) { number in
      if number == 2 { gate.pass() }
      trace.add(number)
    }
    let waiting = await begun { await emitter.invokeAndWait(1) }
    emitter.invoke(2)
    queue.resume()

    await waiting.value
    #expect(trace.entries == [1])
    gate.open()
    queue.sync {}
    #expect(trace.entries == [1, 2])
  }

  @Test func `a dead target does not hang it`() async {
    let emitter = EmitterArg<Int>()
    let queue = DispatchQueue(label: "q")
    let log = Log()
    // Of its own, since the slot of the actor may be running, and hold the actor.
    var (actor, target): (Counter?, Target?) = (Counter(), Target("target", log))
    if let actor, let target {
      emitter.signal.connect(actor, Counter.add)
      emitter.signal.connect(target, Target.show, queue)
    }
    queue.suspend()
    let waiting = await begun { await emitter.invokeAndWait(1) }
    (actor, target) = (nil, nil)
    queue.resume()

    await waiting.value
    #expect(log.entries == [])
  }

  @Test func `a slot that is cancelled, pending or running, does not hang it`() async {
    let emitter = EmitterVoid()
    let queue = DispatchQueue(label: "q")
    queue.suspend()
    let running = EmitterVoid()
    let beginning = running.signal.values
    let gate = AsyncGate()
    let log = Log()
    let pending = emitter.signal.connect(on: queue) { log.add("called") }
    let began = emitter.signal.connect { () async in
      running.invoke()
      await gate.wait()
    }
    let waiting = await begun { await emitter.invokeAndWait() }
    for await _ in beginning { break }
    pending.cancel()
    began.cancel()

    await waiting.value
    gate.open()
    queue.resume()
    queue.sync {}
    #expect(log.entries == [])
    #expect(emitter.signal.slotCount == 0)
  }

  @Test func `a suspended slot does not hang it`() async {
    let emitter = EmitterVoid()
    let queue = DispatchQueue(label: "q")
    let trace = Trace<String>()
    queue.suspend()
    let observer = emitter.signal.connect(on: queue) { trace.add("called") }
    let waiting = await begun { await emitter.invokeAndWait() }
    observer.suspend()
    queue.resume()

    await waiting.value
    #expect(trace.entries == [])
  }

  @Test func `cancelling the task ends the wait and not the slot`() async {
    let emitter = EmitterVoid()
    let queue = DispatchQueue(label: "q")
    let trace = Trace<String>()
    queue.suspend()
    emitter.signal.connect(on: queue) { trace.add("called") }
    let task = Task { await emitter.invokeAndWait() }
    task.cancel()

    await task.value
    queue.resume()
    queue.sync {}
    #expect(trace.entries == ["called"])
  }

  @Test func `threads that emit meanwhile do not hold it back for ever`() async {
    let emitter = EmitterArg<Int>()
    let queue = DispatchQueue(label: "q")
    let delivered = Trace<Int>()
    emitter.signal.connect(on: queue) { if $0 > 0 { delivered.add($0) } }
    let isOver = Atomic<Bool>(false)
    let emissions = Atomic<Int>(0)
    let flood = RunningThread {
      while !isOver.load(ordering: .relaxed) {
        emitter.invoke(0, isolation: nil)
        emissions.add(1, ordering: .relaxed)
      }
    }
    for number in 1...10 {
      let before = emissions.load(ordering: .relaxed)
      await until("ten more emissions") { emissions.load(ordering: .relaxed) >= before + 10 }
      await emitter.invokeAndWait(number)
      #expect(delivered.entries.last == number)
    }
    isOver.store(true, ordering: .relaxed)
    flood.join()
  }

  @Test func `a cancel that races with the wait does not hang it`() async {
    for _ in 0..<500 {
      let emitter = EmitterVoid()
      let observer = emitter.signal.connect { () async in }
      let task = Task { await emitter.invokeAndWait() }
      await runTogether([{ observer.cancel() }, { emitter.invoke() }])
      await task.value
      #expect(emitter.signal.slotCount == 0)
    }
  }

  @Test @Studio func `slots of the actor that emits run at once`() async {
    let emitter = EmitterArg<Int>()
    let log = Log()
    emitter.signal.connect { @Studio number in log.add("studio \(number)") }
    emitter.signal.connect(on: .inline) { number in log.add("inline \(number)") }
    await emitter.invokeAndWait(1)

    #expect(log.entries == ["studio 1", "inline 1"])
  }

  @Test func `it waits for the last of two queues`() async {
    let emitter = EmitterArg<Int>()
    let queues = [DispatchQueue(label: "first"), DispatchQueue(label: "last")]
    let log = Log()
    for queue in queues {
      queue.suspend()
      emitter.signal.connect(on: queue) { _ in log.add(queue.label) }
    }
    let task = await begun {
      await emitter.invokeAndWait(1)
      log.add("returned")
    }
    queues[0].resume()
    _ = await log.entries(1)
    // Turns enough to return.
    for _ in 0..<10 { await mainQueueSettled() }
    queues[1].resume()
    await task.value

    #expect(log.entries == ["first", "last", "returned"])
  }
}

private actor Counter {
  var sum = 0

  func add(_ number: Int) async { sum += number }
}
