import Dispatch
import SignalObserver
import Testing
import Turns

@Suite(.serialized, .inTurn, .timeLimit(.minutes(5))) struct LifetimeTests {
  let log = Log()
  let emitter = EmitterArg<Int>()
  let census = Census()

  @Test func `8. A target is held weakly`() {
    let target = Box(Target("target", log))
    @Weakly var reference = target.value
    _ = target.value.map { emitter.signal.connect($0, Target.show, .inline) }
    emitter.invoke(1)

    target.value = nil
    #expect(reference == nil)
    emitter.invoke(2)

    #expect(log.entries == ["target 1"])
    #expect(emitter.signal.slotCount == 0)
  }

  @Test func `8. It is held strongly only while its slot runs`() {
    let target = Box(Target("target", log))
    @Weakly var reference = target.value
    let log = log
    _ = target.value.map {
      emitter.signal.connect($0, on: .inline) { own, _ in
        target.value = nil
        log.add("in the call \(own.name)")
      }
    }

    emitter.invoke(1)

    #expect(log.entries == ["in the call target"])
    #expect(reference == nil)
  }

  @Test func `8. A pending delivery does not hold it, and is dropped if it dies`() throws {
    let queue = DispatchQueue(label: "lifetime")
    let hold = Gate()
    queue.async { hold.pass() }
    let target = Box(Target("target", log))
    @Weakly var reference = target.value
    let observer = try #require(
      target.value.map { emitter.signal.connect($0, Target.show, queue) })
    emitter.invoke(1)

    target.value = nil
    #expect(reference == nil)
    hold.open()
    queue.sync {}

    #expect(log.entries == [])
    #expect(observer.isCancelled)
  }

  @MainActor
  @Test func `8. A pending delivery to the main queue or to an actor does not hold its target`()
    async
  {
    let target = Box(Target("target", log))
    let actor = Box(Recorder(log))
    @Weakly var reference = target.value
    @Weakly var recorder = actor.value
    _ = target.value.map { emitter.signal.connect($0, Target.show) }
    _ = actor.value.map { emitter.signal.connect($0, Recorder.note) }
    // From another thread, so that the delivery does not run at once.
    RunningThread { [emitter] in emitter.invoke(1) }.join()

    target.value = nil
    #expect(reference == nil)
    await mainQueueDrained()
    actor.value = nil
    await until("the release of the recorder") { recorder == nil }

    #expect(!log.entries.contains("target 1"))
  }

  @Test func `8. Two targets that are connected to each other's signals are released`() {
    final class Peer: Sendable {
      let changed = EmitterVoid()

      func called() {}
    }
    let (first, second) = (Box(Peer()), Box(Peer()))
    @Weakly var one = first.value
    @Weakly var other = second.value
    for (one, other) in [(first, second), (second, first)] {
      _ = other.value.map { one.value?.changed.signal.connect($0, Peer.called, .inline) }
    }

    first.value = nil
    second.value = nil

    #expect(one == nil)
    #expect(other == nil)
  }

  @Test func `9. An observer may be dropped: the connection stays`() {
    do { _ = emitter.signal.connect(on: .inline) { [log] in log.add("\($0)") } }

    emitter.invoke(1)

    #expect(log.entries == ["1"])
  }

  @Test func `9. It holds neither target nor signal nor other slots`() {
    let target = Box(Target("target", log))
    let emitter = Box(EmitterArg<Int>())
    @Weakly var signal = emitter.value?.signal
    @Weakly var reference = target.value
    let capture = Box(census.member())
    emitter.value?.signal.connect(on: .inline) { [capture = capture.value] _ in capture?.use() }
    let observer = target.value.flatMap { emitter.value?.signal.connect($0, Target.show, .inline) }
    capture.value = nil

    target.value = nil
    emitter.value = nil

    #expect(reference == nil)
    #expect(signal == nil)
    #expect(census.alive == 0)
    #expect(observer?.isCancelled == true)
  }

  @Test func `9. cancel() releases closure and captures at once`() {
    for queue in [nil, DispatchQueue(label: "lifetime")] {
      let capture = Box(census.member())
      let observer = emitter.signal.connect(on: queue) { [capture = capture.value] _ in
        capture?.use()
      }
      capture.value = nil

      observer.cancel()

      #expect(census.alive == 0)
    }
  }

  @Test
  func `9. cancel() releases closure and captures when the call in progress on a queue returns`() {
    let queue = DispatchQueue(label: "lifetime")
    let observer = Box<SignalObserver>()
    let capture = Box(census.member())
    let (census, log) = (census, log)
    observer.value = emitter.signal.connect(on: queue) { [capture = capture.value] _ in
      observer.value?.cancel()
      log.add("in the call \(census.alive)")
      capture?.use()
    }
    capture.value = nil

    emitter.invoke(1)
    queue.sync {}

    #expect(log.entries == ["in the call 1"])
    #expect(census.alive == 0)
  }

  @Test(arguments: [false, true])
  func `9. cancel() in a closure of an operator releases captures by the time that it returns`(
    isMerged: Bool
  ) {
    let (observer, capture) = (Box<SignalObserver>(), Box(census.member()))
    let mapped = emitter.signal.map {
      observer.value?.cancel()
      return $0
    }
    func connect(_ source: some SignalSource<Int>) -> SignalObserver {
      source.connect(on: .inline) { [capture = capture.value] _ in capture?.use() }
    }
    observer.value = isMerged ? connect(merge([mapped])) : connect(mapped)
    capture.value = nil
    #expect(census.alive == 1)

    emitter.invoke(1)

    #expect(observer.value?.isCancelled == true)
    #expect(census.alive == 0)
    observer.value = nil
  }

  @Test func `9. The target's death releases closure and captures with the next emission`() {
    let target = Box(Target("target", log))
    let capture = Box(census.member())
    _ = target.value.map {
      emitter.signal.connect($0, on: .inline) { [capture = capture.value] _, _ in capture?.use() }
    }
    capture.value = nil
    emitter.invoke(1)
    #expect(census.alive == 1)

    target.value = nil
    emitter.invoke(2)

    #expect(census.alive == 0)
  }

  @Test
  func
    `9. The target's death releases closure and captures when the signal or the observer is asked`()
    throws
  {
    let questions: [(Signal<Int>, SignalObserver) -> Void] = [
      { signal, _ in _ = signal.slotCount }, { signal, _ in _ = signal.debugDescription },
      { _, observer in _ = observer.isCancelled },
    ]
    for question in questions {
      let target = Box(Target("target", log))
      let capture = Box(census.member())
      let observer = try #require(
        target.value.map {
          emitter.signal.connect($0, on: .inline) { [capture = capture.value] _, _ in capture?.use()
          }
        })
      capture.value = nil
      target.value = nil

      question(emitter.signal, observer)

      #expect(census.alive == 0)
    }
  }

  @Test func `10. What was emitted before the emitter died is still delivered`() throws {
    let queue = DispatchQueue(label: "lifetime")
    let hold = Gate()
    queue.async { hold.pass() }
    let dying = Box(EmitterArg<Int>())
    let signal = try #require(dying.value?.signal)
    let observer = signal.connect(on: queue) { [log] in log.add("\($0)") }
    for value in 0..<1000 { dying.value?.invoke(value) }

    dying.value = nil
    #expect(!observer.isCancelled)
    hold.open()
    for _ in 0..<20 { queue.sync {} }

    #expect(log.entries == (0..<1000).map { "\($0)" })
    #expect(observer.isCancelled)
  }

  @Test
  func `10. What waits for a suspended slot when the emitter dies is delivered after a resume`()
    throws
  {
    let queue = DispatchQueue(label: "lifetime")
    let hold = Gate()
    queue.async { hold.pass() }
    let dying = Box(EmitterArg<Int>())
    let signal = try #require(dying.value?.signal)
    let observer = signal.connect(on: queue) { [log] in log.add("\($0)") }
    dying.value?.invoke(1)
    observer.suspend()

    dying.value = nil
    #expect(observer.isSuspended)
    observer.resume()
    hold.open()
    queue.sync {}

    #expect(log.entries == ["1"])
    #expect(observer.isCancelled)
  }

  @MainActor
  @Test func `10. What was emitted before the emitter died is delivered on main, actors and tasks`()
    async
  {
    let recorder = Recorder(log)
    do {
      let dying = EmitterArg<Int>()
      dying.signal.connect(recorder) { recorder, _ in recorder.add("actor") }
      dying.signal.connect(recorder, Recorder.note)
      dying.signal.connect { [log] _ in log.add("main") }
      RunningThread { dying.invoke(1) }.join()
    }

    #expect(await log.entries(3).sorted() == ["actor", "main", "noted 1"])
  }

  @Test func `10. An emission continues when a slot drops the emitter`() {
    let dying = Box(EmitterVoid())
    @Weakly var signal = dying.value?.signal
    let log = log
    dying.value?.signal.connect(on: .inline) { dying.value = nil }
    dying.value?.signal.connect(on: .inline) { log.add("second") }

    dying.value?.invoke()

    #expect(log.entries == ["second"])
    #expect(signal == nil)
  }

  @Test func `10. A signal that outlives its emitter takes no more connections`() {
    let signal = EmitterVoid().signal
    let capture = Box(census.member())

    let observer = signal.connect(on: .inline) { [capture = capture.value] in capture?.use() }
    capture.value = nil

    #expect(observer.isCancelled)
    #expect(signal.slotCount == 0)
    #expect(census.alive == 0)
  }
}

actor Recorder {
  let log: Log

  init(_ log: Log) { self.log = log }

  func add(_ entry: String) { log.add(entry) }
  func note(_ value: Int) async { log.add("noted \(value)") }
  func noteNothing() async { log.add("noted") }
  func noteBoth(_ first: Int, _ second: Int) async { log.add("noted \(first) \(second)") }
}
