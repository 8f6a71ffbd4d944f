import Dispatch
import SignalObserver
import Synchronization
import Testing

@Suite(.timeLimit(.minutes(1))) struct RegressionTests {
  let log = Log()
  let census = Census()

  @Test
  func
    `R1 emitting, connecting, cancelling all and suspending from inside a slot does not deadlock`()
  {
    let emitter = EmitterArg<Int>()
    let observer = Box<SignalObserver>()
    observer.value = emitter.signal.connect(
      { [log] value in
        log.add("\(value)")
        if value > 1 { return }
        emitter.invoke(2)
        observer.value?.suspend()
        observer.value?.resume()
        emitter.signal.connect({ log.add("new \($0)") }, nil)
        emitter.invoke(3)
        emitter.cancelAllObservers()
      }, nil)

    emitter.invoke(1)
    emitter.invoke(4)

    #expect(log.entries == ["1", "2", "3", "new 3"])
  }

  @Test func `R2 emitting in the deinit of a target that a slot releases does not deadlock`() {
    let emitter = EmitterArg<Int>()
    let target = Box(Lifetime { emitter.invoke(2) })
    emitter.signal.connect(
      { [log] value in
        log.add("\(value)")
        target.value = nil
      }, nil)
    _ = target.value.map { emitter.signal.connect($0, nil) { _, _ in } }

    emitter.invoke(1)

    #expect(log.entries == ["1", "2"])
  }

  @Test func `R3 emitting, cancelling, connecting and suspending at once does not crash or race`() {
    for _ in 0..<100 {
      let emitter = EmitterVoid()
      let observers = Box<[SignalObserver]>([])
      let capture = Box(census.member())
      observers.value = (0..<20).map { _ in
        emitter.signal.connect({ [capture = capture.value] in capture?.use() }, nil)
      }
      capture.value = nil
      onThreads(4) { index in
        for observer in observers.value ?? [] {
          switch index {
          case 0: emitter.invoke()
          case 1: observer.cancel()
          case 2: emitter.signal.connect({}, nil)
          default: observer.suspend()
          }
        }
      }
      #expect(emitter.signal.slotCount == 20)
      #expect(census.alive == 0)
    }
  }

  @Test func `R4 a slow slot on one thread does not block connecting and emitting on another`() {
    let emitter = EmitterArg<Int>()
    let (entered, leave) = (Gate(), Gate())
    emitter.signal.connect(
      { value in
        if value > 1 { return }
        entered.open()
        leave.pass()
      }, nil)
    let thread = RunningThread { emitter.invoke(1) }
    entered.pass()

    emitter.signal.connect({ [log] in log.add("\($0)") }, nil)
    emitter.invoke(2)
    emitter.cancelAllObservers()

    #expect(log.entries == ["2"])
    leave.open()
    thread.join()
  }

  @Test func `R4 two signals whose slots emit each other from two threads do not deadlock`() {
    let emitters = [EmitterArg<Int>(), EmitterArg<Int>()]
    defer { for emitter in emitters { emitter.cancelAllObservers() } }
    let calls = Atomic<Int>(0)
    for (emitter, other) in zip(emitters, emitters.reversed()) {
      emitter.signal.connect(
        { value in
          calls.add(1, ordering: .relaxed)
          if value > 0 { other.invoke(value - 1) }
        }, nil)
    }

    onThreads(2) { index in
      for _ in 0..<1000 { emitters[index].invoke(3) }
    }

    #expect(calls.load(ordering: .relaxed) == 2 * 1000 * 4)
  }

  @Test func `R5 a hundred thousand slots are freed on a small stack`() {
    let census = census
    RunningThread(stackSize: 64 * 1024) {
      let emitter = EmitterVoid()
      let observers = (0..<100_000).map { _ in
        let capture = census.member()
        return emitter.signal.connect({ capture.use() }, nil)
      }
      #expect(census.alive == 100_000)
      withExtendedLifetime(observers) {}
    }.join()

    #expect(census.alive == 0)
  }

  @Test
  func
    `R6 cancelling releases the closure and its captures though the observer is kept and nothing is emitted`()
  {
    let emitter = EmitterVoid()
    let capture = Box(census.member())
    let observer = emitter.signal.connect({ [capture = capture.value] in capture?.use() }, nil)
    capture.value = nil
    #expect(census.alive == 1)

    observer.cancel()

    #expect(census.alive == 0)
    #expect(observer.isCancelled)
  }

  @Test func `R7 a kept observer keeps neither other slots nor the emitter nor captures`() {
    let emitter = Box(EmitterVoid())
    weak let signal = emitter.value?.signal
    let observers = (0..<3).map { _ in
      let capture = census.member()
      return emitter.value?.signal.connect({ capture.use() }, nil)
    }

    emitter.value = nil

    #expect(census.alive == 0)
    #expect(signal == nil)
    #expect(observers.allSatisfy { $0?.isCancelled == true })
  }

  @Test func `R8 dead targets do not accumulate on a signal that is never emitted`() {
    let emitter = EmitterVoid()
    for _ in 0..<1000 {
      let capture = census.member()
      emitter.signal.connect(Target("dead", log), nil) { _ in capture.use() }
    }

    #expect(census.alive <= 8)
  }

  @Test func `R9 the order of slots is the same in every run`() {
    for _ in 0..<20 {
      let log = Log()
      let emitter = EmitterVoid()
      for index in 0..<30 { emitter.signal.connect(Target("\(index)", log), Target.called, nil) }
      let targets = (0..<30).map { Target("\($0)", log) }
      for target in targets { emitter.signal.connect(target, Target.called, nil) }

      emitter.invoke()

      #expect(log.entries == (0..<30).map { "\($0)" })
      withExtendedLifetime(targets) {}
    }
  }

  @Test func `R10 a slot connected during an emission is not called in it and not lost`() {
    let emitter = EmitterArg<Int>()
    defer { emitter.cancelAllObservers() }
    emitter.signal.connect(
      { [log] value in
        emitter.signal.connect({ log.add("connected in \(value), called in \($0)") }, nil)
      }, nil)

    emitter.invoke(1)
    emitter.invoke(2)

    #expect(log.entries == ["connected in 1, called in 2"])
  }

  @Test func `R11 a slot cancelled by an earlier slot is not called any more`() {
    let emitter = EmitterVoid()
    let observers = Box<[SignalObserver]>([])
    observers.value = (0..<4).map { index in
      emitter.signal.connect(
        { [log] in
          log.add("\(index)")
          if index == 0 { observers.value?[1].cancel() }
        }, nil)
    }

    emitter.invoke()

    #expect(log.entries == ["0", "2", "3"])
  }

  @Test func `R14 a queue slot is called for each event, in order, also in a burst`() {
    let emitter = EmitterArg<Int>()
    let queue = DispatchQueue(label: "regression")
    emitter.signal.connect({ [log] in log.add("\($0)") }, queue)

    for value in 1...100 { emitter.invoke(value) }
    queue.sync {}
    queue.sync {}

    #expect(log.entries == (1...100).map { "\($0)" })
  }

  @Test func `R15 pending deliveries survive the emitter's death`() {
    let queue = DispatchQueue(label: "regression")
    let hold = Gate()
    queue.async { hold.pass() }
    do {
      let emitter = EmitterArg<Int>()
      emitter.signal.connect({ [log] in log.add("\($0)") }, queue)
      emitter.invoke(1)
      emitter.invoke(2)
    }

    hold.open()
    queue.sync {}

    #expect(log.entries == ["1", "2"])
  }

  @Test func `R16 cancelling and suspending between emission and delivery suppress the delivery`() {
    let emitter = EmitterArg<Int>()
    let queue = DispatchQueue(label: "regression")
    let hold = Gate()
    queue.async { hold.pass() }
    let observers = ["cancelled", "suspended", "resumed", "left alone"].map { name in
      emitter.signal.connect({ [log] _ in log.add(name) }, queue)
    }
    emitter.invoke(1)

    observers[0].cancel()
    observers[1].suspend()
    observers[2].suspend()
    observers[2].resume()
    hold.open()
    queue.sync {}

    #expect(log.entries == ["resumed", "left alone"])
  }

  @Test
  func
    `R17 suspending drops and does not buffer, resuming does not replay, and neither is counted`()
  {
    let emitter = EmitterArg<Int>()
    let observer = emitter.signal.connect({ [log] in log.add("\($0)") }, nil)

    observer.suspend()
    emitter.invoke(1)
    observer.suspend()
    emitter.invoke(2)
    observer.resume()
    emitter.invoke(3)

    #expect(log.entries == ["3"])
  }

  @Test
  func `R24 a scoped observer ends its connection when it is dropped, and a plain one does not`() {
    let emitter = EmitterArg<Int>()
    let scoped = emitter.signal.connect({ [log] in log.add("scoped \($0)") }, nil).scoped()
    do { _ = emitter.signal.connect({ [log] in log.add("plain \($0)") }, nil) }

    withExtendedLifetime(scoped) { emitter.invoke(1) }
    _ = consume scoped
    emitter.invoke(2)

    #expect(log.entries == ["scoped 1", "plain 1", "plain 2"])
  }

  @Test func `R25 an optional payload that is nil is delivered as a value`() {
    let emitter = EmitterArg2<Int?, String?>()
    emitter.signal.connect(
      { [log] payload in log.add("\(payload.0 as Any), \(payload.1 as Any)") }, nil)

    emitter.invoke(nil, nil)
    emitter.invoke(1, nil)

    #expect(log.entries == ["nil, nil", "Optional(1), nil"])
  }

  @Test func `R26 a method that returns a value can be connected`() {
    final class Adder: Sendable {
      let log: Log
      init(_ log: Log) { self.log = log }

      func add(_ left: Int, _ right: Int) -> Int {
        log.add("\(left + right)")
        return left + right
      }
    }
    let emitter = EmitterArg2<Int, Int>()
    let adder = Adder(log)
    emitter.signal.connect(adder, Adder.add, nil)

    emitter.invoke(1, 2)

    #expect(log.entries == ["3"])
  }
}
