import Dispatch
import SignalObserver
import Testing

/// The rows of delivery and threads; the README says what they are.
@Suite(.serialized, .inTurn, .timeLimit(.minutes(5))) struct DeliveryRowTests {
  let log = Log()
  let emitter = EmitterArg<Int>()
  let queue = DispatchQueue(label: "rows.first")

  @Test @MainActor
  func `by default a slot runs on the main queue, and emitting elsewhere returns`()
    async
  {
    let (emitter, log) = (emitter, log)
    emitter.signal.connect { value in
      dispatchPrecondition(condition: .onQueue(.main))
      log.add("\(value)")
    }
    // The main queue is busy here until the thread has ended.
    RunningThread {
      emitter.invoke(1)
      log.add("returned")
    }.join()
    #expect(await log.entries(2) == ["returned", "1"])
  }

  @Test func `each connection has a queue of its own`() {
    let other = DispatchQueue(label: "rows.second")
    let key = DispatchSpecificKey<String>()
    for queue in [queue, other] { queue.setSpecific(key: key, value: queue.label) }
    let slot: @Sendable (Int) -> Void = { [log] _ in
      log.add(DispatchQueue.getSpecific(key: key) ?? "none")
    }
    emitter.signal.connect(on: queue, slot)
    emitter.invoke(1)
    queue.sync {}
    emitter.signal.connect(on: other, slot)
    emitter.invoke(2)
    queue.sync {}
    other.sync {}
    #expect(log.entries.sorted() == ["rows.first", "rows.first", "rows.second"])
  }

  @Test func `an inline slot has run on the emitting thread when invoke returns`() {
    emitter.signal.connect(on: .inline) { [log, queue] value in
      dispatchPrecondition(condition: .onQueue(queue))
      log.add("\(value)")
    }
    queue.sync {
      emitter.invoke(1)
      log.add("returned")
    }
    #expect(log.entries == ["1", "returned"])
  }

  @Test @MainActor
  func `where the emission is there already a slot runs at once, else later`()
    async
  {
    let (emitter, log) = (emitter, log)
    emitter.signal.connect { log.add("\($0)") }
    emitter.invoke(1)
    #expect(log.entries == ["1"])
    RunningThread { emitter.invoke(2) }.join()
    #expect(log.entries == ["1"])
    #expect(await log.entries(2) == ["1", "2"])
  }

  @Test func `a queue slot does not block the thread that emits`() {
    let (entered, leave) = (Gate(), Gate())
    emitter.signal.connect(on: queue) { [log] value in
      entered.open()
      leave.pass()
      log.add("\(value)")
    }
    emitter.invoke(1)
    entered.pass()
    emitter.invoke(2)
    log.add("returned")
    leave.open()
    leave.open()
    queue.sync {}
    queue.sync {}
    #expect(log.entries == ["returned", "1", "2"])
  }

  @Test @MainActor func `many changes made together become one run`() async {
    let (model, view) = (Model(), View(log))
    view.model = model
    track(view, View.render)
    for number in 1...100 { model.count = number }
    #expect(log.entries == ["0"])
    await mainQueueSettled()
    #expect(log.entries == ["0", "100"])
  }

  @Test func `a slot runs on an actor, and a loop awaits every payload`() async {
    actor Store {
      let log: Log
      init(_ log: Log) { self.log = log }

      func add(_ value: Int) { log.add("actor \(value)") }
    }
    let store = Store(log)
    emitter.signal.connect(store) { $0.add($1) }
    let values = emitter.signal.values
    for number in 1...2 { emitter.invoke(number) }
    #expect(await log.entries(2) == ["actor 1", "actor 2"])
    var iterator = values.makeAsyncIterator()
    #expect(await [iterator.next(), iterator.next()] == [1, 2])
  }

  @Test func `a signal of a Sendable payload crosses to a task, and so does its emitter`()
    async
  {
    func shared<Value: Sendable>(_ value: Value) -> Value { value }
    let (emitter, signal) = (shared(emitter), shared(emitter.signal))
    let trace = await Task.detached { signal.traced().0 }.value
    await Task.detached { emitter.invoke(1) }.value
    #expect(trace.entries == [1])
  }

  @Test func `a queue's label and quality are those of the queue that is given`() {
    let queue = DispatchQueue(label: "rows.utility", qos: .utility)
    emitter.signal.connect(on: queue) { [log] _ in
      dispatchPrecondition(condition: .onQueue(queue))
      log.add(queue.label)
    }
    #expect(emitter.signal.debugDescription.contains("rows.utility"))
    emitter.invoke(1)
    queue.sync {}
    #expect(log.entries == ["rows.utility"])
  }
}

@MainActor private final class View {
  var model: Model?
  let log: Log

  init(_ log: Log) { self.log = log }

  func render() { log.add("\(model?.count ?? -1)") }
}

/// The rows of control handles; the README says what they are.
@Suite(.serialized, .inTurn, .timeLimit(.minutes(5))) struct HandleRowTests {
  let log = Log()
  let emitter = EmitterArg<Int>()

  @Test func `one connection is cancelled, and no other`() {
    let (first, observer) = emitter.signal.traced()
    let (second, _) = emitter.signal.traced()
    emitter.invoke(1)
    observer.cancel()
    emitter.invoke(2)
    #expect(first.entries == [1])
    #expect(second.entries == [1, 2])
  }

  @Test func `cancelling is final, and may be repeated`() {
    let (trace, observer) = emitter.signal.traced()
    observer.cancel()
    observer.cancel()
    observer.resume()
    emitter.invoke(1)
    #expect(trace.entries == [])
    #expect(observer.isCancelled)
  }

  @Test func `one connection is suspended and resumed`() {
    let (trace, observer) = emitter.signal.traced()
    emitter.invoke(1)
    observer.suspend()
    emitter.invoke(2)
    observer.resume()
    emitter.invoke(3)
    #expect(trace.entries == [1, 3])
  }

  @Test func `what is emitted while suspended is dropped, also on a queue`() {
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

  @Test func `suspending is not counted`() {
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

  @Test func `suspending one leaves the others alone`() {
    let slots = (0..<3).map { _ in emitter.signal.traced() }
    slots[1].1.suspend()
    emitter.invoke(1)
    #expect(slots.map(\.0.entries) == [[1], [], [1]])
  }

  @Test func `an observer is kept as an optional and set to nil`() {
    let (trace, connected) = emitter.signal.traced()
    var observer: SignalObserver? = connected
    observer?.suspend()
    observer?.resume()
    observer = nil
    emitter.invoke(1)
    #expect(observer == nil)
    #expect(trace.entries == [1])
  }

  @Test func `a target is disconnected, with all its connections and no other`() {
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

  @Test func `a target is disconnected from a value, and what is pending is dropped`() {
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

  @Test func `connections are counted, and say how they are`() {
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

  @Test func `a slot cancels itself and a later one, neither of which is called again`() {
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
