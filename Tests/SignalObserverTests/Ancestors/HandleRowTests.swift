import Dispatch
import SignalObserver
import Testing

/// The rows of control handles; the README says what they are.
@Suite(.serialized, .inTurn, .timeLimit(.minutes(5))) struct HandleRowTests {
  let log = Log()
  let emitter = EmitterArg<Int>()

  @Test func `A-D1: one connection is cancelled, and no other`() {
    let (first, observer) = emitter.signal.traced()
    let (second, _) = emitter.signal.traced()
    emitter.invoke(1)
    observer.cancel()
    emitter.invoke(2)
    #expect(first.entries == [1])
    #expect(second.entries == [1, 2])
  }

  @Test func `A-D2: cancelling is final, and may be repeated`() {
    let (trace, observer) = emitter.signal.traced()
    observer.cancel()
    observer.cancel()
    observer.resume()
    emitter.invoke(1)
    #expect(trace.entries == [])
    #expect(observer.isCancelled)
  }

  @Test func `A-D3: one connection is suspended and resumed`() {
    let (trace, observer) = emitter.signal.traced()
    emitter.invoke(1)
    observer.suspend()
    emitter.invoke(2)
    observer.resume()
    emitter.invoke(3)
    #expect(trace.entries == [1, 3])
  }

  @Test func `A-D4: what is emitted while suspended is dropped, also on a queue`() {
    let queue = DispatchQueue(label: "rows")
    let observer = emitter.signal.connect(on: queue) { [log] in log.add("\($0)") }
    observer.suspend()
    emitter.invoke(1)
    observer.resume()
    queue.sync {}
    #expect(log.entries == [])
    emitter.invoke(2)
    queue.sync {}
    #expect(log.entries == ["2"])
  }

  @Test func `A-D5: suspending is not counted`() {
    let (trace, observer) = emitter.signal.traced()
    observer.suspend()
    observer.suspend()
    observer.resume()
    emitter.invoke(1)
    observer.resume()
    observer.suspend()
    emitter.invoke(2)
    #expect(trace.entries == [1])
  }

  @Test func `A-D8: suspending one leaves the others alone`() {
    let slots = (0..<3).map { _ in emitter.signal.traced() }
    slots[1].1.suspend()
    emitter.invoke(1)
    #expect(slots.map(\.0.entries) == [[1], [], [1]])
  }

  @Test func `A-D9: an observer is kept as an optional and set to nil`() {
    let (trace, connected) = emitter.signal.traced()
    var observer: SignalObserver? = connected
    observer?.suspend()
    observer?.resume()
    observer = nil
    emitter.invoke(1)
    #expect(observer == nil)
    #expect(trace.entries == [1])
  }

  @Test func `A-D10: a target is disconnected, with all its connections and no other`() {
    let targets = ["a", "b"].map { Target($0, log) }
    for target in targets {
      emitter.signal.connect(target, Target.show, nil)
      emitter.signal.filter { $0 > 1 }.connect(target, Target.called, nil)
    }
    emitter.signal.connect(on: .inline) { [log] _ in log.add("closure") }
    emitter.signal.cancelObservers(of: targets[0])
    emitter.invoke(2)
    #expect(log.entries == ["b 2", "b", "closure"])
    #expect(emitter.signal.slotCount == 3)
  }

  @Test func `A-D10: a target is disconnected from a value, and what is pending is dropped`() {
    let queue = DispatchQueue(label: "rows")
    let hold = Gate()
    queue.async { hold.pass() }
    let value = EmitterValue(1)
    let target = Target("target", log)
    value.signal.connect(target, Target.show, queue)
    let changes = value.signal.changes.connect(target, on: .inline) { $0.show($2) }
    value.signal.cancelObservers(of: target)
    value.set(2)
    hold.open()
    queue.sync {}
    #expect(log.entries == [])
    #expect(changes.isCancelled)
  }

  @Test func `A-D11: connections are counted, and say how they are`() {
    let (first, second) = (emitter.signal.traced().1, emitter.signal.traced().1)
    #expect(emitter.signal.slotCount == 2)
    second.suspend()
    #expect(second.isSuspended)
    #expect(!first.isSuspended)
    #expect(emitter.signal.slotCount == 2)
    second.cancel()
    #expect(second.isCancelled)
    #expect(!second.isSuspended)
    #expect(!first.isCancelled)
    #expect(emitter.signal.slotCount == 1)
  }

  @Test func `A-D12: a slot cancels itself and a later one, neither of which is called again`() {
    let observers = Box<[SignalObserver]>([])
    observers.value = (0..<3).map { index in
      emitter.signal.connect(on: .inline) { [log] value in
        log.add("\(index) \(value)")
        if index == 0 { observers.value?.prefix(2).forEach { $0.cancel() } }
      }
    }
    emitter.invoke(1)
    emitter.invoke(2)
    #expect(log.entries == ["0 1", "2 1", "2 2"])
  }
}
