import Dispatch
import SignalObserver
import Testing

@Suite(.serialized, .inTurn, .timeLimit(.minutes(5))) struct ObserverTests {
  let log = Log()
  let emitter = EmitterArg<Int>()

  private func connect(_ name: String = "slot") -> SignalObserver {
    emitter.signal.connect(on: .inline) { [log] in log.add("\(name) \($0)") }
  }

  @Test func `observers are equal if they are the handle of the same connection`() {
    let (first, second) = (connect(), connect())

    #expect(first == first)
    #expect(first != second)
    #expect(Set([first, second, first]).count == 2)
  }

  @Test func `isCancelled is true after cancelling, however often`() {
    let observer = connect()
    #expect(!observer.isCancelled)

    observer.cancel()
    observer.cancel()

    #expect(observer.isCancelled)
    #expect(emitter.signal.slotCount == 0)
  }

  @Test func `isCancelled is true after the target's death`() throws {
    let target = Box(Target("target", log))
    let observer = try #require(
      target.value.map { emitter.signal.connect($0, Target.show, .inline) })
    #expect(!observer.isCancelled)

    target.value = nil

    #expect(observer.isCancelled)
  }

  @Test func `isSuspended follows suspending, resuming and cancelling`() {
    let observer = connect()
    #expect(!observer.isSuspended)
    observer.suspend()
    #expect(observer.isSuspended)
    #expect(!observer.isCancelled)
    observer.resume()
    #expect(!observer.isSuspended)
    observer.suspend()

    observer.cancel()

    #expect(!observer.isSuspended)
    #expect(observer.isCancelled)
  }

  @Test func `resuming after cancelling does not bring the connection back`() {
    let observer = connect()
    observer.cancel()
    observer.resume()

    emitter.invoke(1)

    #expect(log.entries == [])
  }

  @Test func `an observer that outlives the emitter is cancelled, and using it is harmless`() {
    let dying = Box(EmitterVoid())
    let observer = dying.value?.signal.connect(on: .inline) {}
    dying.value = nil

    observer?.suspend()
    observer?.resume()
    observer?.cancel()

    #expect(observer?.isCancelled == true)
    #expect(observer?.isSuspended == false)
  }

  @Test func `cancelling on two threads at once is harmless`() {
    for _ in 0..<200 {
      let observer = connect()
      onThreads(2) { _ in observer.cancel() }
      #expect(observer.isCancelled)
    }
    #expect(emitter.signal.slotCount == 0)
  }

  @Test func `a bag cancels what is in it when it is dropped`() {
    let bag = Box(ObserverBag())
    for name in ["a", "b"] { bag.value.map { connect(name).store(in: $0) } }
    emitter.invoke(1)

    bag.value = nil
    emitter.invoke(2)

    #expect(log.entries == ["a 1", "b 1"])
  }

  @Test func `a bag can be emptied and used again`() {
    let bag = ObserverBag()
    bag.insert(connect("a"))
    bag.cancelAll()
    bag.insert(connect("b"))

    emitter.invoke(1)
    bag.cancelAll()
    emitter.invoke(2)

    #expect(log.entries == ["b 1"])
  }

  @Test func `a bag keeps live observers among any number of ended ones`() {
    let bag = ObserverBag()
    let census = Census()
    for _ in 0..<10 { connect("live").store(in: bag) }
    for _ in 0..<1000 {
      let capture = census.member()
      let observer = emitter.signal.connect(on: .inline) { _ in capture.use() }
      observer.store(in: bag)
      observer.cancel()
    }
    #expect(emitter.signal.slotCount == 10)
    #expect(census.alive == 0)

    bag.cancelAll()

    #expect(emitter.signal.slotCount == 0)
  }

  @Test func `a bag releases observers that have ended`() {
    let bag = ObserverBag()
    var witnesses: [() -> SignalObserver?] = []
    for _ in 0..<1000 {
      let observer = emitter.signal.connect(on: .inline) { _ in }
      witnesses.append { [weak observer] in observer }
      observer.store(in: bag)
      observer.cancel()
    }

    // A bag looks for them when it has grown to 32.
    #expect(witnesses.count { $0() != nil } <= 33)
  }

  @Test func `threads may put observers into a bag at once`() {
    let bag = ObserverBag()
    let emitter = emitter
    onThreads(4) { _ in
      for _ in 0..<100 { emitter.signal.connect(on: .inline) { _ in }.store(in: bag) }
    }
    #expect(emitter.signal.slotCount == 400)

    bag.cancelAll()

    #expect(emitter.signal.slotCount == 0)
  }

  @Test func `a bag of one observer cancels it when it is dropped`() {
    let bag = Box(connect().scoped())
    emitter.invoke(1)

    bag.value = nil
    emitter.invoke(2)

    #expect(log.entries == ["slot 1"])
  }

  @Test func `of two bags of one observer, the first that is dropped cancels it`() {
    let observer = connect()
    let bags = [Box(observer.scoped()), Box(observer.scoped())]
    bags[1].value = nil

    #expect(observer.isCancelled)
    bags[0].value = nil
  }

  @Test func `cancelAllObservers ends every connection, pending deliveries included`() {
    let queue = DispatchQueue(label: "surface")
    let hold = Gate()
    queue.async { hold.pass() }
    let pending = emitter.signal.connect(on: queue) { [log] in log.add("\($0)") }
    let observers = [pending, connect(), connect()]
    emitter.invoke(1)

    emitter.cancelAllObservers()
    emitter.invoke(2)
    hold.open()
    queue.sync {}

    #expect(log.entries == ["slot 1", "slot 1"])
    #expect(observers.map(\.isCancelled) == [true, true, true])
  }

  @Test func `a signal takes connections again after cancelAllObservers`() {
    _ = connect("a")
    emitter.cancelAllObservers()
    _ = connect("b")

    emitter.invoke(1)

    #expect(log.entries == ["b 1"])
  }

  @Test func `slotCount counts connections that have not ended, suspended ones too`() {
    var target: Target? = Target("target", log)
    let observers = (0..<3).map { _ in connect() }
    _ = target.map { emitter.signal.connect($0, Target.show, .inline) }
    #expect(emitter.signal.slotCount == 4)

    observers[0].suspend()
    observers[1].cancel()
    target = nil

    #expect(emitter.signal.slotCount == 2)
  }

  @Test func `a bag releases what it has cancelled`() {
    let bag = ObserverBag()
    weak var observer: SignalObserver?
    do {
      let new = connect()
      observer = new
      new.store(in: bag)
    }
    #expect(observer != nil)
    bag.cancelAll()

    #expect(observer == nil)
  }

  @Test func `cancelObservers ends the connections of one target`() {
    let targets = [Target("a", log), Target("b", log)]
    for target in targets { emitter.signal.connect(target, Target.show, .inline) }
    emitter.signal.cancelObservers(of: targets[0])
    emitter.invoke(1)

    #expect(log.entries == ["b 1"])
    #expect(emitter.signal.slotCount == 1)
  }

  @Test func `cancelObservers in the deinit of the target releases the closure at once`() {
    final class Leaving: Sendable {
      let signal: SignalArg<Int>
      init(_ signal: SignalArg<Int>) { self.signal = signal }
      deinit { signal.cancelObservers(of: self) }
    }
    weak var captured: Lifetime?
    do {
      let (target, lifetime) = (Leaving(emitter.signal), Lifetime())
      captured = lifetime
      emitter.signal.connect(target, on: .inline) { _, _ in withExtendedLifetime(lifetime) {} }
    }
    #expect(captured == nil)
  }

  @Test func `isConnected is true until the last connection of the target ends`() {
    let (target, other) = (Target("a", log), Target("b", log))
    #expect(!emitter.signal.isConnected(to: target))
    let observers = [
      emitter.signal.connect(target, Target.show, .inline),
      emitter.signal.filter { $0 > 0 }.connect(target, Target.show, .inline),
    ]
    #expect(emitter.signal.isConnected(to: target))
    #expect(!emitter.signal.isConnected(to: other))
    observers[0].cancel()
    observers[1].suspend()
    #expect(emitter.signal.isConnected(to: target))
    observers[1].cancel()
    #expect(!emitter.signal.isConnected(to: target))
  }

  @Test func `isConnected does not take an object for a dead target at its address`() {
    for _ in 0..<100 {
      do {
        let target = Target("a", log)
        emitter.signal.connect(target, Target.show, .inline)
      }
      // It often lies where the target was.
      let new = Target("b", log)
      #expect(!emitter.signal.isConnected(to: new))
    }
  }
}
