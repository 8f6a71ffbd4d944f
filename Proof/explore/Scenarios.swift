#if SO_EXPLORE
  import Dispatch
  import SignalObserver

  /// A few threads that use one signal at once, and what must be true in the end, whichever order
  /// they run in.
  struct Scenario {
    let name: String
    /// The thread that plays the main queue.
    var main: Int?
    /// The situations that some schedule must reach.
    ///
    /// If none does, the scenario tests nothing.
    var reaches: Set<String>
    /// Prepares the scenario, and returns the function of each thread.
    let parts: (World) -> [() -> Void]

    init(
      _ name: String, main: Int? = nil, reaches: Set<String> = [],
      _ parts: @escaping (World) -> [() -> Void]
    ) {
      self.name = name
      self.main = main
      self.reaches = reaches
      self.parts = parts
    }
  }

  extension Explorer {
    /// Runs `scenario` under the next schedule, and returns the failure, if there is one.
    func run(_ scenario: Scenario) -> String? {
      let world = World(self)
      let parts = scenario.parts(world)
      return run(parts, mainThread: scenario.main) ?? world.finish()
    }
  }

  /// Whether all of `values` are in `all`, in the same order.
  func isSome(_ values: [Int], of all: [Int]) -> Bool {
    var rest = all[...]
    return values.allSatisfy { value in
      guard let index = rest.firstIndex(of: value) else { return false }
      rest = rest[(index + 1)...]
      return true
    }
  }

  /// Whether `values` are those of both threads, with those of each thread in order.
  func isMerged(_ values: [Int], _ first: [Int], _ second: [Int]) -> Bool {
    values.count == first.count + second.count && isSome(first, of: values)
      && isSome(second, of: values)
  }

  var scenarios: [Scenario] {
    emitting + connecting + cancelling + targets + queues + mainSlots + ending + nesting + sequences
      + waiting + lineScenarios + endScenarios + leafScenarios
  }

  private var emitting: [Scenario] {
    [
      Scenario("two emissions") { world in
        world.connect("a")
        world.connect("b")
        world.expect("each once, in order") {
          [1, 2].allSatisfy { world.names($0) == ["a", "b"] }
        }
        return [{ world.emit(1) }, { world.emit(2) }]
      },
      Scenario("emissions against suspend and resume") { world in
        let a = world.connect("a")
        world.connect("b")
        world.expect("b sees all, a some") {
          isSome(world.values("a"), of: [1, 2]) && world.values("b") == [1, 2]
        }
        return [
          { world.emit(1, 2) },
          {
            a.suspend(); a.resume()
          },
        ]
      },
      Scenario("emission against suspend, resume and cancel") { world in
        let a = world.connect("a")
        world.expect("a is over") {
          a.isCancelled && !a.isSuspended && world.values("a").count <= 1
        }
        return [
          { world.emit(1) },
          {
            a.suspend(); a.resume()
          }, { a.cancel() },
        ]
      },
    ]
  }

  private var connecting: [Scenario] {
    [
      Scenario("emissions against connect") { world in
        world.connect("a")
        world.expect("b sees the last ones") {
          world.values("a") == [1, 2] && [[], [2], [1, 2]].contains(world.values("b"))
            && world.signal.slotCount == 2
        }
        return [{ world.emit(1, 2) }, { world.connect("b") }]
      },
      Scenario("two connects against an emission") { world in
        world.expect("both stay, in one order for all") {
          world.emit(2)
          return isSome(world.values("a"), of: [1, 2]) && world.names(2).sorted() == ["a", "b"]
            && (world.names(1).count < 2 || world.names(1) == world.names(2))
        }
        return [{ world.connect("a") }, { world.connect("b") }, { world.emit(1) }]
      },
      Scenario("growth during emissions") { world in
        let names = ["a", "b", "c", "d"]
        for name in names { world.connect(name) }
        world.expect("the first four see both") {
          [1, 2].allSatisfy { Array(world.names($0).prefix(4)) == names }
            && world.signal.slotCount == 5
        }
        return [{ world.emit(1) }, { world.connect("e") }, { world.emit(2) }]
      },
      Scenario("first connect against cancelAllObservers") { world in
        world.expect("all or none of it is left") {
          world.emit(2)
          return world.values("a").filter { $0 == 2 }.count == world.signal.slotCount
        }
        return [
          { world.connect("a") }, { world.emitter?.cancelAllObservers() }, { world.emit(1) },
        ]
      },
      Scenario("connect in a slot against an emission") { world in
        world.connect("a") { value in if value == 1 { world.connect("b") } }
        world.expect("b is not called by the emission that connects it") {
          !world.values("b").contains(1) && world.signal.slotCount == 2
        }
        return [{ world.emit(1) }, { world.emit(2) }]
      },
    ]
  }

  private var cancelling: [Scenario] {
    [
      Scenario("emissions against cancel") { world in
        let a = world.connect("a")
        world.connect("b")
        let before = Variable(0)
        world.expect("one call at most after cancel") {
          world.values("b") == [1, 2] && isSome(world.values("a"), of: [1, 2])
            && world.values("a").count <= before.value + 1
        }
        return [
          { world.emit(1, 2) },
          {
            a.cancel(); before.value = world.values("a").count
          },
        ]
      },
      Scenario("two cancels against an emission") { world in
        let a = world.connect("a")
        world.expect("nobody is left") { world.signal.slotCount == 0 }
        return [{ world.emit(1) }, { a.cancel() }, { a.cancel() }]
      },
      Scenario("cancels of two slots against two emissions") { world in
        let (a, b) = (world.connect("a"), world.connect("b"))
        world.connect("c")
        world.expect("c sees both") { world.values("c").sorted() == [1, 2] }
        return [
          { world.emit(1) },
          {
            a.cancel(); b.cancel()
          }, { world.emit(2) },
        ]
      },
      Scenario("a slot cancels itself during another emission") { world in
        let a = Variable<SignalObserver?>(nil)
        a.value = world.connect("a") { _ in a.value?.cancel() }
        world.connect("b")
        world.expect("b sees both") {
          world.values("b").sorted() == [1, 2] && (1...2).contains(world.values("a").count)
        }
        return [{ world.emit(1) }, { world.emit(2) }, { a.value = a.value }]
      },
      Scenario("a slot is cancelled inside of its own emission, against another one") { world in
        let a = Variable<SignalObserver?>(nil)
        a.value = world.connect("a") { value in if value == 1 { world.emit(2) } }
        world.connect("b") { value in if value == 2 { a.value?.cancel() } }
        world.own({ 0 }, { a.value = nil })
        world.expect("b sees all") { world.values("b").sorted() == [1, 2, 3] }
        return [{ world.emit(1) }, { world.emit(3) }]
      },
      Scenario("a slot cancels the next during another emission") { world in
        let b = Variable<SignalObserver?>(nil)
        world.connect("a") { value in if value == 1 { b.value?.cancel() } }
        b.value = world.connect("b")
        world.expect("the emission that cancels b does not call it") {
          !world.values("b").contains(1)
        }
        return [{ world.emit(1) }, { world.emit(2) }]
      },
      Scenario("connect and cancel while an emission enters") { world in
        let a = world.connect("a")
        let b = world.handed(SignalObserver?.none)
        world.expect("each once at most, in order") {
          [[], ["a"], ["b"], ["a", "b"]].contains(world.names(1))
        }
        return [
          { world.emit(1) },
          {
            a.cancel(); b.value = world.connect("b")
          },
          { b.value?.cancel() },
        ]
      },
      Scenario("compaction during an emission") { world in
        let observers = (0..<10).map { world.connect("\($0)") }
        for observer in observers.prefix(8) { observer.cancel() }
        world.expect("the last one sees both") {
          world.values("9").sorted() == [1, 2] && world.signal.slotCount == 2
        }
        return [
          { world.emit(1) },
          {
            observers[8].cancel(); world.connect("a")
          }, { world.emit(2) },
        ]
      },
      Scenario("captures that emit when they are released") { world in
        let emitter = EmitterArg<Int>()
        let captured = Variable<Capture?>(Capture { world.emit(2) })
        let a = emitter.signal.connect(on: .inline) { [captured = captured.value] _ in
          captured?.use()
        }
        captured.value = nil
        world.connect("b")
        world.expect("the capture has emitted") { world.values("b") == [2] }
        return [{ emitter.invoke(1) }, { a.cancel() }]
      },
      Scenario("cancelAllObservers against cancel and an emission") { world in
        let a = world.connect("a")
        world.connect("b")
        world.expect("nobody is left") { world.signal.slotCount == 0 }
        return [{ world.emit(1) }, { world.emitter?.cancelAllObservers() }, { a.cancel() }]
      },
    ]
  }

  private var targets: [Scenario] {
    [
      Scenario("death of a target against two emissions") { world in
        let target = Variable<Target?>(Target())
        if let target = target.value { world.connect("a", to: target) }
        world.expect("it is gone") { world.signal.slotCount == 0 }
        return [{ world.emit(1) }, { target.value = nil }, { world.emit(2) }]
      },
      Scenario("death of a target against cancel and slotCount") { world in
        let target = Variable<Target?>(Target())
        let a = target.value.map { world.connect("a", to: $0) }
        world.expect("it is gone") { world.signal.slotCount == 0 && a?.isCancelled == true }
        return [{ target.value = nil }, { a?.cancel() }, { _ = world.signal.slotCount }]
      },
      Scenario("sweep of dead targets against an emission") { world in
        for name in ["a", "b", "c", "d"] { world.connect(name, to: Target()) }
        world.expect("only the new one is left") {
          world.signal.slotCount == 1 && world.calls.allSatisfy { $0.name == "e" }
        }
        return [{ world.connect("e") }, { world.emit(1) }]
      },
      Scenario("two sweeps of dead targets") { world in
        for name in ["a", "b", "c"] { world.connect(name, to: Target()) }
        world.connect("d")
        world.expect("three are left, in order") {
          world.emit(1)
          return world.signal.slotCount == 3 && world.names(1).first == "d"
        }
        return [{ world.connect("e") }, { world.connect("f") }]
      },
    ]
  }

  private var queues: [Scenario] {
    [
      Scenario("emissions against a drain") { world in
        world.connect("a", on: world.queue)
        world.expect("all, in order") { world.values("a") == [1, 2] }
        return [{ world.emit(1, 2) }, { world.drain(world.queue) }]
      },
      Scenario("two emissions against a drain") { world in
        world.connect("a", on: world.queue)
        world.expect("all, once") { world.values("a").sorted() == [1, 2] }
        return [{ world.emit(1) }, { world.emit(2) }, { world.drain(world.queue) }]
      },
      Scenario("an emission against a drain that runs again") { world in
        world.connect("a", on: world.queue)
        world.emit(1, 2)
        world.drainOnce(world.queue)
        world.expect("before what the queue was given next") {
          world.calls.map(\.value) == [1, 2, 3, 4]
        }
        return [
          {
            world.emit(3)
            world.give(world.queue, 4)
          },
          { world.drain(world.queue) },
        ]
      },
      Scenario("emissions against a concurrent queue") { world in
        world.connect("a", on: world.queue)
        world.expect("in order, one at a time") {
          world.values("a") == [1, 2] && world.overlaps.isEmpty
        }
        return [
          { world.emit(1, 2) }, { world.drain(world.queue) }, { world.drain(world.queue) },
        ]
      },
      Scenario("emissions against cancel on the queue") { world in
        let a = world.connect("a", on: world.queue)
        let before = Variable(0)
        world.expect("nothing after cancel") { world.values("a").count == before.value }
        return [
          { world.emit(1, 2) },
          {
            world.drain(world.queue)
            a.cancel()
            before.value = world.values("a").count
            world.drain(world.queue)
          },
        ]
      },
      Scenario("drain against cancel and an emission") { world in
        let a = world.connect("a", on: world.queue)
        world.emit(1)
        world.expect("nobody is left") { world.signal.slotCount == 0 }
        return [{ world.drain(world.queue) }, { a.cancel() }, { world.emit(2) }]
      },
      Scenario("emissions against suspend on the queue") { world in
        let a = world.connect("a", on: world.queue)
        let calls = Variable(0)
        world.expect("nothing while it is suspended") { calls.value == 0 }
        return [
          { world.emit(1, 2) },
          {
            world.drain(world.queue)
            a.suspend()
            let before = world.values("a").count
            world.drain(world.queue)
            calls.value = world.values("a").count - before
            a.resume()
          },
        ]
      },
      Scenario("a slot on a queue that is called once") { world in
        let a = Variable<SignalObserver?>(nil)
        a.value = world.connect("a", on: world.queue) { _ in a.value?.cancel() }
        world.expect("once") { world.values("a").count == 1 }
        return [{ world.emit(1) }, { world.emit(2) }, { world.drain(world.queue) }]
      },
      Scenario("death of a target with a pending delivery") { world in
        let target = Variable<Target?>(Target())
        let a = target.value.map { target in
          world.signal.connect(target, on: world.queue) { target, _ in target.use() }
        }
        world.emit(1)
        world.expect("it is gone") { a?.isCancelled == true }
        return [{ world.drain(world.queue) }, { target.value = nil }, { world.emit(2) }]
      },
      Scenario("payloads against cancel and a drain") { world in
        let emitter = EmitterArg<Capture>()
        let alive = Variable(2)
        let a = emitter.signal.connect(on: world.queue) { $0.use() }
        world.expect("all are released") { alive.value == 0 }
        let emit = { emitter.invoke(Capture { alive.value -= 1 }) }
        return [
          {
            emit(); emit()
          }, { world.drain(world.queue) }, { a.cancel() },
        ]
      },
    ]
  }

  private var mainSlots: [Scenario] {
    [
      Scenario("emissions at once against drains", main: 0) { world in
        world.connectOnMain("a")
        world.expect("each thread's in order, one at a time") {
          isMerged(world.values("a"), [1, 2], [3, 4]) && world.overlaps.isEmpty
        }
        return [
          {
            world.emit(1, 2); world.drain(.main)
          }, { world.emit(3, 4) },
        ]
      },
      Scenario("an emission at once in between", main: 0) { world in
        world.connectOnMain("a")
        world.expect("each thread's in order, one at a time") {
          isMerged(world.values("a"), [1, 2], [3]) && world.overlaps.isEmpty
        }
        return [
          {
            world.emit(1); world.drain(.main); world.emit(2)
          }, { world.emit(3) },
        ]
      },
      Scenario("an emission at once after another thread's", main: 0) { world in
        world.connectOnMain("a")
        let (isSent, isAfter) = (Variable(false), Variable(false))
        world.expect("in the order in which they were made") {
          !isAfter.value || world.values("a") == [1, 2]
        }
        return [
          {
            world.drain(world.queue)
            isAfter.value = isSent.value
            world.emit(2)
          },
          {
            world.emit(1); isSent.value = true
          },
        ]
      },
      Scenario("cancel on the main queue against drains", main: 0) { world in
        let a = world.connectOnMain("a")
        let before = Variable(0)
        world.expect("nothing after cancel") { world.values("a").count == before.value }
        return [
          {
            world.emit(1)
            a.cancel()
            before.value = world.values("a").count
            world.drain(.main)
          }, { world.emit(2, 3) },
        ]
      },
      Scenario("cancel against an emission at once", main: 0) { world in
        let a = world.connectOnMain("a")
        world.expect("nobody is left") { world.signal.slotCount == 0 }
        return [
          {
            world.emit(1); world.drain(.main)
          }, { a.cancel() }, { world.emit(2) },
        ]
      },
    ]
  }

  private var ending: [Scenario] {
    [
      Scenario("death of the emitter against a drain") { world in
        let a = world.connect("a", on: world.queue)
        world.expect("what was sent is delivered, then it ends") {
          world.values("a") == [1] && a.isCancelled
        }
        return [
          {
            world.emit(1); world.emitter = nil
          }, { world.drain(world.queue) },
        ]
      },
      Scenario("death of the emitter against slotCount") { world in
        let a = world.connect("a")
        world.connect("b")
        world.expect("all are over") { a.isCancelled && world.signal.slotCount == 0 }
        return [
          { world.emitter = nil }, { _ = world.signal.slotCount }, { _ = world.signal.slotCount },
        ]
      },
      Scenario("death of the emitter against connect") { world in
        let observers = Variable<[SignalObserver]>([])
        world.expect("both are over") { observers.value.allSatisfy(\.isCancelled) }
        return [
          { world.emitter = nil }, { observers.value.append(world.connect("a")) },
          { observers.value.append(world.connect("b", on: world.queue)) },
        ]
      },
      Scenario("death of the emitter against two cancels") { world in
        let (a, b) = (world.connect("a"), world.connect("b", on: world.queue))
        world.emit(1)
        world.expect("both are over") { a.isCancelled && b.isCancelled }
        return [
          { world.emitter = nil },
          {
            a.cancel(); b.cancel()
          }, { b.cancel() },
        ]
      },
      Scenario("death of the emitter against that of a target") { world in
        let target = Variable<Target?>(Target())
        let a = target.value.map { world.connect("a", to: $0) }
        world.expect("it is over") { a?.isCancelled == true }
        return [{ world.emitter = nil }, { target.value = nil }, { _ = a?.isCancelled }]
      },
    ]
  }

  private var nesting: [Scenario] {
    [
      Scenario("emissions of the same signal in slots of two threads") { world in
        world.connect("a") { value in if value < 10 { world.emit(value + 10) } }
        world.connect("b")
        world.expect("each thread's in order") {
          isMerged(world.values("b"), [1, 11], [2, 12])
            && isMerged(world.values("a"), [1, 11], [2, 12])
        }
        return [{ world.emit(1) }, { world.emit(2) }]
      },
      Scenario("cancel in an inner emission against another thread's") { world in
        let b = Variable<SignalObserver?>(nil)
        world.connect("a") { value in if value == 1 { world.emit(3) } }
        b.value = world.connect("b") { value in if value == 3 { b.value?.cancel() } }
        world.expect("b first gets what the outer one owes it") { world.values("b").contains(1) }
        return [{ world.emit(1) }, { world.emit(2) }]
      },
      Scenario("two signals that emit each other") { world in
        let other = EmitterArg<Int>()
        world.connect("a") { value in if value > 0 { other.invoke(value - 1) } }
        let b = other.signal.connect(on: .inline) { value in if value > 0 { world.emit(value - 1) }
        }
        world.expect("both") { world.values("a").sorted() == [0, 0, 2] && !b.isCancelled }
        return [{ world.emit(2) }, { other.invoke(1) }]
      },
    ]
  }

  // MARK: - Asynchronous code

  /// The payloads that a task has received, and whether it has ended.
  private final class Outcome<Value>: @unchecked Sendable {
    // Only the thread with the baton uses it.
    var values: [Value] = []
    var isOver = false
  }

  private var sequences: [Scenario] {
    [
      Scenario("emissions against the call of values") { world in
        let values = Variable<SignalValues<Int>?>(nil)
        world.expect("what was emitted from then on, to the end") {
          guard let sequence = values.value else { return false }
          values.value = nil
          let outcome = Outcome<Int>()
          world.start {
            for await value in sequence { outcome.values.append(value) }
            outcome.isOver = true
          }
          world.emitter = nil
          world.settle()
          return outcome.isOver && [[], [2], [1, 2]].contains(outcome.values)
        }
        return [{ values.value = world.signal.values }, { world.emit(1, 2) }]
      },
      Scenario("emissions against a loop over values") { world in
        let outcome = Outcome<Int>()
        let values = world.signal.values
        world.start {
          for await value in values {
            outcome.values.append(value)
            if value == 3 { break }
          }
          outcome.isOver = true
        }
        world.expect("each in its order, until it leaves, and no slot") {
          let received = outcome.values
          return outcome.isOver && world.signal.slotCount == 0
            && [[2, 3], [1, 2, 3], [2, 1, 3]].contains(received)
        }
        return [
          { world.drain(world.tasks) }, { world.emit(1) }, { world.emit(2, 3) },
        ]
      },
      Scenario("emissions against next") { world in
        let outcome = next(world)
        world.expect("the first after it was connected") {
          // The task may have connected after both emissions.
          world.emitter = nil
          world.settle()
          return outcome.isOver && [[1], [2], []].contains(outcome.values)
        }
        return [{ world.drain(world.tasks) }, { world.emit(1, 2) }]
      },
      Scenario("death of the emitter against next") { world in
        let outcome = next(world)
        world.expect("a payload or none") {
          outcome.isOver && [[1], []].contains(outcome.values) && world.signal.slotCount == 0
        }
        return [
          { world.drain(world.tasks) },
          {
            world.emit(1); world.emitter = nil
          },
        ]
      },
      Scenario("cancel of a task against next and an emission") { world in
        let task = Variable<Task<Void, Never>?>(nil)
        let outcome = next(world, task)
        world.expect("a payload or none, and no slot") {
          outcome.isOver && [[1], []].contains(outcome.values) && world.signal.slotCount == 0
        }
        return [
          { world.drain(world.tasks) }, { world.emit(1) },
          { if let task = task.value { world.cancel(task) } },
        ]
      },
    ]
  }

  /// Starts a task that waits for one payload.
  private func next(
    _ world: World, _ task: Variable<Task<Void, Never>?> = Variable(nil)
  ) -> Outcome<Int> {
    let outcome = Outcome<Int>()
    let signal = world.signal
    task.value = world.start {
      if let value = await signal.next() { outcome.values.append(value) }
      outcome.isOver = true
    }
    return outcome
  }

  private var waiting: [Scenario] {
    [
      Scenario("invokeAndWait against a drain and an emission") { world in
        world.connect("a", on: world.queue)
        let outcome = invokeAndWait(world)
        world.expect("it returns after its own delivery") {
          outcome.isOver && outcome.values.contains(1) && world.values("a").sorted() == [1, 2]
        }
        return [
          { world.drain(world.tasks) }, { world.drain(world.queue) }, { world.emit(2) },
        ]
      },
      Scenario("invokeAndWait against cancel") { world in
        let a = world.connect("a", on: world.queue)
        let outcome = invokeAndWait(world)
        world.expect("it returns, whether or not it was delivered") {
          outcome.isOver && [[], [1]].contains(world.values("a"))
        }
        return [
          { world.drain(world.tasks) }, { world.drain(world.queue) }, { a.cancel() },
        ]
      },
      Scenario("invokeAndWait against the death of a target") { world in
        let target = Variable<Target?>(Target())
        if let target = target.value {
          world.signal.connect(target, on: world.queue) { target, _ in target.use() }
        }
        let outcome = invokeAndWait(world)
        world.expect("it returns") { outcome.isOver && world.signal.slotCount == 0 }
        return [
          { world.drain(world.tasks) }, { world.drain(world.queue) }, { target.value = nil },
        ]
      },
      Scenario("cancel of a task against invokeAndWait") { world in
        world.connect("a", on: world.queue)
        let task = Variable<Task<Void, Never>?>(nil)
        let outcome = invokeAndWait(world, task)
        world.expect("it returns, and the slot is called") {
          outcome.isOver && world.values("a") == [1]
        }
        return [
          { world.drain(world.tasks) }, { world.drain(world.queue) },
          { if let task = task.value { world.cancel(task) } },
        ]
      },
    ]
  }

  /// Starts a task that emits 1 and waits, and then notes the payloads of the slots.
  private func invokeAndWait(
    _ world: World, _ task: Variable<Task<Void, Never>?> = Variable(nil)
  ) -> Outcome<Int> {
    let outcome = Outcome<Int>()
    task.value = world.start {
      await world.emitter?.invokeAndWait(1)
      outcome.values = world.calls.map(\.value)
      outcome.isOver = true
    }
    return outcome
  }
#endif
