#if SO_EXPLORE
  import Dispatch
  import SignalObserver

  // Scenarios of everything that is built on the kernel: values, operators, bonds, asynchronous
  // slots and sequences.

  var leafScenarios: [Scenario] {
    sets + modifications + operators + combining + bonds + asyncSlots + feeds
  }

  // MARK: - Values

  @Scenarios private var sets: [Scenario] {
    Scenario("two sets of a value with two slots") { world in
      let value = world.makeValue()
      world.connect("a", to: value)
      world.connect("b", to: value)
      world.expect(
        [[0, 1, 2], [0, 2, 1]].contains(world.a) && world.a == world.b
          && world.b.last == value.value?.value && world.overlaps.isEmpty)
      return [{ value.set(1) }, { value.set(2) }]
    }
    Scenario("sets of a value against connections that are cancelled") { world in
      let value = world.makeValue()
      world.connect("a", to: value)
      world.expect(
        world.a.sorted() == [0, 1, 2] && world.overlaps.isEmpty
          && world.b.last == value.value?.value)
      return [
        { value.set(1) },
        {
          // Four items: a thread does two for others, and so does the queue at the end.
          for _ in 0..<2 { value.value?.signal.connect(on: .inline) { _ in }.cancel() }
          world.connect("b", to: value)
          value.set(2)
        },
      ]
    }
    Scenario("sets of a value against two connects") { world in
      let value = world.makeValue()
      world.expect([world.a, world.b].allSatisfy { [[0, 1, 2], [1, 2], [2]].contains($0) })
      return [
        { value.set(1, 2) }, { world.connect("a", to: value) }, { world.connect("b", to: value) },
      ]
    }
    Scenario("sets of a value against reads and a connection to its changes") { world in
      let value = world.makeValue()
      let reads = Variable<[Int]>([])
      world.expect(reads.value == reads.value.sorted() && [[], [12], [1, 12]].contains(world.a))
      return [
        { value.set(1, 2) }, { for _ in 0..<3 { reads.value.append(value.value?.value ?? -1) } },
        connectToChanges(world, value),
      ]
    }
    Scenario("sets of a value against what observes it", main: 0) { world in
      let value = world.makeValue()
      let current = Variable<SignalValue<Int>?>(value.value?.signal)
      let observer = observed { current.value?.value ?? 9 }
        .connect(on: .inline, world.body("a"))
      world.own({ observer.isCancelled ? 0 : 1 }) {
        observer.cancel()
        current.value = nil
      }
      // A value that it has seen may be reported again.
      world.expect(world.a.last == 2 && world.a == world.a.sorted())
      return [{ world.drain(.main) }, { value.set(1, 2) }]
    }
    Scenario("a set of a value against cancel") { world in
      let value = world.makeValue()
      let a = world.connect("a", to: value)
      world.expect(a?.isCancelled == true && [[0], [0, 1]].contains(world.a))
      return [{ value.set(1) }, { a?.cancel() }]
    }
    Scenario("a set in a slot of a value against a set") { world in
      let value = world.makeValue()
      world.connect("a", to: value) { seen in if seen == 1 { value.set(3) } }
      world.expect(
        world.a.sorted() == [0, 1, 2, 3] && world.a.last == value.value?.value
          && world.overlaps.isEmpty)
      return [{ value.set(1) }, { value.set(2) }]
    }
    Scenario("connect in a slot of a value against a set") { world in
      let value = world.makeValue()
      world.connect("a", to: value) { seen in if seen == 1 { world.connect("b", to: value) } }
      world.expect(
        [[1, 2], [2], [1]].contains(world.b) && world.b.last == value.value?.value
          && world.overlaps.isEmpty)
      return [{ value.set(1) }, { value.set(2) }]
    }
    Scenario("sets of a value that are handed on, and its death") { world in
      let value = world.makeValue()
      let a = world.connect("a", to: value)
      let (first, second) = (Variable(value.value), Variable(value.value))
      value.value = nil
      world.expect(
        [[0, 1, 2, 3], [0, 2, 1, 3], [0, 2, 3, 1]].contains(world.a) && world.overlaps.isEmpty
          && a?.isCancelled == true)
      return [
        {
          first.set(1); first.value = nil
        },
        {
          second.set(2, 3); second.value = nil
        }, { world.drain(.global()) },
      ]
    }
    Scenario("cancelling the slots of a target against the turn of one that waits") { world in
      let value = world.makeValue()
      let (target, body) = (Target(), world.body("b"))
      let b = Variable<SignalObserver?>(nil)
      var hasWaited = false
      world.connect("a", to: value)
      world.expect {
        world.reach("it is cancelled before its turn", if: world.b.isEmpty)
        world.reach("its turn is taken first", if: !world.b.isEmpty && hasWaited)
        return b.value?.isCancelled == true && world.a == [0, 1]
      }
      return [
        { value.set(1) },
        {
          let signal = value.value?.signal
          b.value = signal?.connect(target, on: nil) { _, value in body(value) }
          hasWaited = world.b.isEmpty
          signal?.cancelObservers(of: target)
        },
      ]
    }
    Scenario("sets of a value against a drain") { world in
      let value = world.makeValue()
      world.connect("a", to: value, on: world.queue)
      world.expect(world.a == [0, 1, 2])
      return [{ value.set(1, 2) }, { world.drain(world.queue) }]
    }
    Scenario("an emission of a replay against connect") { world in
      let replay = Variable<SignalReplay<Int>?>(world.signal.replay(1))
      guard let source = replay.value else { return [] }
      world.own({ 0 }, { replay.value = nil })
      let observer = Variable<SignalObserver?>(nil)
      world.expect {
        observer.value?.cancel()
        replay.value = nil
        return world.a == [1]
      }
      return [
        { world.emit(1) }, { observer.value = source.connect(on: .inline, world.body("a")) },
      ]
    }
  }

  /// Returns a function that connects a slot to the changes of a value; it notes the old value times
  /// ten, and the new one.
  private func connectToChanges(
    _ world: World, _ value: Variable<EmitterValue<Int>?>
  ) -> () -> Void {
    let body = world.body("a")
    return { value.value?.signal.changes.connect(on: .inline) { body($0.0 * 10 + $0.1) } }
  }

  @Scenarios private var modifications: [Scenario] {
    Scenario("two modifications of a value against a set") { world in
      let value = world.makeValue()
      let increment = { value.value?.modify { $0 += 1 } ?? () }
      world.connect("a", to: value)
      world.expect([[0, 1, 2, 10], [0, 1, 10, 11], [0, 10, 11, 12]].contains(world.a))
      return [increment, increment, { value.set(10) }]
    }
    Scenario("a modification of a value against a read and connections") { world in
      let value = world.makeValue()
      let read = Variable(0)
      world.expect(
        [0, 1].contains(read.value) && world.b.last == 1 && [[], [1]].contains(world.a))
      return [
        { value.value?.modify { $0 += 1 } },
        {
          read.value = value.value?.value ?? 9; world.connect("b", to: value)
        }, connectToChanges(world, value),
      ]
    }
  }

  // MARK: - Operators

  @Scenarios private var operators: [Scenario] {
    Scenario("a prefix of two against three emissions") { world in
      let a = world.signal.prefix(2).connect(on: .inline, world.body("a"))
      world.expect(world.a.count == 2 && a.isCancelled)
      return [{ world.emit(1) }, { world.emit(2) }, { world.emit(3) }]
    }
    Scenario("dropping the first of two emissions") { world in
      world.signal.dropFirst().connect(on: .inline, world.body("a"))
      world.expect(world.a.count == 1)
      return [{ world.emit(1) }, { world.emit(2) }]
    }
    Scenario("two equal emissions without duplicates") { world in
      world.signal.removeDuplicates().connect(on: .inline, world.body("a"))
      world.expect(world.a == [1])
      return [{ world.emit(1) }, { world.emit(1) }]
    }
    Scenario("a scan of two emissions") { world in
      world.signal.scan(0, +).connect(on: .inline, world.body("a"))
      world.expect([[1, 3], [2, 3]].contains(world.a) && world.overlaps.isEmpty)
      return [{ world.emit(1) }, { world.emit(2) }]
    }
    Scenario("a scan of emissions that are handed on, and the emitter's death") { world in
      let a = world.signal.scan(0, +).connect(on: .inline, world.body("a"))
      world.expect {
        world.reach("the emitter dies first", if: world.a.count == 3)
        return [9, 10].contains(world.a.last) && world.a == world.a.sorted()
          && world.a.count == (world.a.last ?? 0) - 6 && world.overlaps.isEmpty && a.isCancelled
      }
      return [{ world.emit(1) }, { world.emitLast(2, 3, 4) }, { world.drain(.global()) }]
    }
    Scenario("a one-shot slot behind a filter, and emissions during its call") { world in
      let a = world.signal.filter { $0 > 1 }.prefix(1).connect(on: world.queue, world.body("a"))
      world.expect(world.a.count == 1 && a.isCancelled)
      return [{ world.emit(1, 2) }, { world.emit(3) }, { world.drain(world.queue) }]
    }
    Scenario("a prefix that ends at a value against an emission") { world in
      let a = world.signal.prefix { $0 < 2 }.connect(on: .inline, world.body("a"))
      world.expect(!world.a.contains(2) && world.a.count <= 2 && a.isCancelled)
      return [{ world.emit(1, 1) }, { world.emit(2) }]
    }
  }

  @Scenarios private var combining: [Scenario] {
    Scenario("a merge of two emitters against cancel") { world in
      let second = world.makeOther()
      let a = merge(world.signal, second).connect(on: .inline, world.body("a"))
      world.expect(a.isCancelled && world.signal.slotCount + second.slotCount == 0)
      return [{ world.emit(1) }, { world.other?.invoke(2) }, { a.cancel() }]
    }
    Scenario("a merge of two emitters that die") { world in
      let second = world.makeOther()
      let a = merge(world.signal, second).connect(on: .inline, world.body("a"))
      world.expect(a.isCancelled)
      return [{ world.emitter = nil }, { world.other = nil }]
    }
    Scenario("the latest of two emitters") { world in
      let second = world.makeOther()
      let body = world.body("a")
      let a = combineLatest(world.signal, second).connect(on: .inline) { body($0 * 10 + $1) }
      world.expect {
        defer { a.cancel() }
        return world.a == [12]
      }
      return [{ world.emit(1) }, { world.other?.invoke(2) }]
    }
    Scenario("the latest of two emitters against cancel") { world in
      let second = world.makeOther()
      let body = world.body("a")
      let a = combineLatest(world.signal, second).connect(on: .inline) { body($0 * 10 + $1) }
      world.expect(world.a.count <= 1 && a.isCancelled)
      return [{ world.emit(1) }, { world.other?.invoke(2) }, { a.cancel() }]
    }
    Scenario("emissions of two emitters that are bound to each other") { world in
      let second = world.makeOther()
      guard let mine = world.emitter, let theirs = world.other else { return [] }
      let (there, back) = (world.signal.bind(to: theirs), second.bind(to: mine))
      world.connect("a")
      world.expect {
        there.cancel()
        back.cancel()
        return world.a.sorted() == [1, 2]
      }
      return [{ mine.invoke(1) }, { theirs.invoke(2) }]
    }
  }

  // MARK: - Bonds

  /// Sets of the first and of the third of three values, of which the first two are bonded.
  private func bothEnds(
    _ name: String, _ join: @escaping (EmitterValue<Int>, EmitterValue<Int>) -> Void
  ) -> Scenario {
    Scenario(name) { world in
      let (first, second, third) = (EmitterValue(0), EmitterValue(0), EmitterValue(0))
      first.bond(givingTo: second)
      join(second, third)
      world.expect {
        defer { second.cancelAllObservers() }
        return first.value == second.value && second.value == third.value
      }
      return [{ first.set(1) }, { third.set(2) }, { world.drain(.global()) }]
    }
  }

  /// A scenario with two bonded values, of which the first is kept.
  private func bonded(
    _ name: String,
    _ parts:
      @escaping (
        World, EmitterValue<Int>, _ other: Variable<EmitterValue<Int>?>, SignalObserver
      ) -> [() -> Void]
  ) -> Scenario {
    Scenario(name) { world in
      let (mine, theirs) = (world.makeValue(), world.makeValue())
      guard let first = mine.value, let bond = theirs.value.map({ first.bond(givingTo: $0) })
      else { return [] }
      return parts(world, first, theirs, bond)
    }
  }

  @Scenarios private var bonds: [Scenario] {
    bonded("sets of both sides of a bond") { world, first, other, bond in
      world.expect {
        defer { bond.cancel() }
        return first.value == other.value?.value && [1, 2].contains(first.value)
      }
      return [{ first.set(1) }, { other.set(2) }]
    }
    bonded("a set of one side of a bond against cancel") { world, first, other, bond in
      world.expect(bond.isCancelled && [0, 1].contains(other.value?.value))
      return [{ first.set(1) }, { bond.cancel() }]
    }
    bonded("a set of one side of a bond against the death of the other") {
      world, first, other, bond in
      world.expect(bond.isCancelled && first.value == 1)
      return [{ first.set(1) }, { other.value = nil }]
    }
    Scenario("a new bond against sets of both sides") { world in
      // It cannot be compared.
      struct Payload: Sendable { let number: Int }
      let (mine, theirs) = (EmitterValue(Payload(number: 0)), EmitterValue(Payload(number: 3)))
      world.expect(mine.value.number == theirs.value.number)
      return [
        { mine.bond(givingTo: theirs) },
        {
          mine.set(Payload(number: 1)); theirs.set(Payload(number: 2))
        },
        // What is handed on.
        { world.drain(.global()) },
      ]
    }
    bothEnds("sets at both ends of two bonds") { $0.bond(givingTo: $1) }
    bothEnds("sets at both ends of a bond and of two bindings") { second, third in
      second.signal.bind(to: third)
      third.signal.bind(to: second)
    }
  }

  // MARK: - Asynchronous slots

  extension World {
    /// Connects an asynchronous slot, which notes its calls.
    @discardableResult
    fileprivate func connectAsync(_ name: String) -> SignalObserver {
      let body = body(name)
      return signal.connect { (value: Int) async in body(value) }
    }
  }

  @Scenarios private var asyncSlots: [Scenario] {
    Scenario("emissions against the task of an asynchronous slot") { world in
      world.connectAsync("a")
      world.expect(isMerged(world.a, [1, 2], [3]) && world.overlaps.isEmpty)
      return [{ world.emit(1, 2) }, { world.emit(3) }, { world.drain(world.tasks) }]
    }
    Scenario("cancel against the task of an asynchronous slot") { world in
      let a = world.connectAsync("a")
      world.expect(a.isCancelled && world.a.count <= 1)
      return [{ world.emit(1) }, { a.cancel() }, { world.drain(world.tasks) }]
    }
    Scenario("death of the emitter against the task of an asynchronous slot") { world in
      let a = world.connectAsync("a")
      world.expect(world.a == [1] && a.isCancelled)
      return [{ world.emitLast(1) }, { world.drain(world.tasks) }]
    }
    Scenario("death of a target against the task of its asynchronous slot") { world in
      let target = Variable<Target?>(Target())
      if let target = target.value {
        world.signal.connect(target) { (target: Target, _: Int) async in target.use() }
      }
      world.expect(world.signal.slotCount == 0)
      return [{ world.emit(1) }, { target.value = nil }, { world.drain(world.tasks) }]
    }
  }

  // MARK: - Sequences

  @Scenarios private var feeds: [Scenario] {
    Scenario("a feed that is closed while it receives") { world in
      let values = Variable<SignalValues<Int>?>(world.signal.values)
      world.expect(world.signal.slotCount == 0)
      return [{ world.emit(1, 2) }, { values.value = nil }]
    }
    Scenario("two iterators of a feed against an emission and its end") { world in
      let values = world.signal.values
      let outcomes = (0..<2).map { _ in
        // Only one task uses it.
        nonisolated(unsafe) let own = values.makeAsyncIterator()
        return Outcome(world) {
          var (iterator, seen) = (unsafe own, [Int]())
          while let value = await iterator.next() { seen.append(value) }
          return seen
        }
      }
      world.expect(outcomes.allSatisfy { $0.isOver && $0.values == [1] })
      return [{ world.drain(world.tasks) }, { world.emitLast(1) }]
    }
    Scenario("cancel of a task against next of a filter and emissions") { world in
      let signal = world.signal
      let outcome = Outcome(world) {
        [await signal.filter { $0 == 2 }.next()].compactMap(\.self)
      }
      world.expect(
        outcome.isOver && [[2], []].contains(outcome.values) && world.signal.slotCount == 0)
      return [
        { world.drain(world.tasks) }, { world.emit(1, 2) }, { world.cancel(outcome.task) },
      ]
    }
    Scenario("cancel of a task against a loop and the death of the emitter") { world in
      let outcome = Outcome(world, world.signal.values)
      world.expect(outcome.isOver && [[], [1], [1, 2]].contains(outcome.values))
      return [
        { world.drain(world.tasks) }, { world.emitLast(1, 2) }, { world.cancel(outcome.task) },
      ]
    }
    Scenario("a feed of one that keeps the newest against its loop") { world in
      let values = world.signal.values(buffering: .newest(1))
      let outcome = Outcome(world, values)
      world.expect(
        outcome.isOver && outcome.values.last == 3 && outcome.values == outcome.values.sorted()
          && outcome.values.count + values.droppedCount == 3)
      return [{ world.drain(world.tasks) }, { world.emitLast(1, 2, 3) }]
    }
  }
#endif
