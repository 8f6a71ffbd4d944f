#if SO_EXPLORE
  import SignalObserver

  // The list by itself: two or three threads that read, append and remove, without the slots, lanes and
  // targets around it, so that more preemptions are possible than with them.

  var listScenarios: [Scenario] {
    [
      listScenario("a reading against the removals of two", count: 2) { list, _ in
        [{ list.read() }, { list.remove(0) }, { list.remove(1) }]
      },
      listScenario("two readings against a removal", count: 1) { list, _ in
        [{ list.read() }, { list.remove(0) }, { list.read() }]
      },
      listScenario("two readings of a thread against two removals", count: 2) { list, _ in
        [
          {
            list.read(); list.read()
          },
          {
            list.remove(0); list.remove(1)
          },
        ]
      },
      listScenario("a reading against an append and a removal", count: 1) { list, _ in
        [{ list.read() }, { list.append(1) }, { list.remove(0) }]
      },
      listScenario("a reading against a removal and what is appended after it", count: 1) {
        list, _ in
        [
          { list.read() },
          {
            list.remove(0); list.append(1); list.remove(1)
          },
        ]
      },
      listScenario("two readings against a removal and what is appended after it", count: 1) {
        list, _ in
        [
          { list.read() },
          {
            list.remove(0); list.append(1)
          }, { list.read() },
        ]
      },
      listScenario("a reading against the first appends of two", count: 0) { list, _ in
        [{ list.read() }, { list.append(0) }, { list.append(1) }]
      },
      listScenario("a reading against growth and a removal", count: 4) { list, _ in
        [{ list.read() }, { list.append(4) }, { list.remove(3) }]
      },
      listScenario("a reading against a list that moves together", count: 10) { list, _ in
        for name in 0..<8 { list.remove(name) }
        return [{ list.read() }, { list.remove(8) }, { list.append(10) }]
      },
      listScenario("a removal in a reading against another reading", count: 2) { list, _ in
        [
          { list.read { name in if name == 0 { list.remove(0) } } },
          { list.read() },
        ]
      },
      listScenario("a removal in a reading inside of another", count: 2) { list, _ in
        [
          { list.read { name in if name == 0 { list.read { _ in list.remove(0) } } } },
          { list.read() }, { list.remove(1) },
        ]
      },
      listScenario("a removal inside of two readings against another", count: 3) { list, _ in
        [
          {
            list.read { name in if name == 0 { list.read { name in list.removeAtOnce(2, name) } } }
          },
          { list.remove(1) },
        ]
      },
      listScenario("an append in a reading against a removal", count: 1) { list, _ in
        [
          { list.read { name in if name == 0 { list.append(1) } } },
          { list.remove(0) }, { list.read() },
        ]
      },
      listScenario("the end of the list against a reading and an append", count: 1) { list, _ in
        [{ list.read() }, { list.finish() }, { list.append(1) }]
      },
      listScenario("the end of the list against two readings", count: 2) { list, _ in
        [{ list.read() }, { list.finish() }, { list.read() }]
      },
      listScenario("the end of the list against a removal and a reading", count: 1) { list, _ in
        [{ list.read() }, { list.finish() }, { list.remove(0) }]
      },
      listScenario(
        "generations that begin anew against a reading", count: 1, generation: .init(UInt32.max)
      ) { list, _ in
        [
          { list.read() },
          {
            list.remove(0); list.append(1)
          }, { list.read() },
        ]
      },
    ]
  }

  /// A scenario whose threads use a list that has `count` elements at first.
  private func listScenario(
    _ name: String, count: Int, generation: UInt64 = 1,
    _ parts: @escaping (ListWorld, World) -> [() -> Void]
  ) -> Scenario {
    Scenario("list: " + name) { world in
      let list = ListWorld(count, generation)
      world.expect("what stays is seen, in order, and what is removed is not") { list.isRight }
      return parts(list, world)
    }
  }

  /// A list, and what its readers have seen.
  ///
  /// `@unchecked Sendable`: only the thread with the explorer's baton touches it.
  private final class ListWorld: @unchecked Sendable {
    private let list: BareList
    private var elements: [Int: BareElement] = [:]
    /// Those that have been there from the beginning, and nobody has begun to remove.
    private var staying: Set<Int> = []
    private var removed: Set<Int> = []
    private var isFinished = false
    private var isRightSoFar = true

    init(_ count: Int, _ generation: UInt64) {
      list = BareList(generation: generation)
      for name in 0..<count { append(name) }
      staying = Set(elements.keys)
    }

    func append(_ name: Int) { elements[name] = list.append(name) }

    func remove(_ name: Int) {
      guard let element = elements[name] else { return }
      staying.remove(name)
      list.remove(element)
      removed.insert(name)
    }

    /// Removes an element, unless it is the one that is called: all readers are the thread's own, so it is
    /// unseen then.
    func removeAtOnce(_ name: Int, _ called: Int) {
      if called == name || removed.contains(name) { return }
      remove(name)
      if elements[name]?.isUnseen != true { isRightSoFar = false }
    }

    func finish() {
      staying = []
      list.finish()
      isFinished = true
    }

    func read(_ body: (Int) -> Void = { _ in }) {
      let (gone, wasFinished) = (removed, isFinished)
      var seen: [Int] = []
      list.read { element in
        seen.append(element.name)
        body(element.name)
      }
      // Whoever has left before is not seen, and who stays is, once and in order.
      if Set(seen).count != seen.count || !gone.isDisjoint(with: seen)
        || wasFinished && !seen.isEmpty || seen.filter(staying.contains) != staying.sorted()
      {
        isRightSoFar = false
      }
    }

    var isRight: Bool {
      var left: [Int] = []
      list.read { left.append($0.name) }
      let isGone = elements.filter { removed.contains($0.key) || isFinished }.values
        .allSatisfy(\.isUnseen)
      return isRightSoFar && isGone && Set(left).isDisjoint(with: removed)
        && left.allSatisfy { elements[$0]?.isUnseen == false }
        && left.count == (isFinished ? 0 : elements.count - removed.count)
    }
  }
#endif
