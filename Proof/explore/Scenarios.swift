#if SO_EXPLORE
  import Dispatch
  import SignalObserver

  /// A few threads that use one signal at once, and what must be true in the end, whichever order
  /// they run in.
  struct Scenario {
    let name: String
    /// The thread that plays the main queue.
    var main: Int?
    /// Prepares the scenario, and returns the function of each thread.
    let parts: (World) -> [() -> Void]

    init(_ name: String, main: Int? = nil, _ parts: @escaping (World) -> [() -> Void]) {
      (self.name, self.main, self.parts) = (name, main, parts)
    }
  }

  @resultBuilder
  enum Scenarios {
    static func buildBlock(_ scenarios: Scenario...) -> [Scenario] { scenarios }
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
    emitting + cancelling + targets + queues + ending + nesting + sequences + waiting
      + lineScenarios + endScenarios + leafScenarios
  }

  @Scenarios private var emitting: [Scenario] {
    Scenario("emissions against suspend, resume and cancel") { world in
      let a = world.connect("a")
      world.connect("b")
      world.expect(
        a.isCancelled && !a.isSuspended && isSome(world.a, of: [1, 2]) && world.b == [1, 2])
      return [
        { world.emit(1, 2) },
        {
          a.suspend(); a.resume()
        }, { a.cancel() },
      ]
    }
    Scenario("two connects against an emission") { world in
      // Both stay, in one order for all.
      world.expect {
        world.emit(2)
        return isSome(world.a, of: [1, 2]) && world.names(2).sorted() == ["a", "b"]
          && (world.names(1).count < 2 || world.names(1) == world.names(2))
      }
      return [{ world.connect("a") }, { world.connect("b") }, { world.emit(1) }]
    }
    Scenario("growth during emissions") { world in
      let names = ["a", "b", "c", "d"]
      for name in names { world.connect(name) }
      world.expect(
        [1, 2].allSatisfy { Array(world.names($0).prefix(4)) == names }
          && world.signal.slotCount == 5)
      return [{ world.emit(1) }, { world.connect("e") }, { world.emit(2) }]
    }
    Scenario("first connect against cancelAllObservers") { world in
      // All of it is left, or none.
      world.expect {
        world.emit(2)
        return world.a.filter { $0 == 2 }.count == world.signal.slotCount
      }
      return [
        { world.connect("a") }, { world.emitter?.cancelAllObservers() }, { world.emit(1) },
      ]
    }
    Scenario("connect in a slot against its cancel") { world in
      let a = world.connect("a") { value in if value == 1 { world.connect("b") } }
      world.expect(world.signal.slotCount == world.a.filter { $0 == 1 }.count)
      return [{ world.emit(1) }, { a.cancel() }]
    }
    Scenario("connect in a slot against the death of the emitter") { world in
      let b = Variable<SignalObserver?>(nil)
      let emitter = world.emitter
      world.connect("a") { _ in b.value = world.connect("b") }
      world.expect(b.value?.isCancelled != false)
      return [{ emitter?.invoke(1) }, { world.emitter = nil }]
    }
    Scenario("connect in a slot to a queue against a drain") { world in
      world.connect("a") { value in if value == 1 { world.connect("b", on: world.queue) } }
      world.expect(world.a == [1, 2] && world.b == [2])
      return [{ world.emit(1, 2) }, { world.drain(world.queue) }]
    }
    Scenario("connect in a slot against connect") { world in
      world.connect("a") { value in if value == 1 { world.connect("b") } }
      world.expect {
        world.emit(2)
        return world.names(2).sorted() == ["a", "b", "c"]
      }
      return [{ world.emit(1) }, { world.connect("c") }]
    }
  }

  @Scenarios private var cancelling: [Scenario] {
    Scenario("emissions against cancel") { world in
      let a = world.connect("a")
      world.connect("b")
      let before = Variable(0)
      world.expect(
        world.b == [1, 2] && isSome(world.a, of: [1, 2]) && world.a.count <= before.value + 1)
      return [
        { world.emit(1, 2) },
        {
          a.cancel(); before.value = world.a.count
        },
      ]
    }
    Scenario("a slot cancels itself during another emission") { world in
      world.observers["a"] = world.connect("a") { _ in world.observers["a"]?.cancel() }
      world.connect("b")
      world.expect(world.b.sorted() == [1, 2] && (1...2).contains(world.a.count))
      return [{ world.emit(1) }, { world.emit(2) }]
    }
    Scenario("a slot is cancelled inside of its own emission, against another one") { world in
      let a = world.connect("a") { value in if value == 1 { world.emit(2) } }
      world.connect("b") { value in if value == 2 { a.cancel() } }
      world.expect(world.b.sorted() == [1, 2, 3])
      return [{ world.emit(1) }, { world.emit(3) }]
    }
    Scenario("a slot cancels the next during another emission") { world in
      world.connect("a") { value in if value == 1 { world.observers["b"]?.cancel() } }
      world.observers["b"] = world.connect("b")
      world.expect(!world.b.contains(1))
      return [{ world.emit(1) }, { world.emit(2) }]
    }
    Scenario("connect and cancel while an emission enters") { world in
      let a = world.connect("a")
      let b = world.handed(SignalObserver?.none)
      world.expect([[], ["a"], ["b"], ["a", "b"]].contains(world.names(1)))
      return [
        { world.emit(1) },
        {
          a.cancel(); b.value = world.connect("b")
        }, { b.value?.cancel() },
      ]
    }
    Scenario("compaction during an emission") { world in
      let observers = (0..<10).map { world.connect("\($0)") }
      for observer in observers.prefix(8) { observer.cancel() }
      world.expect(world.values("9").sorted() == [1, 2] && world.signal.slotCount == 2)
      return [
        { world.emit(1) },
        {
          observers[8].cancel(); world.connect("a")
        }, { world.emit(2) },
      ]
    }
    Scenario("captures that emit when they are released") { world in
      let emitter = EmitterArg<Int>()
      let captured = Variable<Capture?>(Capture { world.emit(2) })
      let a = emitter.signal.connect(on: .inline) { [captured = captured.value] _ in
        captured?.use()
      }
      captured.value = nil
      world.connect("b")
      world.expect(world.b == [2])
      return [{ emitter.invoke(1) }, { a.cancel() }]
    }
    Scenario("cancelAllObservers against cancel and an emission") { world in
      let a = world.connect("a")
      world.connect("b")
      world.expect(world.signal.slotCount == 0)
      return [{ world.emit(1) }, { world.emitter?.cancelAllObservers() }, { a.cancel() }]
    }
  }

  @Scenarios private var targets: [Scenario] {
    Scenario("death of a target against two emissions") { world in
      let target = Variable<Target?>(Target())
      world.connect("a", to: target.value)
      world.expect(world.signal.slotCount == 0)
      return [{ world.emit(1) }, { target.value = nil }, { world.emit(2) }]
    }
    Scenario("death of a target against cancel and slotCount") { world in
      let target = Variable<Target?>(Target())
      let a = world.connect("a", to: target.value)
      world.expect(world.signal.slotCount == 0 && a?.isCancelled == true)
      return [{ target.value = nil }, { a?.cancel() }, { _ = world.signal.slotCount }]
    }
    Scenario("sweep of dead targets against an emission") { world in
      for name in ["a", "b", "c", "d"] { world.connect(name, to: Target()) }
      world.expect(world.signal.slotCount == 1 && world.calls.allSatisfy { $0.name == "e" })
      return [{ world.connect("e") }, { world.emit(1) }]
    }
    Scenario("two sweeps of dead targets") { world in
      for name in ["a", "b", "c"] { world.connect(name, to: Target()) }
      world.connect("d")
      world.expect {
        world.emit(1)
        return world.signal.slotCount == 3 && world.names(1).first == "d"
      }
      return [{ world.connect("e") }, { world.connect("f") }]
    }
  }

  @Scenarios private var queues: [Scenario] {
    Scenario("emissions against cancel on the queue") { world in
      let a = world.connect("a", on: world.queue)
      let before = Variable(0)
      world.expect(world.a.count == before.value)
      return [
        { world.emit(1, 2) },
        {
          world.drain(world.queue)
          a.cancel()
          before.value = world.a.count
          world.drain(world.queue)
        },
      ]
    }
    Scenario("payloads against cancel and a drain") { world in
      let emitter = EmitterArg<Capture>()
      let alive = Variable(2)
      let a = emitter.signal.connect(on: world.queue) { $0.use() }
      world.expect(alive.value == 0)
      let emit = { for _ in 0..<2 { emitter.invoke(Capture { alive.value -= 1 }) } }
      return [emit, { world.drain(world.queue) }, { a.cancel() }]
    }
    Scenario("an emission at once after another thread's", main: 0) { world in
      world.connectOnMain("a")
      let (isSent, isAfter) = (Variable(false), Variable(false))
      world.expect(!isAfter.value || world.a == [1, 2])
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
    }
    Scenario("cancel against an emission at once", main: 0) { world in
      let a = world.connectOnMain("a")
      world.expect(world.signal.slotCount == 0)
      return [{ world.emitOnMain(1) }, { a.cancel() }, { world.emit(2) }]
    }
  }

  @Scenarios private var ending: [Scenario] {
    Scenario("death of the emitter against slotCount") { world in
      let a = world.connect("a")
      world.connect("b")
      world.expect(a.isCancelled && world.signal.slotCount == 0)
      return [
        { world.emitter = nil }, { _ = world.signal.slotCount }, { _ = world.signal.slotCount },
      ]
    }
    Scenario("death of the emitter against connect") { world in
      let observers = Variable<[SignalObserver]>([])
      world.expect(observers.value.allSatisfy(\.isCancelled))
      return [
        { world.emitter = nil }, { observers.value.append(world.connect("a")) },
        { observers.value.append(world.connect("b", on: world.queue)) },
      ]
    }
    Scenario("death of the emitter against two cancels") { world in
      let (a, b) = (world.connect("a"), world.connect("b", on: world.queue))
      world.emit(1)
      world.expect(a.isCancelled && b.isCancelled)
      return [
        { world.emitter = nil },
        {
          a.cancel(); b.cancel()
        }, { b.cancel() },
      ]
    }
    Scenario("death of the emitter against that of a target") { world in
      let target = Variable<Target?>(Target())
      let a = world.connect("a", to: target.value)
      world.expect(a?.isCancelled == true)
      return [{ world.emitter = nil }, { target.value = nil }, { _ = a?.isCancelled }]
    }
  }

  @Scenarios private var nesting: [Scenario] {
    Scenario("emissions of the same signal in slots of two threads") { world in
      world.connect("a") { value in if value < 10 { world.emit(value + 10) } }
      world.connect("b")
      world.expect(isMerged(world.b, [1, 11], [2, 12]) && isMerged(world.a, [1, 11], [2, 12]))
      return [{ world.emit(1) }, { world.emit(2) }]
    }
    Scenario("cancel in an inner emission against another thread's") { world in
      world.connect("a") { value in if value == 1 { world.emit(3) } }
      world.observers["b"] = world.connect("b") { if $0 == 3 { world.observers["b"]?.cancel() } }
      // It first gets what the outer one owes it.
      world.expect(world.b.contains(1))
      return [{ world.emit(1) }, { world.emit(2) }]
    }
  }

  // MARK: - Asynchronous code

  /// The payloads that a task has received, and whether it has ended.
  final class Outcome: @unchecked Sendable {
    // Only the thread with the baton uses it.
    var values: [Int] = []
    var isOver = false
    var task: Task<Void, Never>?

    /// Starts a task that receives a sequence, up to a payload that is the last that it wants.
    init(_ world: World, _ sequence: SignalValues<Int>, upTo last: Int? = nil) {
      task = world.start {
        for await value in sequence {
          self.values.append(value)
          if value == last { break }
        }
        self.isOver = true
      }
    }

    /// Starts a task that runs `body`.
    init(_ world: World, _ body: @escaping @Sendable () async -> [Int]) {
      task = world.start {
        self.values = await body()
        self.isOver = true
      }
    }
  }

  @Scenarios private var sequences: [Scenario] {
    Scenario("emissions against the call of values") { world in
      let values = Variable<SignalValues<Int>?>(nil)
      // It has what was emitted from then on, to the end.
      world.expect {
        guard let sequence = values.value else { return false }
        values.value = nil
        let outcome = Outcome(world, sequence)
        world.emitter = nil
        world.settle()
        return outcome.isOver && [[], [2], [1, 2]].contains(outcome.values)
      }
      return [{ values.value = world.signal.values }, { world.emit(1, 2) }]
    }
    Scenario("emissions against a loop over values") { world in
      let outcome = Outcome(world, world.signal.values, upTo: 3)
      world.expect(
        outcome.isOver && world.signal.slotCount == 0
          && [[2, 3], [1, 2, 3], [2, 1, 3]].contains(outcome.values))
      return [{ world.drain(world.tasks) }, { world.emit(1) }, { world.emit(2, 3) }]
    }
    Scenario("death of the emitter against next") { world in
      let signal = world.signal
      let outcome = Outcome(world) { [await signal.next()].compactMap(\.self) }
      world.expect(
        outcome.isOver && [[1], []].contains(outcome.values) && world.signal.slotCount == 0)
      return [{ world.drain(world.tasks) }, { world.emitLast(1) }]
    }
  }

  @Scenarios private var waiting: [Scenario] {
    Scenario("invokeAndWait against a drain and an emission") { world in
      world.connect("a", on: world.queue)
      let outcome = invokeAndWait(world)
      // It returns after its own delivery.
      world.expect(
        outcome.isOver && outcome.values.contains(1) && world.a.sorted() == [1, 2])
      return [{ world.drain(world.tasks) }, { world.drain(world.queue) }, { world.emit(2) }]
    }
    Scenario("invokeAndWait against cancel") { world in
      let a = world.connect("a", on: world.queue)
      let outcome = invokeAndWait(world)
      world.expect(outcome.isOver && [[], [1]].contains(world.a))
      return [{ world.drain(world.tasks) }, { world.drain(world.queue) }, { a.cancel() }]
    }
    Scenario("invokeAndWait against the death of a target") { world in
      let target = Variable<Target?>(Target())
      world.connect("a", to: target.value, on: world.queue)
      let outcome = invokeAndWait(world)
      world.expect(outcome.isOver && world.signal.slotCount == 0)
      return [
        { world.drain(world.tasks) }, { world.drain(world.queue) }, { target.value = nil },
      ]
    }
    Scenario("cancel of a task against invokeAndWait") { world in
      world.connect("a", on: world.queue)
      let outcome = invokeAndWait(world)
      world.expect(outcome.isOver && world.a == [1])
      return [
        { world.drain(world.tasks) }, { world.drain(world.queue) }, { world.cancel(outcome.task) },
      ]
    }
  }

  /// Starts a task that emits 1 and waits, and then notes the payloads of the slots.
  private func invokeAndWait(_ world: World) -> Outcome {
    Outcome(world) {
      await world.emitter?.invokeAndWait(1)
      return world.payloads
    }
  }
#endif
