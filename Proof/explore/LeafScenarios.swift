#if SO_EXPLORE
  import Dispatch
  import SignalObserver

  // Scenarios of everything that is built on the kernel (values, operators, bonds, asynchronous
  // slots, sequences), and of connections that are made during a delivery.

  var leafScenarios: [Scenario] {
    values + connections + operators + combining + bonds + asyncSlots + feeds
  }

  /// Whether `values` rise, by one or more at a time.
  private func goesUp(_ values: [Int]) -> Bool {
    zip(values, values.dropFirst()).allSatisfy { $0 < $1 }
  }

  // MARK: - Values

  private var values: [Scenario] {
    [
      Scenario("two sets of a value") { world in
        let value = world.makeValue()
        value.value?.signal.connect(on: .inline, world.body("a"))
        world.expect("all of them, the newest last, one at a time") {
          let seen = world.values("a")
          return [[0, 1, 2], [0, 2, 1]].contains(seen) && seen.last == value.value?.value
            && world.overlaps.isEmpty
        }
        return [{ value.value?.set(1) }, { value.value?.set(2) }]
      },
      Scenario("two sets of a value with two slots") { world in
        let value = world.makeValue()
        value.value?.signal.connect(on: .inline, world.body("a"))
        value.value?.signal.connect(on: .inline, world.body("b"))
        world.expect("both the same") {
          world.values("a") == world.values("b") && world.values("b").last == value.value?.value
        }
        return [{ value.value?.set(1) }, { value.value?.set(2) }]
      },
      Scenario("sets of a value against connect") { world in
        let value = world.makeValue()
        world.expect("the current one and what follows") {
          [[0, 1, 2], [1, 2], [2]].contains(world.values("a"))
        }
        return [
          {
            value.value?.set(1); value.value?.set(2)
          }, { value.value?.signal.connect(on: .inline, world.body("a")) },
        ]
      },
      Scenario("sets of a value against connections that are cancelled") { world in
        let value = world.makeValue()
        value.value?.signal.connect(on: .inline, world.body("a"))
        world.expect("every set once, one at a time, and the last connection") {
          world.values("a").sorted() == [0, 1, 2] && world.overlaps.isEmpty
            && world.values("b").last == value.value?.value
        }
        return [
          { value.value?.set(1) },
          {
            for _ in 0..<3 { value.value?.signal.connect(on: .inline) { _ in }.cancel() }
            value.value?.set(2)
            value.value?.signal.connect(on: .inline, world.body("b"))
          },
        ]
      },
      Scenario("a set of a value against two connects") { world in
        let value = world.makeValue()
        world.expect("both end on the newest") {
          ["a", "b"].allSatisfy { [[0, 1], [1]].contains(world.values($0)) }
        }
        return [
          { value.value?.set(1) }, { value.value?.signal.connect(on: .inline, world.body("a")) },
          { value.value?.signal.connect(on: .inline, world.body("b")) },
        ]
      },
      Scenario("sets of a value against a connection to its changes") { world in
        let value = world.makeValue()
        let body = world.body("a")
        world.expect("each change once, and none before") {
          [[], [12], [1, 12]].contains(world.values("a"))
        }
        return [
          {
            value.value?.set(1); value.value?.set(2)
          },
          {
            value.value?.signal.changes.connect(on: .inline) { change in
              body(change.0 * 10 + change.1)
            }
          },
        ]
      },
      Scenario("two modifications of a value") { world in
        let value = world.makeValue()
        value.value?.signal.connect(on: .inline, world.body("a"))
        world.expect("neither is lost") { world.values("a") == [0, 1, 2] }
        return [{ value.value?.modify { $0 += 1 } }, { value.value?.modify { $0 += 1 } }]
      },
      Scenario("a modification of a value against a set") { world in
        let value = world.makeValue()
        value.value?.signal.connect(on: .inline, world.body("a"))
        world.expect("one after the other") {
          [[0, 1, 10], [0, 10, 11]].contains(world.values("a"))
        }
        return [{ value.value?.modify { $0 += 1 } }, { value.value?.set(10) }]
      },
      Scenario("a modification of a value against a read and a connection") { world in
        let value = world.makeValue()
        let read = Variable<[Int]>([])
        world.expect("both find it changed or not") {
          read.value.allSatisfy { [0, 1].contains($0) } && world.values("a").last == 1
        }
        return [
          { value.value?.modify { $0 += 1 } },
          {
            read.value.append(value.value?.value ?? 9)
            value.value?.signal.connect(on: .inline, world.body("a"))
          },
        ]
      },
      Scenario("a modification of a value against a connection to its changes") { world in
        let value = world.makeValue()
        let body = world.body("a")
        world.expect("the old value is that of before") { [[], [1]].contains(world.values("a")) }
        return [
          { value.value?.modify { $0 += 1 } },
          {
            value.value?.signal.changes.connect(on: .inline) { change in
              body(change.0 * 10 + change.1)
            }
          },
        ]
      },
      Scenario("sets of a value against reads") { world in
        let value = world.makeValue()
        let reads = Variable<[Int]>([])
        world.expect("never an older one again") {
          goesUp(Array(Set(reads.value)).sorted()) && reads.value == reads.value.sorted()
        }
        return [
          {
            value.value?.set(1); value.value?.set(2)
          },
          { for _ in 0..<3 { reads.value.append(value.value?.value ?? -1) } },
        ]
      },
      Scenario("sets of a value against what observes it", main: 0) { world in
        let value = world.makeValue()
        let current = Variable<SignalValue<Int>?>(value.value?.signal)
        let observer = observed { current.value?.value ?? 9 }
          .connect(on: .inline, world.body("a"))
        world.own(
          { observer.isCancelled ? 0 : 1 },
          {
            observer.cancel(); current.value = nil
          })
        // A value that it has seen may be reported again.
        world.expect("it ends on the newest, and never sees an older one") {
          world.values("a").last == 2 && world.values("a") == world.values("a").sorted()
        }
        return [
          { world.drain(.main) },
          {
            value.value?.set(1); value.value?.set(2)
          },
        ]
      },
      Scenario("a set of a value against cancel") { world in
        let value = world.makeValue()
        let a = value.value?.signal.connect(on: .inline, world.body("a"))
        world.expect("it is over") {
          a?.isCancelled == true && [[0], [0, 1]].contains(world.values("a"))
        }
        return [{ value.value?.set(1) }, { a?.cancel() }]
      },
      Scenario("a set in a slot of a value against a set") { world in
        let value = world.makeValue()
        let body = world.body("a") { seen in if seen == 1 { value.value?.set(3) } }
        value.value?.signal.connect(on: .inline, body)
        world.expect("one at a time, the newest last") {
          let seen = world.values("a")
          return seen.sorted() == [0, 1, 2, 3] && seen.last == value.value?.value
            && world.overlaps.isEmpty
        }
        return [{ value.value?.set(1) }, { value.value?.set(2) }]
      },
      Scenario("connect in a slot of a value against a set") { world in
        let value = world.makeValue()
        let body = world.body("a") { seen in
          if seen == 1 { value.value?.signal.connect(on: .inline, world.body("b")) }
        }
        value.value?.signal.connect(on: .inline, body)
        world.expect("the current one and what follows, one at a time") {
          [[1, 2], [2], [1]].contains(world.values("b"))
            && world.values("b").last == value.value?.value && world.overlaps.isEmpty
        }
        return [{ value.value?.set(1) }, { value.value?.set(2) }]
      },
      Scenario("sets of a value that are handed on, and its death") { world in
        let value = world.makeValue()
        let a = value.value?.signal.connect(on: .inline, world.body("a"))
        let (first, second) = (Variable(value.value), Variable(value.value))
        value.value = nil
        world.expect("all, one at a time, those of each thread in order, then it ends") {
          let seen = world.values("a")
          return [[0, 1, 2, 3], [0, 2, 1, 3], [0, 2, 3, 1]].contains(seen)
            && world.overlaps.isEmpty && a?.isCancelled == true
        }
        return [
          {
            first.value?.set(1); first.value = nil
          },
          {
            second.value?.set(2); second.value?.set(3); second.value = nil
          }, { world.drain(.global()) },
        ]
      },
      Scenario(
        "cancelling the slots of a target against the turn of one that waits",
        reaches: ["it is cancelled before its turn", "its turn is taken first"]
      ) { world in
        let value = world.makeValue()
        let target = Target()
        let body = world.body("b")
        let b = Variable<SignalObserver?>(nil)
        var hasWaited = false
        value.value?.signal.connect(on: .inline, world.body("a"))
        world.expect("it has ended") {
          let isCalled = !world.values("b").isEmpty
          world.reach("it is cancelled before its turn", if: !isCalled)
          world.reach("its turn is taken first", if: isCalled && hasWaited)
          return b.value?.isCancelled == true && world.values("a") == [0, 1]
        }
        return [
          { value.value?.set(1) },
          {
            let signal = value.value?.signal
            b.value = signal?.connect(target, on: nil) { _, value in body(value) }
            hasWaited = world.values("b").isEmpty
            signal?.cancelObservers(of: target)
          },
        ]
      },
      Scenario("sets of a value against a drain") { world in
        let value = world.makeValue()
        value.value?.signal.connect(on: world.queue, world.body("a"))
        world.expect("all, in order") { world.values("a") == [0, 1, 2] }
        return [
          {
            value.value?.set(1); value.value?.set(2)
          }, { world.drain(world.queue) },
        ]
      },
      Scenario("an emission of a replay against connect") { world in
        let replay = Variable<SignalReplay<Int>?>(world.signal.replay(1))
        guard let source = replay.value else { return [] }
        world.own({ 0 }, { replay.value = nil })
        let observer = Variable<SignalObserver?>(nil)
        world.expect("once, then or now") {
          observer.value?.cancel()
          replay.value = nil
          return world.values("a") == [1]
        }
        return [
          { world.emit(1) }, { observer.value = source.connect(on: .inline, world.body("a")) },
        ]
      },
    ]
  }

  // MARK: - Connections that are made during a delivery

  private var connections: [Scenario] {
    [
      Scenario("connect in a slot against its cancel") { world in
        let a = world.connect("a") { value in if value == 1 { world.connect("b") } }
        world.expect("b is there if a was called") {
          world.signal.slotCount == world.values("a").filter { $0 == 1 }.count
        }
        return [{ world.emit(1) }, { a.cancel() }]
      },
      Scenario("connect in a slot against the death of the emitter") { world in
        let b = Variable<SignalObserver?>(nil)
        let emitter = world.emitter
        world.connect("a") { _ in b.value = world.connect("b") }
        world.expect("both are over") { b.value?.isCancelled != false }
        return [
          {
            emitter?.invoke(1)
          }, { world.emitter = nil },
        ]
      },
      Scenario("connect in a slot to a queue against a drain") { world in
        world.connect("a") { value in if value == 1 { world.connect("b", on: world.queue) } }
        world.expect("b gets later payloads in order") {
          world.values("a") == [1, 2] && world.values("b") == [2]
        }
        return [{ world.emit(1, 2) }, { world.drain(world.queue) }]
      },
      Scenario("connect in a slot that makes the list grow") { world in
        for name in ["b", "c", "d"] { world.connect(name) }
        world.connect("a") { value in if value == 1 { world.connect("e") } }
        world.expect("the four see both, and e not the first") {
          ["a", "b", "c", "d"].allSatisfy { world.values($0).sorted() == [1, 2] }
            && !world.values("e").contains(1)
        }
        return [{ world.emit(1) }, { world.emit(2) }]
      },
      Scenario("connect in a slot against connect") { world in
        world.connect("a") { value in if value == 1 { world.connect("b") } }
        world.expect("both are there") {
          world.emit(2)
          return world.names(2).sorted() == ["a", "b", "c"]
        }
        return [{ world.emit(1) }, { world.connect("c") }]
      },
    ]
  }

  // MARK: - Operators

  private var operators: [Scenario] {
    [
      Scenario("a one-shot slot against two emissions") { world in
        let a = world.signal.prefix(1).connect(on: .inline, world.body("a"))
        world.expect("once, and it is over") { world.values("a").count == 1 && a.isCancelled }
        return [{ world.emit(1) }, { world.emit(2) }]
      },
      Scenario("a prefix of two against three emissions") { world in
        let a = world.signal.prefix(2).connect(on: .inline, world.body("a"))
        world.expect("twice, and it is over") { world.values("a").count == 2 && a.isCancelled }
        return [{ world.emit(1) }, { world.emit(2) }, { world.emit(3) }]
      },
      Scenario("a one-shot slot on a queue against a drain") { world in
        let a = world.signal.prefix(1).connect(on: world.queue, world.body("a"))
        world.expect("once, and it is over") { world.values("a").count == 1 && a.isCancelled }
        return [{ world.emit(1) }, { world.emit(2) }, { world.drain(world.queue) }]
      },
      Scenario("a one-shot slot against cancel and an emission") { world in
        let a = world.signal.prefix(1).connect(on: .inline, world.body("a"))
        world.expect("once at most") { world.values("a").count <= 1 && a.isCancelled }
        return [{ world.emit(1) }, { a.cancel() }]
      },
      Scenario("dropping the first of two emissions") { world in
        world.signal.dropFirst().connect(on: .inline, world.body("a"))
        world.expect("one of them") { world.values("a").count == 1 }
        return [{ world.emit(1) }, { world.emit(2) }]
      },
      Scenario("two equal emissions without duplicates") { world in
        world.signal.removeDuplicates().connect(on: .inline, world.body("a"))
        world.expect("one of them") { world.values("a") == [1] }
        return [{ world.emit(1) }, { world.emit(1) }]
      },
      Scenario("a scan of two emissions") { world in
        world.signal.scan(0, +).connect(on: .inline, world.body("a"))
        world.expect("neither is lost") {
          [[1, 3], [2, 3]].contains(world.values("a").sorted())
        }
        return [{ world.emit(1) }, { world.emit(2) }]
      },
      Scenario("a one-shot slot behind a filter, and emissions during its call") { world in
        let a = world.signal.filter { $0 > 1 }.prefix(1).connect(on: world.queue, world.body("a"))
        world.expect("once, and it is over") { world.values("a").count == 1 && a.isCancelled }
        return [
          {
            world.emit(1); world.emit(2)
          }, { world.emit(3) }, { world.drain(world.queue) },
        ]
      },
      Scenario("a prefix that ends at a value against an emission") { world in
        let a = world.signal.prefix { $0 < 2 }.connect(on: .inline, world.body("a"))
        world.expect("none of what ends it") {
          !world.values("a").contains(2) && world.values("a").count <= 2 && a.isCancelled
        }
        return [{ world.emit(1, 1) }, { world.emit(2) }]
      },
    ]
  }

  private var combining: [Scenario] {
    [
      Scenario("a merge of two emitters against cancel") { world in
        let other = world.makeEmitter()
        guard let second = other.value?.signal else { return [] }
        let a = merge(world.signal, second).connect(on: .inline, world.body("a"))
        world.expect("it is over") {
          a.isCancelled && world.signal.slotCount + second.slotCount == 0
        }
        return [{ world.emit(1) }, { other.value?.invoke(2) }, { a.cancel() }]
      },
      Scenario("a merge of two emitters that die") { world in
        let other = world.makeEmitter()
        guard let second = other.value?.signal else { return [] }
        let a = merge(world.signal, second).connect(on: .inline, world.body("a"))
        world.expect("it is over") { a.isCancelled }
        return [{ world.emitter = nil }, { other.value = nil }]
      },
      Scenario("the latest of two emitters") { world in
        let other = world.makeEmitter()
        guard let second = other.value?.signal else { return [] }
        let body = world.body("a")
        let a = combineLatest(world.signal, second).connect(on: .inline) { body($0 * 10 + $1) }
        world.expect("once both are there, once") {
          defer { a.cancel() }
          return world.values("a") == [12]
        }
        return [{ world.emit(1) }, { other.value?.invoke(2) }]
      },
      Scenario("the latest of two emitters against cancel") { world in
        let other = world.makeEmitter()
        guard let second = other.value?.signal else { return [] }
        let body = world.body("a")
        let a = combineLatest(world.signal, second).connect(on: .inline) { body($0 * 10 + $1) }
        world.expect("once at most") { world.values("a").count <= 1 && a.isCancelled }
        return [{ world.emit(1) }, { other.value?.invoke(2) }, { a.cancel() }]
      },
    ]
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
      world.expect("all are the same") {
        defer { second.cancelAllObservers() }
        return first.value == second.value && second.value == third.value
      }
      return [
        { first.set(1) }, { third.set(2) },
        { world.drain(.global()) },
      ]
    }
  }

  private var bonds: [Scenario] {
    [
      Scenario("sets of both sides of a bond") { world in
        let (mine, theirs) = (world.makeValue(), world.makeValue())
        guard let first = mine.value, let second = theirs.value else { return [] }
        let bond = first.bond(givingTo: second)
        world.expect("both are the same, and one of the two") {
          defer { bond.cancel() }
          return first.value == second.value && [1, 2].contains(first.value)
        }
        return [{ mine.value?.set(1) }, { theirs.value?.set(2) }]
      },
      Scenario("a new bond against sets of both sides") { world in
        // It cannot be compared.
        struct Payload: Sendable { let number: Int }
        let (mine, theirs) = (EmitterValue(Payload(number: 0)), EmitterValue(Payload(number: 3)))
        world.expect("both are the same") { mine.value.number == theirs.value.number }
        return [
          { mine.bond(givingTo: theirs) },
          {
            mine.set(Payload(number: 1)); theirs.set(Payload(number: 2))
          },
          // What is handed on.
          { world.drain(.global()) },
        ]
      },
      Scenario("sets of values that are bound to each other") { world in
        let (mine, theirs) = (EmitterValue(0), EmitterValue(0))
        mine.signal.bind(to: theirs)
        theirs.signal.bind(to: mine)
        world.expect("both are the same") {
          defer { mine.cancelAllObservers() }
          return mine.value == theirs.value
        }
        return [
          {
            mine.set(1); mine.set(2)
          }, { theirs.set(3) },
          { world.drain(.global()) },
        ]
      },
      bothEnds("sets at both ends of two bonds") { $0.bond(givingTo: $1) },
      bothEnds("sets at both ends of a bond and of two bindings") { second, third in
        second.signal.bind(to: third)
        third.signal.bind(to: second)
      },
      Scenario("a set of one side of a bond against cancel") { world in
        let (mine, theirs) = (world.makeValue(), world.makeValue())
        guard let first = mine.value, let second = theirs.value else { return [] }
        let bond = first.bond(givingTo: second)
        world.expect("it is over") { bond.isCancelled && [0, 1].contains(second.value) }
        return [{ mine.value?.set(1) }, { bond.cancel() }]
      },
      Scenario("a set of one side of a bond against the death of the other") { world in
        let (mine, theirs) = (world.makeValue(), world.makeValue())
        guard let first = mine.value,
          let bond = theirs.value.map({ first.bond(givingTo: $0) })
        else { return [] }
        world.expect("it is over") { bond.isCancelled && first.value == 1 }
        return [{ mine.value?.set(1) }, { theirs.value = nil }]
      },
      Scenario("emissions of two emitters that are bound to each other") { world in
        let other = world.makeEmitter()
        guard let second = other.value, let first = world.emitter else { return [] }
        let there = world.signal.bind(to: second)
        let back = second.signal.bind(to: first)
        world.connect("a")
        world.expect("each reaches the other once") {
          there.cancel()
          back.cancel()
          return world.values("a").sorted() == [1, 2]
        }
        return [{ first.invoke(1) }, { second.invoke(2) }]
      },
    ]
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

  private var asyncSlots: [Scenario] {
    [
      Scenario("emissions against the task of an asynchronous slot") { world in
        world.connectAsync("a")
        world.expect("all, in order, one at a time") {
          world.values("a") == [1, 2] && world.overlaps.isEmpty
        }
        return [{ world.emit(1, 2) }, { world.drain(world.tasks) }]
      },
      Scenario("two emissions against the task of an asynchronous slot") { world in
        world.connectAsync("a")
        world.expect("all, one at a time") {
          world.values("a").sorted() == [1, 2] && world.overlaps.isEmpty
        }
        return [{ world.emit(1) }, { world.emit(2) }, { world.drain(world.tasks) }]
      },
      Scenario("cancel against the task of an asynchronous slot") { world in
        let a = world.connectAsync("a")
        world.expect("it is over") { a.isCancelled && world.values("a").count <= 1 }
        return [{ world.emit(1) }, { a.cancel() }, { world.drain(world.tasks) }]
      },
      Scenario("death of the emitter against the task of an asynchronous slot") { world in
        let a = world.connectAsync("a")
        world.expect("what was sent is delivered, then it ends") {
          world.values("a") == [1] && a.isCancelled
        }
        return [
          {
            world.emit(1); world.emitter = nil
          }, { world.drain(world.tasks) },
        ]
      },
      Scenario("suspend against the task of an asynchronous slot") { world in
        let a = world.connectAsync("a")
        world.expect("once at most") { world.values("a").count <= 1 }
        return [
          { world.emit(1) },
          {
            a.suspend(); a.resume()
          }, { world.drain(world.tasks) },
        ]
      },
      Scenario("death of a target against the task of its asynchronous slot") { world in
        let target = Variable<Target?>(Target())
        if let target = target.value {
          world.signal.connect(target) { (target: Target, _: Int) async in target.use() }
        }
        world.expect("it is gone") { world.signal.slotCount == 0 }
        return [{ world.emit(1) }, { target.value = nil }, { world.drain(world.tasks) }]
      },
    ]
  }

  // MARK: - Sequences

  private var feeds: [Scenario] {
    [
      Scenario("a feed that is closed while it receives") { world in
        let values = Variable<SignalValues<Int>?>(world.signal.values)
        world.expect("no slot is left") { world.signal.slotCount == 0 }
        return [{ world.emit(1, 2) }, { values.value = nil }]
      },
      Scenario("two iterators of a feed against an emission and its end") { world in
        let values = world.signal.values
        let seen = Variable<[[Int]]>([[], []])
        let over = Variable(0)
        for index in 0..<2 {
          // Only one task uses it.
          nonisolated(unsafe) let own = values.makeAsyncIterator()
          world.start {
            var iterator = unsafe own
            while let value = await iterator.next() { seen.value[index].append(value) }
            over.value += 1
          }
        }
        world.expect("both see it, and both end") {
          over.value == 2 && seen.value == [[1], [1]]
        }
        return [
          { world.drain(world.tasks) },
          {
            world.emit(1); world.emitter = nil
          },
        ]
      },
      Scenario("cancel of a task against next of a filter and emissions") { world in
        let found = Variable<[Int?]>([])
        let signal = world.signal
        let task = world.start { found.value.append(await signal.filter { $0 == 2 }.next()) }
        world.expect("the second or none, and no slot") {
          found.value.count == 1 && [2, nil].contains(found.value[0])
            && world.signal.slotCount == 0
        }
        return [{ world.drain(world.tasks) }, { world.emit(1, 2) }, { world.cancel(task) }]
      },
      Scenario("cancel of a task against a loop and the death of the emitter") { world in
        let seen = Variable<[Int]>([])
        let over = Variable(false)
        let values = world.signal.values
        let task = world.start {
          for await value in values { seen.value.append(value) }
          over.value = true
        }
        world.expect("it ends, with what it saw in order") {
          over.value && [[], [1], [1, 2]].contains(seen.value)
        }
        return [
          { world.drain(world.tasks) },
          {
            world.emit(1, 2); world.emitter = nil
          }, { world.cancel(task) },
        ]
      },
      Scenario("a feed of one that keeps the newest against its loop") { world in
        let seen = Variable<[Int]>([])
        let over = Variable(false)
        let values = world.signal.values(buffering: .newest(1))
        world.start {
          for await value in values { seen.value.append(value) }
          over.value = true
        }
        world.expect("the last one last, and what is missing was dropped") {
          over.value && seen.value.last == 3 && goesUp(seen.value)
            && seen.value.count + values.droppedCount == 3
        }
        return [
          { world.drain(world.tasks) },
          {
            world.emit(1, 2, 3); world.emitter = nil
          },
        ]
      },
    ]
  }
#endif
