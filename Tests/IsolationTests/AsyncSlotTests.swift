import Dispatch
import SignalObserver
import Synchronization
import Testing
import Turns

/// An async slot handles one payload at a time, in order, and nobody waits for it.
@Suite(.serialized, .inTurn, .timeLimit(.minutes(5))) struct AsyncSlotTests {
  private let emitter = EmitterArg<Int>()
  private let trace = Trace()

  @Test func `the next payload is handled when the call for the one before has returned`() async {
    let gate = Gate()
    emitter.signal.connect { [trace] number async in
      trace.note("begin \(number)")
      if number == 1 { await gate.wait() }
      trace.note("end \(number)")
    }

    emitter.invoke(1)
    emitter.invoke(2)
    #expect(await trace.lines(1) == ["begin 1"])
    gate.open()

    #expect(await trace.lines(4) == ["begin 1", "end 1", "begin 2", "end 2"])
  }

  @Test func `cancelling the observer cancels the task that runs the slot`() async {
    let isConnected = Gate()
    let observer = emitter.signal.connect { [trace] number async in
      trace.note("begin \(number)")
      await withTaskCancellationHandler {
        await isConnected.wait()
      } onCancel: {
        trace.note("cancelled")
        isConnected.open()
      }
      trace.note("end \(Task.isCancelled)")
    }

    emitter.invoke(1)
    emitter.invoke(2)
    _ = await trace.lines(1)
    observer.cancel()

    #expect(await trace.lines(3) == ["begin 1", "cancelled", "end true"])
  }

  @Test func `the death of the bag cancels the task too`() async {
    var bag: ObserverBag? = ObserverBag()
    let gate = Gate()
    if let bag {
      emitter.signal.connect { [trace] _ async in
        trace.note("begin")
        await withTaskCancellationHandler {
          await gate.wait()
        } onCancel: {
          gate.open()
        }
        trace.note("end \(Task.isCancelled)")
      }
      .store(in: bag)
    }

    emitter.invoke(1)
    _ = await trace.lines(1)
    bag = nil

    #expect(await trace.lines(2) == ["begin", "end true"])
  }

  @Test func `a slot that never returns holds back only itself`() async {
    let never = Gate()
    let observer = emitter.signal.connect { [trace] number async in
      if number == 1 { trace.note("stuck") }
      await never.wait()
    }
    _ = await emitAndWait(1, for: "stuck")
    emitter.signal.connect { [trace] number async in trace.note("async \(number)") }
    emitter.signal.connect(on: .inline) { [trace] number in trace.note("inline \(number)") }

    emitter.invoke(2)
    emitter.invoke(3)

    #expect(
      await trace.lines(5).sorted() == ["async 2", "async 3", "inline 2", "inline 3", "stuck"])
    observer.cancel()
    never.open()
  }

  @Test func `what is emitted, and what is due, while suspended is dropped`() async {
    let gate = Gate()
    var emitter: EmitterArg<Int>? = EmitterArg()
    let observer = emitter?.signal.connect { [trace] number async in
      trace.note(number)
      await gate.wait()
    }

    emitter?.invoke(1)
    emitter?.invoke(2)
    _ = await trace.lines(1)
    observer?.suspend()
    emitter?.invoke(3)
    emitter = nil
    gate.open()

    // The connection ends when nothing is pending any more.
    await observer?.hasEnded()
    #expect(trace.lines == ["1"])
  }

  @Test func `11. A payload whose call an actor has not begun is dropped by a suspension`() async {
    let desk = Desk(trace)
    let observer = emitter.signal.connect(desk, Desk.handle)
    desk.executor.queue.suspend()
    let jobs = desk.executor.jobCount
    emitter.invoke(1)
    await until("the task of the slot has asked for the actor") { desk.executor.jobCount > jobs }

    observer.suspend()
    desk.executor.queue.resume()
    // Behind the turn of that task.
    await desk.hasTurn()
    observer.resume()
    emitter.invoke(2)

    #expect(await trace.lines(1) == ["2"])
  }

  @Test func `4. If it is cancelled on its actor, no call of an asynchronous slot begins`() async {
    let desk = Desk(trace)
    let observer = emitter.signal.connect(desk, Desk.handle)
    desk.executor.queue.suspend()
    desk.executor.queue.async { observer.cancel() }
    let jobs = desk.executor.jobCount
    emitter.invoke(1)
    await until("the task of the slot has asked for the actor") { desk.executor.jobCount > jobs }

    desk.executor.queue.resume()
    // Behind the turn of that task.
    await desk.hasTurn()

    #expect(trace.lines == [])
  }

  @Test func `4. A call of an asynchronous slot continues after cancel, with its task cancelled`()
    async
  {
    let gate = Gate()
    let observer = emitter.signal.connect { @MainActor [trace] number async in
      trace.note("begin \(number)")
      await gate.wait()
      trace.note("end \(number) \(Task.isCancelled)")
    }
    emitter.invoke(1)
    _ = await trace.lines(1)

    await MainActor.run { observer.cancel() }
    trace.note("cancelled")
    gate.open()

    #expect(await trace.lines(3) == ["begin 1", "cancelled", "end 1 true"])
  }

  @Test func `what is pending is dropped when the target dies, and its calls hold it`() async {
    let gate = Gate()
    var target: Target? = Target(trace, gate)
    let observer = emitter.signal.connect(target ?? Target(trace, gate), Target.handle)

    emitter.invoke(1)
    emitter.invoke(2)
    _ = await trace.lines(1)
    target = nil
    trace.note("dropped")
    gate.open()

    #expect(await trace.lines(4) == ["begin 1", "dropped", "end 1", "deinit"])
    await observer.hasEnded()
    #expect(trace.lines.count == 4)
  }

  @Test func `a target is held only while a call runs`() async {
    let gate = Gate()
    gate.open()
    var target: Target? = Target(trace, gate)
    @Weakly var weakTarget = target
    emitter.signal.connect(target ?? Target(trace, gate), Target.handle)

    emitter.invoke(1)
    _ = await trace.lines(2)
    target = nil

    #expect(await trace.lines(3) == ["begin 1", "end 1", "deinit"])
    #expect(weakTarget == nil)
  }

  @Test func `what was emitted before the emitter died is delivered, then the slot ends`() async {
    let gate = Gate()
    let observer = {
      let emitter = EmitterArg<Int>()
      let observer = emitter.signal.connect { [trace] number async in
        await gate.wait()
        trace.note(number)
      }
      emitter.invoke(1)
      emitter.invoke(2)
      return observer
    }()

    gate.open()

    #expect(await trace.lines(2) == ["1", "2"])
    await observer.hasEnded()
  }

  @Test func `a call may cancel its own observer, and the next does not begin`() async {
    let observer = Mutex<SignalObserver?>(nil)
    let gate = Gate()
    let connected = emitter.signal.connect { [trace] number async in
      // The `invoke` that starts the task has returned.
      await gate.wait()
      observer.withLock { $0 }?.cancel()
      trace.note("\(number) \(Task.isCancelled)")
    }
    observer.withLock { $0 = connected }

    emitter.invoke(1)
    emitter.invoke(2)
    gate.open()

    #expect(await trace.lines(1) == ["1 true"])
    #expect(connected.isCancelled)
  }

  private func emitAndWait(_ number: Int, for line: String) async {
    emitter.invoke(number)
    #expect(await trace.lines(1) == [line])
  }
}

/// An actor whose turns a test can hold up.
private actor Desk {
  nonisolated let executor = QueueExecutor()
  private let trace: Trace

  init(_ trace: Trace) { self.trace = trace }

  nonisolated var unownedExecutor: UnownedSerialExecutor {
    unsafe executor.asUnownedSerialExecutor()
  }

  func handle(_ number: Int) async { trace.note(number) }

  func hasTurn() {}
}

@MainActor
private final class Target {
  private let trace: Trace
  private let gate: Gate

  nonisolated init(_ trace: Trace, _ gate: Gate) {
    self.trace = trace
    self.gate = gate
  }

  deinit { trace.note("deinit") }

  func handle(_ number: Int) async {
    trace.note("begin \(number)")
    await gate.wait()
    trace.note("end \(number)")
  }
}
