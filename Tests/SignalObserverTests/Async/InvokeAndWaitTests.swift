import Dispatch
import SignalObserver
import Synchronization
import Testing

@Suite struct InvokeAndWaitTests {
  @Test func `invokeAndWait returns after every slot, wherever it runs`() async {
    let emitter = EmitterArg<Int>()
    let counter = Counter()
    let trace = AsyncTrace<String>()
    emitter.signal.connect({ _ in trace.add("inline") }, nil)
    emitter.signal.connect({ _ in trace.add("queue") }, DispatchQueue(label: "q"))
    emitter.signal.connect { @MainActor _ in trace.add("main") }
    emitter.signal.connect(counter, Counter.add)
    emitter.signal.connect { _ async in
      for _ in 0..<10 { await Task.yield() }
      trace.add("async")
    }

    await emitter.invokeAndWait(1)

    #expect(trace.elements.sorted() == ["async", "inline", "main", "queue"])
    #expect(await counter.sum == 1)
  }

  @Test func `invokeAndWait returns at once on a signal without slots`() async {
    await EmitterVoid().invokeAndWait()
    await EmitterArg2<Int, String>().invokeAndWait(1, "north")
  }

  @Test func `it waits while an asynchronous slot is suspended`() async {
    let emitter = EmitterVoid()
    let gate = AsyncGate()
    let trace = AsyncTrace<String>()
    emitter.signal.connect { () async in
      trace.add("begin")
      await gate.wait()
      trace.add("end")
    }
    emitter.signal.connect({ gate.open() }, DispatchQueue(label: "q"))

    await emitter.invokeAndWait()

    #expect(trace.elements == ["begin", "end"])
  }

  @Test func `it does not wait for what is emitted later`() async {
    let emitter = EmitterArg<Int>()
    let began = EmitterArg<Int>()
    let gates = [AsyncGate(), AsyncGate()]
    let finished = AsyncTrace<Int>()
    emitter.signal.connect { number async in
      began.invoke(number)
      await gates[number].wait()
      finished.add(number)
    }
    let beginnings = began.signal.values
    async let first: Void = emitter.invokeAndWait(0)
    var iterator = beginnings.makeAsyncIterator()
    #expect(await iterator.next() == 0)
    emitter.invoke(1)
    gates[0].open()

    await first
    #expect(await iterator.next() == 1)
    #expect(finished.elements == [0])
    gates[1].open()
  }

  @Test func `a dead target does not hang it`() async {
    let emitter = EmitterArg<Int>()
    let queue = DispatchQueue(label: "q")
    var target: Counter? = Counter()
    if let target {
      emitter.signal.connect(target, Counter.add)
      emitter.signal.connect(target, queue) { _, _ in }
    }
    queue.suspend()
    async let waiting: Void = emitter.invokeAndWait(1)
    target = nil
    queue.resume()

    await waiting
  }

  @Test func `a slot that is cancelled, pending or running, does not hang it`() async {
    let emitter = EmitterVoid()
    let queue = DispatchQueue(label: "q")
    queue.suspend()
    let running = EmitterVoid()
    let beginning = running.signal.values
    let gate = AsyncGate()
    let pending = emitter.signal.connect({}, queue)
    let began = emitter.signal.connect { () async in
      running.invoke()
      await gate.wait()
    }
    async let waiting: Void = emitter.invokeAndWait()
    for await _ in beginning { break }
    pending.cancel()
    began.cancel()

    await waiting
    gate.open()
    queue.resume()
  }

  @Test func `a suspended slot does not hang it`() async {
    let emitter = EmitterVoid()
    let queue = DispatchQueue(label: "q")
    let trace = AsyncTrace<String>()
    queue.suspend()
    let observer = emitter.signal.connect({ trace.add("called") }, queue)
    async let waiting: Void = emitter.invokeAndWait()
    while !emitter.signal.debugDescription.contains("1 pending") { await Task.yield() }
    observer.suspend()
    queue.resume()

    await waiting
    #expect(trace.elements == [])
  }

  @Test func `cancelling the task ends the wait and not the slot`() async {
    let emitter = EmitterVoid()
    let queue = DispatchQueue(label: "q")
    let trace = AsyncTrace<String>()
    queue.suspend()
    emitter.signal.connect({ trace.add("called") }, queue)
    let task = Task { await emitter.invokeAndWait() }
    task.cancel()

    await task.value
    queue.resume()
    queue.sync {}
    #expect(trace.elements == ["called"])
  }

  @Test func `threads that emit meanwhile do not hold it back for ever`() async {
    let emitter = EmitterArg<Int>()
    let queue = DispatchQueue(label: "q")
    let delivered = AsyncTrace<Int>()
    emitter.signal.connect({ if $0 > 0 { delivered.add($0) } }, queue)
    let isOver = Atomic<Bool>(false)
    let flood = RunningThread {
      while !isOver.load(ordering: .relaxed) { emitter.invoke(0, isolation: nil) }
    }
    for number in 1...10 {
      await emitter.invokeAndWait(number)
      #expect(delivered.elements.last == number)
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
    }
  }
}

private actor Counter {
  var sum = 0

  func add(_ number: Int) async { sum += number }
}
