import Dispatch
import SignalObserver
import Testing

/// Guarantee 13: main and isolated slots run at once when the emission is already there and nothing
/// is pending for the slot, and later otherwise; order holds either way.
@Suite(.serialized, .inTurn, .timeLimit(.minutes(5))) struct RunAtOnceTests {
  private let emitter = EmitterArg<Int>()
  private let trace = Trace()

  // MARK: - Main

  @MainActor @Test func `a main slot runs at once on the main actor`() {
    let view = View(trace)
    emitter.signal.connect(view, View.show)

    emitter.invoke(1)
    trace.note("returned")

    #expect(trace.lines == ["1", "returned"])
  }

  @MainActor @Test func `a main slot runs at once on the main queue without an actor`() {
    emitter.signal.connect { [trace] in trace.note($0) }

    emitFromNoActor(1)
    trace.note("returned")

    #expect(trace.lines == ["1", "returned"])
  }

  @MainActor @Test func `a main slot runs later from elsewhere, and what follows waits its turn`()
    async
  {
    emitter.signal.connect { [trace] in trace.note($0) }

    Threads.run { [emitter] in emitter.invoke(1) }
    emitter.invoke(2)
    emitFromNoActor(3)
    trace.note("returned")

    #expect(await trace.lines(4) == ["returned", "1", "2", "3"])
    emitter.invoke(4)
    #expect(trace.lines == ["returned", "1", "2", "3", "4"])
  }

  @MainActor @Test func `what is emitted behind a slot that waits, waits behind it`() async {
    let late = emitter.signal.connect { [trace] in trace.note("late \($0)") }
    Threads.run { [emitter] in emitter.invoke(1) }
    emitter.signal.connect { [trace] in trace.note("new \($0)") }

    emitter.invoke(2)

    #expect(trace.lines == [])
    #expect(await trace.lines(3) == ["late 1", "late 2", "new 2"])
    late.cancel()
  }

  @MainActor @Test func `what a drain has taken of a cancelled slot holds up nobody`() async {
    let (late, other) = (EmitterArg<Int>(), EmitterArg<Int>())
    other.signal.connect { [trace] in trace.note("other \($0)") }
    let victims = ObserverBag()
    emitter.signal.connect { [trace] _ in
      victims.cancelAll()
      other.invoke(1)
      trace.note("returned")
    }
    late.signal.connect { [trace] in trace.note("late \($0)") }.store(in: victims)
    Threads.run { [emitter] in
      emitter.invoke(1)
      late.invoke(1)
    }
    // Emitted on main, behind the slot's own.
    late.invoke(2)

    #expect(await trace.lines(2) == ["other 1", "returned"])
  }

  @MainActor @Test func `what was emitted here is delivered first, also if a drain has taken it`()
    async
  {
    let (late, other) = (EmitterArg<Int>(), EmitterArg<Int>())
    other.signal.connect { [trace] in trace.note("other \($0)") }
    emitter.signal.connect { [trace] in
      other.invoke($0)
      trace.note("returned")
    }
    late.signal.connect { [trace] in
      trace.note("late \($0)")
      other.invoke($0)
    }
    Threads.run { [emitter] in
      emitter.invoke(1)
      late.invoke(2)
    }
    // Emitted on main, behind the slot's own, in one run.
    late.invoke(3)
    late.invoke(4)

    // After the last one, nothing is left for which it would have to wait.
    #expect(
      await trace.lines(8) == [
        "returned", "late 2", "late 3", "late 4", "other 1", "other 2", "other 3", "other 4",
      ])
  }

  @MainActor @Test func `what is left of a run that a drain has taken is delivered first`() async {
    let other = EmitterArg<Int>()
    other.signal.connect { [trace] in trace.note("other \($0)") }
    emitter.signal.connect { [trace] in
      trace.note($0)
      if $0 == 2 { other.invoke(2) }
    }
    Threads.run { [emitter] in emitter.invoke(1) }
    // Emitted on main, behind the slot's own, in one run.
    emitter.invoke(2)
    emitter.invoke(3)

    #expect(await trace.lines(4) == ["1", "2", "3", "other 2"])
  }

  @Background @Test func `a main slot runs later from another actor`() async {
    let view = View(trace)
    emitter.signal.connect(view, View.show)

    emitter.invoke(1)

    #expect(await trace.lines(1) == ["1"])
    withExtendedLifetime(view) {}
  }

  @MainActor @Test func `a queue that is entered from the main queue is not the main queue`() async
  {
    emitter.signal.connect { [trace] in trace.note($0) }

    DispatchQueue(label: "other").sync { emitFromNoActor(1) }
    trace.note("returned")

    #expect(await trace.lines(2) == ["returned", "1"])
  }

  // MARK: - Global actors

  @Background @Test func `a slot of a global actor runs at once there`() {
    let log = Log(trace)
    emitter.signal.connect(log, Log.note)

    emitter.invoke(1)
    trace.note("returned")

    #expect(trace.lines == ["1", "returned"])
  }

  @Background @Test func `a slot of a global actor runs later from elsewhere, in order`() async {
    let log = Log(trace)
    emitter.signal.connect(log, Log.note)

    Threads.run { [emitter] in emitter.invoke(1) }
    emitter.invoke(2)
    trace.note("returned")

    #expect(await trace.lines(3) == ["returned", "1", "2"])
    emitter.invoke(3)
    #expect(trace.lines == ["returned", "1", "2", "3"])
  }

  // MARK: - Actors

  @Test func `slots of an actor run at once there, and later from elsewhere`() async {
    let store = Store(trace)
    emitter.signal.connect(store) { store, number in store.note(number) }

    await store.run { store in
      self.emitter.invoke(1)
      Threads.run { self.emitter.invoke(2) }
      self.emitter.invoke(3)
      store.note("returned")
    }

    #expect(await trace.lines(4) == ["1", "returned", "2", "3"])
  }

  @Test func `slots of one actor run later from another`() async {
    let store = Store(trace)
    let other = Store(trace)
    emitter.signal.connect(store) { store, number in store.note(number) }

    await other.run { _ in self.emitter.invoke(1) }

    #expect(await trace.lines(1) == ["1"])
    withExtendedLifetime(store) {}
  }

  @Test func `a plain object connected on an actor is called at once there`() async {
    let store = Store(trace)

    await store.run { store in
      store.keep = Plain(self.trace) { [unowned store] in store.preconditionIsolated() }
      self.emitter.signal.connect(store.keep ?? Plain(self.trace) {}, Plain.note)
      self.emitter.invoke(1)
      store.note("returned")
    }
    Threads.run { emitter.invoke(2) }

    #expect(await trace.lines(3) == ["1", "returned", "2"])
    withExtendedLifetime(store) {}
  }

  @Test func `an actor with an executor of its own is where it says`() async {
    let store = QueueStore(trace)
    emitter.signal.connect(store) { store, number in store.note(number) }

    await store.emit(emitter, 1)
    store.executor.queue.sync { emitFromNoActor(2) }

    #expect(await trace.lines(3) == ["1", "returned", "2"])
    withExtendedLifetime(store) {}
  }

  // MARK: - Where the emission is, in all spellings

  @Test func `a function of its caller's isolation emits there`() async {
    let store = Store(trace)
    emitter.signal.connect(store) { store, number in store.note(number) }

    await store.emitNested(emitter)

    #expect(trace.lines == ["1", "returned"])
  }

  @Test func `an immediate task of an actor emits there`() async {
    let store = Store(trace)
    emitter.signal.connect(store) { store, number in store.note(number) }

    await store.emitInImmediateTask(emitter)

    #expect(trace.lines == ["1", "returned"])
  }

  @Test func `an immediate task of no actor does not emit on the actor that starts it`() async {
    let store = Store(trace)
    emitter.signal.connect(store) { store, number in store.note(number) }

    await store.run { store in
      Task.immediateDetached { @concurrent in self.emitter.invoke(1) }
      store.note("returned")
    }

    #expect(await trace.lines(2) == ["returned", "1"])
  }

  @MainActor @Test func `an assumed isolation is an isolation`() async {
    let view = View(trace)
    emitter.signal.connect(view, View.show)

    await withCheckedContinuation { done in
      DispatchQueue.main.async {
        MainActor.assumeIsolated { self.emitter.invoke(1) }
        self.trace.note("returned")
        done.resume()
      }
    }

    #expect(trace.lines == ["1", "returned"])
  }

  @MainActor @Test func `a queue that targets the main queue is serial with it`() async {
    emitter.signal.connect { [trace] in
      dispatchPrecondition(condition: .onQueue(.main))
      trace.note($0)
    }
    let queue = DispatchQueue(label: "above main", target: .main)

    await withCheckedContinuation { done in
      queue.async {
        self.emitFromNoActor(1)
        done.resume()
      }
    }

    #expect(await trace.lines(1) == ["1"])
  }

  // MARK: - Queues, and inline

  @MainActor @Test func `a slot with a queue runs later, on that queue and on main, too`() async {
    let queue = DispatchQueue(label: "slots")
    emitter.signal.connect(on: queue) { [trace] in trace.note("queue \($0)") }
    emitter.signal.connect(on: .main) { [trace] in trace.note("main \($0)") }

    queue.sync {
      emitFromNoActor(1)
      trace.note("returned")
    }
    queue.sync {}

    #expect(trace.lines == ["returned", "queue 1"])
    #expect(await trace.lines(3) == ["returned", "queue 1", "main 1"])
  }

  @Test func `an inline slot never runs later`() {
    emitter.signal.connect(on: .inline) { [trace] in trace.note($0) }

    Threads.run { emitter.invoke(1) }
    emitter.invoke(2)

    #expect(trace.lines == ["1", "2"])
  }

  // MARK: - Nested emissions

  @MainActor @Test func `main slots that emit at once keep the order of every slot`() {
    emitter.signal.connect { [emitter, trace] number in
      trace.note("a\(number)")
      if number == 1 { emitter.invoke(2) }
      trace.note("a\(number) returned")
    }
    emitter.signal.connect { [trace] in trace.note("b\($0)") }

    emitter.invoke(1)
    emitter.cancelAllObservers()

    #expect(trace.lines == ["a1", "b1", "a2", "a2 returned", "b2", "a1 returned"])
  }

  @MainActor @Test func `an emission from a pending delivery waits behind what is pending`() async {
    emitter.signal.connect { [emitter, trace] number in
      trace.note(number)
      if number == 1 { emitter.invoke(3) }
      trace.note("\(number) returned")
    }

    Threads.run { [emitter] in
      emitter.invoke(1)
      emitter.invoke(2)
    }

    #expect(
      await trace.lines(6) == ["1", "1 returned", "2", "2 returned", "3", "3 returned"])
    emitter.cancelAllObservers()
  }

  @Test func `slots of an actor that emit at once keep the order of every slot`() async {
    let store = Store(trace)
    emitter.signal.connect(store) { [emitter] store, number in
      store.note("a\(number)")
      if number == 1 { emitter.invoke(2) }
      store.note("a\(number) returned")
    }
    emitter.signal.connect(store) { store, number in store.note("b\(number)") }

    await store.run { _ in self.emitter.invoke(1) }
    emitter.cancelAllObservers()

    #expect(trace.lines == ["a1", "b1", "a2", "a2 returned", "b2", "a1 returned"])
  }

  private func emitFromNoActor(_ number: Int) { emitter.invoke(number) }
}

// MARK: - Targets

@MainActor
private final class View {
  private let trace: Trace

  nonisolated init(_ trace: Trace) { self.trace = trace }

  func show(number: Int) {
    MainActor.preconditionIsolated()
    trace.note(number)
  }
}

@Background
private final class Log {
  private let trace: Trace

  nonisolated init(_ trace: Trace) { self.trace = trace }

  func note(_ number: Int) {
    Background.preconditionIsolated()
    trace.note(number)
  }
}

private final class Plain {
  private let trace: Trace
  private let check: () -> Void

  init(_ trace: Trace, at check: @escaping () -> Void) {
    self.trace = trace
    self.check = check
  }

  func note(_ number: Int) {
    check()
    trace.note(number)
  }
}

private actor Store {
  private let trace: Trace
  var keep: Plain?

  init(_ trace: Trace) { self.trace = trace }

  func note(_ line: some Any) {
    preconditionIsolated()
    trace.note(line)
  }

  func run(_ body: @Sendable (isolated Store) -> Void) { body(self) }

  func emitNested(_ emitter: EmitterArg<Int>) async {
    await emitWhereCalled(emitter)
    note("returned")
  }

  private nonisolated(nonsending) func emitWhereCalled(_ emitter: EmitterArg<Int>) async {
    emitter.invoke(1)
  }

  func emitInImmediateTask(_ emitter: EmitterArg<Int>) async {
    await Task.immediate {
      emitter.invoke(1)
      note("returned")
    }.value
  }
}

private actor QueueStore {
  nonisolated let executor = QueueExecutor()
  private let trace: Trace

  init(_ trace: Trace) { self.trace = trace }

  nonisolated var unownedExecutor: UnownedSerialExecutor {
    unsafe executor.asUnownedSerialExecutor()
  }

  func note(_ line: some Any) {
    preconditionIsolated()
    trace.note(line)
  }

  func emit(_ emitter: EmitterArg<Int>, _ number: Int) {
    emitter.invoke(number)
    note("returned")
  }
}
