#if SO_EXPLORE
  import Dispatch
  import SignalObserver

  /// Slots of two signals that wait for one place.
  private struct Pair {
    let world: World
    let other: Variable<EmitterArg<Int>?>
    let a: SignalObserver
    let b: SignalObserver

    enum Place {
      case queue, main, actor
    }

    /// Connects `a` to the scenario's signal and `b` to another one, on the scenario's queue, the
    /// main queue or an actor.
    ///
    /// With `name`, both slots have one name, so that overlapping calls are found.
    init(
      _ world: World, on place: Place = .queue, name: String? = nil,
      buffering: SignalBuffering = .unbounded,
      a actionOfA: @escaping (Int) -> Void = { _ in },
      b actionOfB: @escaping (Int) -> Void = { _ in }
    ) {
      self.world = world
      other = world.makeEmitter()
      let bodyOfA = world.body(name ?? "a", actionOfA)
      let bodyOfB = world.body(name ?? "b", actionOfB)
      let second = other.value?.signal ?? world.signal
      switch place {
      case .queue:
        a = world.signal.buffering(buffering).connect(on: world.queue, bodyOfA)
        b = second.connect(on: world.queue, bodyOfB)
      case .main:
        a = world.signal.connect { bodyOfA($0) }
        b = second.connect { bodyOfB($0) }
      case .actor:
        let keeper = Keeper()
        world.own({ 0 }, { withExtendedLifetime(keeper) {} })
        a = world.signal.connect(keeper) { _, value in bodyOfA(value) }
        b = second.connect(keeper) { _, value in bodyOfB(value) }
      }
    }

    func emitOther(_ value: Int) { other.value?.invoke(value) }

    /// Emits from both in turn, beginning with the scenario's signal.
    func emitInTurn(_ values: Int...) {
      for (index, value) in values.enumerated() {
        if index % 2 == 0 { world.emit(value) } else { emitOther(value) }
      }
    }

    /// All calls, in order.
    var values: [Int] { world.calls.map(\.value) }

    func expectMerged(_ first: [Int], _ second: [Int]) {
      world.expect("each thread's in order, one at a time") { [world] in
        isMerged(world.calls.map(\.value), first, second) && world.overlaps.isEmpty
      }
    }
  }

  /// Whether `all` contains each of `values` once, in this order.
  private func areInOrder(_ values: [Int], in all: [Int]) -> Bool {
    all.filter { values.contains($0) } == values
  }

  /// The actor of two slots of the scenario.
  private actor Keeper {}

  var lineScenarios: [Scenario] { ordered + flooded + ended + onMain + onActor }

  private var ordered: [Scenario] {
    [
      Scenario("two signals against the drain of their line") { world in
        let pair = Pair(world)
        world.expect("in the order of emission") { pair.values == [1, 2, 3] }
        return [{ pair.emitInTurn(1, 2, 3) }, { world.drain(world.queue) }]
      },
      Scenario("two signals of two threads against the drain of their line") { world in
        let pair = Pair(world, name: "both")
        pair.expectMerged([1, 2], [3])
        return [
          { pair.emitInTurn(1, 2) }, { pair.emitOther(3) }, { world.drain(world.queue) },
        ]
      },
      Scenario("two signals against two drains of a concurrent queue") { world in
        let pair = Pair(world, name: "both")
        pair.expectMerged([1, 2], [])
        return [
          { pair.emitInTurn(1, 2) }, { world.drain(world.queue) }, { world.drain(world.queue) },
        ]
      },
      Scenario("an emission inside of a line against another thread's") { world in
        let inner = Variable<EmitterArg<Int>?>(nil)
        let pair = Pair(world, name: "both", a: { inner.value?.invoke($0 + 10) })
        inner.value = pair.other.value
        world.own({ 0 }, { inner.value = nil })
        world.emit(1, 2)
        world.expect("behind what waited when it was made") {
          areInOrder([1, 2, 11, 12], in: pair.values) && pair.values.count == 5
            && world.overlaps.isEmpty
        }
        return [{ world.drain(world.queue) }, { pair.emitOther(3) }]
      },
      Scenario("a bounded slot beside another against their drain") { world in
        let pair = Pair(world, buffering: .newest(1))
        world.expect("the newest, in their places; the rest is counted") {
          // The bounded slot gets at least the last payload. Whatever is delivered is delivered in
          // the order of emission.
          world.values("b") == [2] && world.values("a").count + pair.a.droppedCount == 3
            && world.values("a").last == 4 && pair.values == pair.values.sorted()
        }
        return [
          {
            pair.emitInTurn(1, 2)
            world.emit(3, 4)
          }, { world.drain(world.queue) },
        ]
      },
    ]
  }

  /// Scenarios with so many payloads at once that the drain runs again after it has delivered them.
  private var flooded: [Scenario] {
    let many = Array(1...8)
    func flood(_ world: World) { for value in many { world.emit(value) } }
    return [
      Scenario("an emission and work of the queue against a drain in a flood") { world in
        let pair = Pair(world)
        flood(world)
        world.expect("in the order of emission, before the work") {
          pair.values == many + [9, 10, 11] && world.calls.last?.name == "work"
        }
        return [
          {
            world.emit(9)
            pair.emitOther(10)
            world.give(world.queue, 11)
          }, { world.drain(world.queue) },
        ]
      },
      Scenario("an emission against two drains of a concurrent queue in a flood") { world in
        let pair = Pair(world, name: "both")
        flood(world)
        pair.expectMerged(many + [9, 10], [])
        return [
          { pair.emitInTurn(9, 10) }, { world.drain(world.queue) }, { world.drain(world.queue) },
        ]
      },
      Scenario("cancel of one slot of a line against its drain in a flood") { world in
        let pair = Pair(world)
        flood(world)
        world.expect("the other gets its own") {
          world.values("b") == [9] && many.starts(with: world.values("a"))
        }
        return [
          { pair.emitOther(9) }, { world.drain(world.queue) }, { pair.a.cancel() },
        ]
      },
      Scenario("death of a target against its drain in a flood") { world in
        let target = Variable<Target?>(Target())
        if let target = target.value { world.connect("a", to: target, on: world.queue) }
        flood(world)
        world.expect("what the slot holds is gone") { world.captures == 0 }
        return [
          { world.drain(world.queue) },
          {
            target.value = nil
            world.emit(9)
          },
        ]
      },
    ]
  }

  private var ended: [Scenario] {
    [
      Scenario("cancel of one slot of a line against its drain") { world in
        let pair = Pair(world)
        pair.emitInTurn(1, 2, 3)
        world.expect("the other gets its own") {
          world.values("b") == [2] && [[], [1], [1, 3]].contains(world.values("a"))
        }
        return [{ world.drain(world.queue) }, { pair.a.cancel() }]
      },
      Scenario("cancel of both slots of a line against its drain") { world in
        let pair = Pair(world)
        pair.emitInTurn(1, 2)
        world.expect("nobody is left") { world.signal.slotCount == 0 }
        return [{ world.drain(world.queue) }, { pair.a.cancel() }, { pair.b.cancel() }]
      },
      Scenario("cancel of a slot of a line inside of the other") { world in
        let victim = Variable<SignalObserver?>(nil)
        let pair = Pair(world, b: { _ in victim.value?.cancel() })
        victim.value = pair.a
        world.expect("it is not called after that") {
          world.values("a") == [] && world.values("b") == [1]
        }
        return [
          {
            pair.emitOther(1)
            world.emit(2, 3)
          }, { world.drain(world.queue) },
        ]
      },
      Scenario("a slot of a line cancels itself, with more in hand") { world in
        let own = Variable<SignalObserver?>(nil)
        let pair = Pair(world, a: { _ in own.value?.cancel() })
        own.value = pair.a
        world.own({ 0 }, { own.value = nil })
        world.expect("it is called once, and the other gets its own") {
          world.values("a").count == 1 && world.values("b") == [2, 4]
        }
        return [{ pair.emitInTurn(1, 2, 3, 4) }, { world.drain(world.queue) }]
      },
      Scenario("death of a target in a line of two") { world in
        let other = world.makeEmitter()
        other.value?.signal.connect(on: world.queue, world.body("b"))
        let target = Variable<Target?>(Target())
        let a = target.value.map { target in
          world.signal.connect(target, on: world.queue) { target, _ in target.use() }
        }
        world.emit(1)
        other.value?.invoke(2)
        world.expect("it is gone, and the other gets its own") {
          a?.isCancelled == true && world.values("b") == [2]
        }
        return [{ world.drain(world.queue) }, { target.value = nil }, { world.emit(3) }]
      },
      Scenario("suspend of one slot of a line against emissions and its drain") { world in
        let pair = Pair(world)
        let calls = Variable(0)
        world.expect("nothing while it is suspended, and the other gets its own") {
          calls.value == 0 && world.values("b") == [2]
        }
        return [
          { pair.emitInTurn(1, 2, 3) },
          {
            world.drain(world.queue)
            pair.a.suspend()
            let before = world.values("a").count
            world.drain(world.queue)
            calls.value = world.values("a").count - before
            pair.a.resume()
          },
        ]
      },
      Scenario("death of both emitters against the drain of their line") { world in
        let pair = Pair(world)
        world.expect("what was sent is delivered, in order, and both end") {
          pair.values == [1, 2] && pair.a.isCancelled && pair.b.isCancelled
        }
        return [
          {
            pair.emitInTurn(1, 2)
            world.emitter = nil
            pair.other.value = nil
          }, { world.drain(world.queue) },
        ]
      },
    ]
  }

  private var onMain: [Scenario] {
    [
      Scenario("two signals at once on main against drains", main: 0) { world in
        let pair = Pair(world, on: .main, name: "both")
        pair.expectMerged([1, 2], [3, 4])
        return [
          {
            pair.emitInTurn(1, 2)
            world.drain(.main)
          }, { pair.emitInTurn(3, 4) },
        ]
      },
      Scenario("an emission inside of a slot on main against drains", main: 0) { world in
        let inner = Variable<EmitterArg<Int>?>(nil)
        let pair = Pair(world, on: .main, a: { inner.value?.invoke($0 + 10) })
        inner.value = pair.other.value
        world.own({ 0 }, { inner.value = nil })
        world.expect("each thread's in order") {
          areInOrder([1, 11], in: pair.values) && areInOrder([2, 3, 13], in: pair.values)
            && pair.values.count == 5
        }
        return [
          {
            world.emit(1)
            world.drain(.main)
          },
          {
            pair.emitOther(2)
            world.emit(3)
          },
        ]
      },
      Scenario("cancel of one slot of main against drains of both", main: 0) { world in
        let pair = Pair(world, on: .main)
        world.expect("the other gets its own, and nothing is delivered after cancel") {
          world.values("b").sorted() == [2, 4] && isSome(world.values("a"), of: [3])
        }
        return [
          {
            pair.emitOther(2)
            world.drain(.main)
            pair.a.cancel()
          }, { pair.emitInTurn(3, 4) },
        ]
      },
    ]
  }

  private var onActor: [Scenario] {
    [
      Scenario("two signals against the drain of an actor") { world in
        let pair = Pair(world, on: .actor, name: "both")
        pair.expectMerged([1, 2], [])
        return [{ pair.emitInTurn(1, 2) }, { world.drain(world.tasks) }]
      },
      Scenario("cancel of one slot of an actor against its drain") { world in
        let pair = Pair(world, on: .actor)
        pair.emitInTurn(1, 2)
        world.expect("the other gets its own") {
          world.values("b") == [2] && [[], [1]].contains(world.values("a"))
        }
        return [{ world.drain(world.tasks) }, { pair.a.cancel() }]
      },
    ]
  }
#endif
