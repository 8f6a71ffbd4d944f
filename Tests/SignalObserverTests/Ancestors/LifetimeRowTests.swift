import Dispatch
import SignalObserver
import Testing
import Turns

/// The rows of lifetime; the README says what they are.
@Suite(.serialized, .inTurn, .timeLimit(.minutes(5))) struct LifetimeRowTests {
  let log = Log()
  let census = Census()
  let emitter = EmitterArg<Int>()
  let queue = DispatchQueue(label: "rows")

  @Test func `A-C1: an observer may be ignored, and the connection lives on`() {
    func follow() { emitter.signal.connect(on: .inline) { [log] in log.add("\($0)") } }
    follow()
    emitter.invoke(1)
    emitter.invoke(2)
    #expect(log.entries == ["1", "2"])
  }

  @Test func `A-C2: dropping a scoped observer disconnects`() {
    var token: ObserverBag?
    let (trace, observer) = emitter.signal.traced()
    token = observer.scoped()
    withExtendedLifetime(token) { emitter.invoke(1) }
    token = nil
    emitter.invoke(2)
    #expect(trace.entries == [1])
  }

  @Test func `A-C3: emptying a bag disconnects all that is in it`() {
    let bag = ObserverBag()
    let traces = (0..<2).map { _ in
      let (trace, observer) = emitter.signal.traced()
      observer.store(in: bag)
      return trace
    }
    emitter.invoke(1)
    bag.cancelAll()
    emitter.invoke(2)
    #expect(traces.map(\.entries) == [[1], [1]])
  }

  @Test func `A-C4: the death of a bag's owner disconnects all that is in it`() {
    final class Owner { let observers = ObserverBag() }
    var owner: Owner? = Owner()
    let (trace, observer) = emitter.signal.traced()
    observer.store(in: owner!.observers)
    emitter.invoke(1)
    owner = nil
    emitter.invoke(2)
    #expect(trace.entries == [1])
  }

  @Test func `A-C5: a new bag in place of the old one disconnects, and serves again`() {
    var bag = ObserverBag()
    let (first, observer) = emitter.signal.traced()
    observer.store(in: bag)
    bag = ObserverBag()
    let (second, another) = emitter.signal.traced()
    another.store(in: bag)
    emitter.invoke(1)
    bag.cancelAll()
    emitter.invoke(2)
    #expect(first.entries == [])
    #expect(second.entries == [1])
  }

  @Test func `A-C6: after a target's death nobody is called for it`() {
    var target: Target? = Target("target", log)
    let observer = emitter.signal.connect(target!, Target.show, nil)
    emitter.invoke(1)
    target = nil
    emitter.invoke(2)
    #expect(log.entries == ["target 1"])
    #expect(observer.isCancelled)
  }

  @Test func `A-C7: the memory of dead slots is freed by connecting, without an emission`() {
    for _ in 0..<1000 {
      let capture = census.member()
      emitter.signal.connect(Target("dead", log), on: .inline) { _, _ in capture.use() }
    }
    #expect(census.alive <= 8)
    #expect(emitter.signal.slotCount == 0)
    #expect(census.alive == 0)
  }

  @Test func `A-C9: the emitter's death ends all connections, and their observers stay safe`() {
    var emitter: EmitterArg<Int>? = EmitterArg<Int>()
    let observers = (0..<3).map { _ in
      let capture = census.member()
      return emitter!.signal.connect(on: .inline) { _ in capture.use() }
    }
    emitter = nil
    #expect(census.alive == 0)
    for observer in observers {
      observer.suspend()
      observer.resume()
      observer.cancel()
    }
    #expect(observers.map(\.isCancelled) == [true, true, true])
  }

  @Test func `A-C11: a closure lives as long as the source, or as any object that is named`() {
    var object: Lifetime? = Lifetime()
    var emitter: EmitterArg<Int>? = EmitterArg<Int>()
    let bySource = emitter!.signal.connect(on: .inline) { [log] in log.add("source \($0)") }
    let byObject = emitter!.signal.connect(object!, on: .inline) { [log] _, value in
      log.add("object \(value)")
    }
    emitter!.invoke(1)
    object = nil
    emitter!.invoke(2)
    #expect(byObject.isCancelled)
    #expect(!bySource.isCancelled)
    emitter = nil
    #expect(bySource.isCancelled)
    #expect(log.entries == ["source 1", "object 1", "source 2"])
  }

  @Test func `A-C12: an owner that keeps its observers and is their target is released`() {
    final class Owner {
      let observers = ObserverBag()
      var scoped: ObserverBag?

      func follow(_ signal: SignalArg<Int>) {
        signal.connect(self, Owner.receive, nil).store(in: observers)
        scoped = signal.connect(self, on: .inline) { $0.receive($1) }.scoped()
      }
      func receive(_ value: Int) {}
    }
    var owner: Owner? = Owner()
    @Weakly var released = owner
    owner!.follow(emitter.signal)
    emitter.invoke(1)
    owner = nil
    #expect(released == nil)
    #expect(emitter.signal.slotCount == 0)
  }

  @Test func `A-C13: a pending delivery does not keep its target`() {
    let hold = Gate()
    queue.async { hold.pass() }
    var target: Target? = Target("target", log)
    @Weakly var released = target
    emitter.signal.connect(target!, Target.show, queue)
    emitter.invoke(1)
    target = nil
    #expect(released == nil)
    hold.open()
    queue.sync {}
    #expect(log.entries == [])
  }
}
