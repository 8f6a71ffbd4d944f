import Dispatch
import SignalObserver
import SignalObserverTesting
import Testing
import Turns

/// How many slots an emission has reached.
@Suite(.serialized, .inTurn, .timeLimit(.minutes(5))) struct CountingTests {
  let emitter = EmitterArg<Int>()
  let log = Log()
  let queue = DispatchQueue(label: "slots")

  @Test func `a signal without slots reaches none`() {
    #expect(emitter.invokeAndCount(1) == 0)
    #expect(EmitterVoid().invokeAndCount() == 0)
    #expect(EmitterArg2<Int, String>().invokeAndCount(1, "a") == 0)
  }

  @Test func `slots that are called and slots for which the payload waits count`() {
    emitter.signal.connect(on: .inline) { [log] in log.add("inline \($0)") }
    emitter.signal.connect(on: queue) { [log] in log.add("queue \($0)") }
    queue.suspend()
    #expect(emitter.invokeAndCount(1) == 2)
    #expect(log.entries == ["inline 1"])
    queue.resume()
    queue.sync {}
    #expect(log.entries == ["inline 1", "queue 1"])
  }

  @Test func `slots that are suspended or cancelled, or whose target is dead, do not count`() {
    var target: Target? = Target("target", log)
    if let target {
      emitter.signal.connect(target, Target.show, .inline)
      emitter.signal.connect(target, Target.show, queue)
    }
    let observers = [queue, nil].map { emitter.signal.connect(on: $0) { _ in } }
    #expect(emitter.invokeAndCount(1) == 4)
    queue.sync {}
    target = nil
    #expect(emitter.invokeAndCount(2) == 2)
    for observer in observers { observer.suspend() }
    #expect(emitter.invokeAndCount(3) == 0)
    observers[0].resume()
    #expect(emitter.invokeAndCount(4) == 1)
    for observer in observers { observer.cancel() }
    #expect(emitter.invokeAndCount(5) == 0)
  }

  @Test func `a slot whose actor is dead does not count`() async {
    actor Owner {
      func follow(_ signal: SignalArg<Int>, _ target: Target) {
        signal.connect(target, Target.show)
      }
    }
    let target = Target("target", log)
    var owner: Owner? = Owner()
    @Weakly var weakOwner = owner
    await owner?.follow(emitter.signal, target)
    owner = nil
    await until("the actor is dead") { weakOwner == nil }
    #expect(emitter.invokeAndCount(1) == 0)
    withExtendedLifetime(target) {}
  }

  @Test func `a slot that an earlier one cancels does not count, nor does one that it connects`() {
    let emitter = emitter
    let second = Box<SignalObserver>()
    let first = emitter.signal.connect(on: .inline) { _ in
      second.value?.cancel()
      emitter.signal.connect(on: .inline) { _ in }
    }
    second.value = emitter.signal.connect(on: .inline) { _ in }
    #expect(emitter.invokeAndCount(1) == 1)
    first.cancel()
    #expect(emitter.invokeAndCount(2) == 1)
  }

  @Test func `an emission counts the slots to which an inner one delivers for it`() {
    let (emitter, counts) = (emitter, Trace<Int>())
    defer { emitter.cancelAllObservers() }
    emitter.signal.connect(on: .inline) { number in
      if number == 1 { counts.add(emitter.invokeAndCount(2)) }
    }
    let trace = Trace<Int>()
    emitter.signal.connect(on: .inline) { trace.add($0) }
    #expect(emitter.invokeAndCount(1) == 2)
    #expect(counts.entries == [2])
    #expect(trace.entries == [1, 2])
  }

  @Test func `a traced emission counts, too`() {
    emitter.signal.connect(on: .inline) { _ in }
    let count = Box(0)
    let trace = SignalTrace(of: emitter.signal) { count.value = emitter.invokeAndCount(1) }
    #expect(count.value == 1)
    #expect(trace.emissions.count == 1)
  }

  @Test func `a slot that drops the emitter gets no less, and later slots count`() {
    let emitter = Box<EmitterArg<Int>>(EmitterArg())
    let trace = Trace<Int>()
    let signal = emitter.value?.signal
    signal?.connect(on: .inline) { _ in emitter.value = nil }
    signal?.connect(on: .inline) { trace.add($0) }
    #expect(emitter.value?.invokeAndCount(1) == 2)
    #expect(trace.entries == [1])
  }

  @Test func `what a filter drops counts`() {
    emitter.signal.filter { $0 > 1 }.connect(on: .inline) { _ in }
    #expect(emitter.invokeAndCount(1) == 1)
  }
}
