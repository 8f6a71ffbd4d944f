#if SO_EXPLORE
  import Dispatch
  import SignalObserver

  /// Slots of two signals that wait for one place.
  private struct Pair {
    let world: World
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
      let bodyOfA = world.body(name ?? "a", actionOfA)
      let bodyOfB = world.body(name ?? "b", actionOfB)
      let second = world.makeOther()
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

    func emitOther(_ value: Int) { world.other?.invoke(value) }

    /// Emits from both in turn, beginning with the scenario's signal.
    func emitInTurn(_ values: Int...) {
      for (index, value) in values.enumerated() {
        if index % 2 == 0 { world.emit(value) } else { emitOther(value) }
      }
    }

    /// The payloads of each thread are in order, one at a time.
    func expectMerged(_ first: [Int], _ second: [Int] = []) {
      world.expect(isMerged(world.payloads, first, second) && world.overlaps.isEmpty)
    }
  }

  /// A scenario of two slots that are connected like this.
  private func paired(
    _ name: String, on place: Pair.Place = .queue, isOneSlot: Bool = false,
    buffering: SignalBuffering = .unbounded, _ parts: @escaping (World, Pair) -> [() -> Void]
  ) -> Scenario {
    Scenario(name, main: place == .main ? 0 : nil) { world in
      parts(world, Pair(world, on: place, name: isOneSlot ? "both" : nil, buffering: buffering))
    }
  }

  /// The actor of two slots of the scenario.
  private actor Keeper {}

  var lineScenarios: [Scenario] { ordered + flooded + ended }

  @Scenarios private var ordered: [Scenario] {
    paired("two signals of two threads against the drain of their line", isOneSlot: true) {
      world, pair in
      pair.expectMerged([1, 2], [3])
      return [{ pair.emitInTurn(1, 2) }, { pair.emitOther(3) }, { world.drain(world.queue) }]
    }
    Scenario("an emission inside of a line against another thread's") { world in
      let pair = Pair(world, name: "both", a: { world.other?.invoke($0 + 10) })
      world.emit(1, 2)
      world.expect(isMerged(world.payloads, [1, 2, 11, 12], [3]) && world.overlaps.isEmpty)
      return [{ world.drain(world.queue) }, { pair.emitOther(3) }]
    }
    paired("a bounded slot beside another against their drain", buffering: .newest(1)) {
      world, pair in
      // The bounded slot gets at least the last payload. Whatever is delivered is delivered in
      // the order of emission.
      world.expect(
        world.b == [2] && world.a.count + pair.a.droppedCount == 3 && world.a.last == 4
          && world.payloads == world.payloads.sorted())
      return [
        {
          pair.emitInTurn(1, 2); world.emit(3, 4)
        }, { world.drain(world.queue) },
      ]
    }
    paired("two signals at once on main against drains", on: .main, isOneSlot: true) {
      world, pair in
      pair.expectMerged([1, 2], [3, 4])
      return [
        {
          pair.emitInTurn(1, 2); world.drain(.main)
        }, { pair.emitInTurn(3, 4) },
      ]
    }
    Scenario("an emission inside of a slot on main against drains", main: 0) { world in
      let pair = Pair(world, on: .main, a: { world.other?.invoke($0 + 10) })
      world.expect(isMerged(world.payloads, [1, 11], [2, 3, 13]))
      return [
        { world.emitOnMain(1) },
        {
          pair.emitOther(2); world.emit(3)
        },
      ]
    }
    paired("two signals against the drain of an actor", on: .actor, isOneSlot: true) {
      world, pair in
      pair.expectMerged([1, 2])
      return [{ pair.emitInTurn(1, 2) }, { world.drain(world.tasks) }]
    }
  }

  /// So many payloads at once that the drain runs again after it has delivered them.
  private let many = Array(1...8)

  @Scenarios private var flooded: [Scenario] {
    paired("an emission and work of the queue against a drain in a flood") { world, pair in
      for value in many { world.emit(value) }
      world.expect(world.payloads == many + [9, 10, 11] && world.calls.last?.name == "work")
      return [
        {
          pair.emitInTurn(9, 10); world.give(world.queue, 11)
        }, { world.drain(world.queue) },
      ]
    }
    paired("an emission against two drains of a concurrent queue in a flood", isOneSlot: true) {
      world, pair in
      for value in many { world.emit(value) }
      pair.expectMerged(many + [9, 10])
      return [
        { pair.emitInTurn(9, 10) }, { world.drain(world.queue) }, { world.drain(world.queue) },
      ]
    }
    paired("cancel of one slot of a line against its drain in a flood") { world, pair in
      for value in many { world.emit(value) }
      world.expect(world.b == [9] && many.starts(with: world.a))
      return [{ pair.emitOther(9) }, { world.drain(world.queue) }, { pair.a.cancel() }]
    }
  }

  @Scenarios private var ended: [Scenario] {
    paired("cancel of both slots of a line against its drain") { world, pair in
      pair.emitInTurn(1, 2)
      world.expect(world.signal.slotCount == 0)
      return [{ world.drain(world.queue) }, { pair.a.cancel() }, { pair.b.cancel() }]
    }
    paired("cancel of a slot that schedules the drain, while the other one waits") { world, pair in
      world.expect(world.b == [2])
      return [{ world.emit(1) }, { pair.a.cancel() }, { pair.emitOther(2) }]
    }
    Scenario("cancel of a slot of a line inside of the other") { world in
      let pair = Pair(world, b: { _ in world.observers["a"]?.cancel() })
      world.observers["a"] = pair.a
      world.expect(world.a == [] && world.b == [1])
      return [
        {
          pair.emitOther(1); world.emit(2, 3)
        }, { world.drain(world.queue) },
      ]
    }
    Scenario("a slot of a line cancels itself, with more taken") { world in
      let pair = Pair(world, a: { _ in world.observers["a"]?.cancel() })
      world.observers["a"] = pair.a
      world.expect(world.a.count == 1 && world.b == [2, 4])
      return [{ pair.emitInTurn(1, 2, 3, 4) }, { world.drain(world.queue) }]
    }
    Scenario("death of a target in a line of two") { world in
      world.makeOther().connect(on: world.queue, world.body("b"))
      let target = Variable<Target?>(Target())
      let a = world.connect("a", to: target.value, on: world.queue)
      world.emit(1)
      world.other?.invoke(2)
      world.expect(a?.isCancelled == true && world.b == [2])
      return [{ world.drain(world.queue) }, { target.value = nil }, { world.emit(3) }]
    }
    paired("suspend of one slot of a line against emissions and its drain") { world, pair in
      let calls = Variable(0)
      world.expect(calls.value == 0 && world.b == [2])
      return [
        { pair.emitInTurn(1, 2, 3) },
        {
          world.drain(world.queue)
          pair.a.suspend()
          let before = world.a.count
          world.drain(world.queue)
          calls.value = world.a.count - before
          pair.a.resume()
        },
      ]
    }
    paired("death of both emitters against the drain of their line") { world, pair in
      world.expect(world.payloads == [1, 2] && pair.a.isCancelled && pair.b.isCancelled)
      return [
        {
          pair.emitInTurn(1, 2)
          world.emitter = nil
          world.other = nil
        }, { world.drain(world.queue) },
      ]
    }
    paired("cancel of one slot of main against drains of both", on: .main) { world, pair in
      let before = Variable(0)
      world.expect(world.b.sorted() == [2, 4] && [[], [3]].contains(world.a))
      world.expect(world.a.count == before.value)
      return [
        {
          pair.emitOther(2)
          world.drain(.main)
          pair.a.cancel()
          before.value = world.a.count
          world.drain(.main)
        }, { pair.emitInTurn(3, 4) },
      ]
    }
    paired("cancel of one slot of an actor against its drain", on: .actor) { world, pair in
      pair.emitInTurn(1, 2)
      world.expect(world.b == [2] && [[], [1]].contains(world.a))
      return [{ world.drain(world.tasks) }, { pair.a.cancel() }]
    }
  }
#endif
