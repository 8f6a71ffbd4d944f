import Dispatch
import SignalObserver
import Testing
import Turns

/// What a library of this kind promises on its first page, an example each; the README lists them.
@Suite(.serialized, .inTurn, .timeLimit(.minutes(5))) struct SignalObserverExampleTests {
  let log = Log()
  let service = ScoreService()
  let queue = DispatchQueue(label: "examples")

  @Test func `a class conforms to a protocol of signals with property wrappers only`() {
    let service: any Service = service

    #expect(service.signal.slotCount == 0)
    #expect(service.arglessSignal.slotCount == 0)
  }

  @Test
  func
    `emitting two arguments from a private method reaches every slot with exactly these`()
  {
    let observers = ["a", "b"].map { Target($0, log) }
    for observer in observers { service.signal.connect(observer, Target.showBoth, nil) }

    service.report()

    #expect(log.entries == ["a 10 event string", "b 10 event string"])
    withExtendedLifetime(observers) {}
  }

  @Test func `emitting without arguments reaches every argless slot once`() {
    let observers = ["a", "b"].map { Target($0, log) }
    for observer in observers { service.arglessSignal.connect(observer, Target.called, nil) }

    service.reportNothing()

    #expect(log.entries == ["a", "b"])
    withExtendedLifetime(observers) {}
  }

  @Test func `a signal seen from outside has no way to emit`() {
    // That it has none is a matter of types: the wrapper, which emits, is private to its class.
    let signal: SignalArg2<Int, String> = service.signal

    #expect(!((signal as Any) is EmitterArg2<Int, String>))
    #expect(Mirror(reflecting: signal).children.allSatisfy { !($0.value is EmitterVoid) })
  }

  @Test
  func
    `private methods connected inside their class deliver both signals to the same object`()
  {
    let observer = FirstObserver(log)
    observer.connect(to: service)

    service.report()
    service.reportNothing()

    #expect(log.entries == ["first 10 event string", "first"])
  }

  @Test func `an unrelated class that connects to the argless signal gets only that one`() {
    let first = FirstObserver(log)
    let another = AnotherObserver(log)
    first.connect(to: service)
    service.arglessSignal.connect(another, AnotherObserver.didReceive, nil)

    service.report()
    service.reportNothing()

    #expect(log.entries == ["first 10 event string", "first", "another"])
  }

  @Test
  func
    `setting the last reference of an observer to nil removes its slots and serves the others`()
  {
    var first: FirstObserver? = FirstObserver(log)
    @Weakly var reference = first
    let another = AnotherObserver(log)
    first?.connect(to: service)
    service.arglessSignal.connect(another, AnotherObserver.didReceive, nil)

    first = nil
    service.reportNothing()

    #expect(reference == nil)
    #expect(log.entries == ["another"])
    #expect(service.arglessSignal.slotCount == 1)
  }

  @Test
  func
    `a method connected without a queue runs on the main queue though emitted elsewhere`()
    async
  {
    let target = Target("target", log)
    service.signal.connect(target) { target, value, _ in
      dispatchPrecondition(condition: .onQueue(.main))
      target.show(value)
    }
    service.signal.connect(target, Target.showBoth)

    RunningThread { [service] in service.report() }.join()

    #expect(await log.entries(2) == ["target 10", "target 10 event string"])
  }

  @Test func `a method connected with a queue runs on that queue`() {
    let key = DispatchSpecificKey<String>()
    queue.setSpecific(key: key, value: "on the queue")
    let target = QueueTarget(log, key)
    service.signal.connect(target, QueueTarget.show, queue)

    service.report()
    queue.sync {}

    #expect(log.entries == ["on the queue"])
  }

  @Test
  func `a method connected with nil runs on the emitting thread before invoke returns`() {
    let key = DispatchSpecificKey<String>()
    queue.setSpecific(key: key, value: "on the emitting queue")
    let target = QueueTarget(log, key)
    service.signal.connect(target, QueueTarget.show, nil)

    queue.sync {
      service.report()
      log.add("returned")
    }

    #expect(log.entries == ["on the emitting queue", "returned"])
  }

  @Test func `of two observers, the suspended one does not receive until it is resumed`() {
    let targets = ["a", "b"].map { Target($0, log) }
    let observers = targets.map { service.arglessSignal.connect($0, Target.called, nil) }

    service.reportNothing()
    observers[0].suspend()
    service.reportNothing()
    observers[0].resume()
    service.reportNothing()

    #expect(log.entries == ["a", "b", "b", "a", "b"])
    withExtendedLifetime(targets) {}
  }

  @Test func `cancelling ends an observer for good, and setting it to nil is harmless`() {
    let targets = ["a", "b"].map { Target($0, log) }
    service.arglessSignal.connect(targets[0], Target.called, nil)
    var second: SignalObserver? = service.arglessSignal.connect(targets[1], Target.called, nil)

    second?.cancel()
    service.reportNothing()
    second?.resume()
    second = nil
    service.reportNothing()

    #expect(log.entries == ["a", "a"])
    #expect(second == nil)
    withExtendedLifetime(targets) {}
  }

  @Test func `an observer may be stored as an optional, or ignored without a warning`() {
    final class Screen: Sendable {
      let observer = Box<SignalObserver>()

      func appear(_ signal: SignalVoid, _ target: Target) {
        observer.value = signal.connect(target, Target.called, nil)
        signal.connect(target, Target.called, nil)
      }
    }
    let (screen, target) = (Screen(), Target("called", log))
    screen.appear(service.arglessSignal, target)

    service.reportNothing()
    screen.observer.value?.cancel()
    service.reportNothing()

    #expect(log.entries == ["called", "called", "called"])
  }

  @Test func `map adapts a signal to a method`() {
    let emitter = EmitterArg2<Int, ServiceData>()
    let target = Target("target", log)
    emitter.signal.map(target, Target.showBoth, { ($0, $1.text) }, nil)

    emitter.invoke(89, ServiceData(number: 999, text: "message"))

    #expect(log.entries == ["target 89 message"])
  }

  @Test func `more than two arguments arrive intact in a tuple`() {
    let emitter = EmitterArg<(Int, String, [Bool])>()
    emitter.signal.connect(on: .inline) { [log] event in log.add("\(event.0) \(event.1) \(event.2)")
    }

    emitter.invoke((1, "two", [true, false]))

    #expect(log.entries == ["1 two [true, false]"])
  }

  @Test func `a method that returns a value can be connected`() {
    let first = FirstObserver(log)
    service.signal.connect(first, FirstObserver.answer, nil)

    service.report()

    #expect(log.entries == ["answering 10"])
  }
}

protocol Service: AnyObject {
  var signal: SignalArg2<Int, String> { get }
  var arglessSignal: SignalVoid { get }
}

/// `@unchecked Sendable`: its only state are emitters, which are `Sendable`; the wrapper's storage
/// is a variable that nobody sets.
final class ScoreService: Service, @unchecked Sendable {
  @EmitterArg2<Int, String> var signal
  @EmitterVoid var arglessSignal

  func report() { emit() }
  func reportNothing() { _arglessSignal.invoke() }

  private func emit() { _signal.invoke(10, "event string") }
}

struct ServiceData: Sendable {
  let number: Int
  let text: String
}

private final class FirstObserver: Sendable {
  let log: Log

  init(_ log: Log) { self.log = log }

  func connect(to service: any Service) {
    service.signal.connect(self, FirstObserver.didReceiveSignal, nil)
    service.arglessSignal.connect(self, FirstObserver.didReceiveArglessSignal, nil)
  }

  func answer(_ value: Int, _ text: String) -> Int {
    log.add("answering \(value)")
    return value
  }

  private func didReceiveSignal(_ value: Int, _ text: String) { log.add("first \(value) \(text)") }
  private func didReceiveArglessSignal() { log.add("first") }
}

private final class AnotherObserver: Sendable {
  let log: Log

  init(_ log: Log) { self.log = log }

  func didReceive() { log.add("another") }
}

private final class QueueTarget: Sendable {
  let log: Log
  let key: DispatchSpecificKey<String>

  init(_ log: Log, _ key: DispatchSpecificKey<String>) {
    self.log = log
    self.key = key
  }

  func show(_ value: Int, _ text: String) {
    log.add(DispatchQueue.getSpecific(key: key) ?? "elsewhere")
  }
}
