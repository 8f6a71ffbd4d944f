import Dispatch
import SignalObserver
import Testing

/// The rows of delivery and threads; the README says what they are.
@Suite(.serialized, .inTurn, .timeLimit(.minutes(5))) struct DeliveryRowTests {
  let log = Log()
  let emitter = EmitterArg<Int>()
  let queue = DispatchQueue(label: "rows.first")

  @Test @MainActor
  func `A-E1: by default a slot runs on the main queue, and emitting elsewhere returns`()
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

  @Test func `A-E2: each connection has a queue of its own`() {
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

  @Test func `A-E3: an inline slot has run on the emitting thread when invoke returns`() {
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
  func `A-E4: where the emission is there already a slot runs at once, else later`()
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

  @Test func `A-E7: a queue slot does not block the thread that emits`() {
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

  @Test @MainActor func `A-E8: many changes made together become one run`() async {
    let (model, view) = (Model(), View(log))
    view.model = model
    track(view, View.render)
    for number in 1...100 { model.count = number }
    #expect(log.entries == ["0"])
    await mainQueueSettled()
    #expect(log.entries == ["0", "100"])
  }

  @Test func `A-E11: a slot runs on an actor, and a loop awaits every payload`() async {
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

  @Test func `A-E12: a signal of a Sendable payload crosses to a task, and so does its emitter`()
    async
  {
    func shared<Value: Sendable>(_ value: Value) -> Value { value }
    let (emitter, signal) = (shared(emitter), shared(emitter.signal))
    let trace = await Task.detached { signal.traced().0 }.value
    await Task.detached { emitter.invoke(1) }.value
    #expect(trace.entries == [1])
  }

  @Test func `A-E13: a queue's label and quality are those of the queue that is given`() {
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
