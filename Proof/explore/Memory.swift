#if SO_EXPLORE
  import SignalObserver

  /// What each thread knows of the others: for each, up to which of its steps.
  ///
  /// Four: the thread that prepares and checks a scenario, and three that run it.
  typealias Clock = SIMD4<UInt32>

  /// The memory of one schedule, as C++20 defines it and ARM64 shows it: of each atomic its stores,
  /// and of each access to other memory, which thread made it and when.
  ///
  /// A load may return a store unless the thread knows a younger one of the same atomic: by having
  /// made or read it, or by having come after a thread that had. Knowledge moves from thread to
  /// thread by locks, by queues, by beginning and ending, and by a load that acquires what a store
  /// released; a read-modify-write hands on what the store before it released. A read-modify-write
  /// always finds the newest.
  ///
  /// Left out: stores take effect in the order of the schedule, so that no load sees one that is
  /// made later, and two threads' stores to two atomics do not take effect crosswise; a weak
  /// comparison does not fail without cause.
  struct Memory {
    private struct Store {
      let value: UInt64
      /// What a load that acquires it comes to know.
      let released: Clock
      /// The step at which each thread first knew it by its own doing.
      var known: Clock
    }

    private struct Place {
      var stores: [Store]
      /// Who made it, and when.
      let maker: Int
      let made: UInt32
      /// The last sequentially consistent store.
      var sequential = 0
      /// What the last one that gave the lock back knew.
      var released = Clock()
    }

    private struct Plain {
      var writer = 0
      var written: UInt32 = 0
      var reads = Clock()
      var isOver = false
      let what: String
    }

    private static let names = ["preparation", "thread 1", "thread 2", "thread 3"]

    private var clocks: [Clock]
    private var threads = 0
    private var places: [UInt: Place] = [:]
    private var plains: [UInt: Plain] = [:]

    init() {
      clocks = Array(repeating: Clock(), count: 4)
      clocks[0][0] = 1
    }

    // MARK: - Order

    /// The threads begin after what was prepared.
    mutating func begin(_ count: Int) {
      precondition(count < clocks.count)
      threads = count
      let prepared = released(by: 0)
      for thread in 1...count {
        clocks[thread] = prepared
        clocks[thread][thread] = 1
      }
    }

    /// What is checked comes after all of them.
    mutating func end() {
      for thread in 1...threads { acquire(clocks[thread], by: 0) }
    }

    /// What `thread` knows, to be handed to another.
    mutating func released(by thread: Int) -> Clock {
      defer { clocks[thread][thread] += 1 }
      return clocks[thread]
    }

    mutating func acquire(_ clock: Clock, by thread: Int) {
      clocks[thread] = join(clocks[thread], clock)
    }

    private func join(_ left: Clock, _ right: Clock) -> Clock {
      left.replacing(with: right, where: right .> left)
    }

    // MARK: - Atomics and locks

    mutating func make(_ place: UInt, _ value: UInt64, by thread: Int) {
      var known = Clock(repeating: .max)
      known[thread] = clocks[thread][thread]
      places[place] = Place(
        stores: [Store(value: value, released: Clock(), known: known)], maker: thread,
        made: clocks[thread][thread])
    }

    /// Before each access; returns what is wrong if the thread does not know that the place has been
    /// made.
    mutating func reach(_ place: UInt, _ newest: UInt64, by thread: Int) -> String? {
      if let place = places[place] {
        if place.made <= clocks[thread][place.maker] { return nil }
        return race("an atomic or a lock", "makes", place.maker, "uses", thread)
      }
      // Made before the scenario.
      places[place] = Place(
        stores: [Store(value: newest, released: Clock(), known: Clock())], maker: 0, made: 0)
      return nil
    }

    /// The indices of the stores that `thread` may find, the newest first.
    ///
    /// One that would make no difference to the one before is left out.
    private func visible(
      _ place: Place, _ order: Order, by thread: Int, _ mayFind: (UInt64) -> Bool = { _ in true }
    ) -> [Int] {
      let mine = clocks[thread]
      var index = place.stores.count - 1
      var found: [Int] = []
      while true {
        let store = place.stores[index]
        var differs = mayFind(store.value)
        if differs, let last = found.last.map({ place.stores[$0] }), last.value == store.value {
          differs = order.acquires && join(mine, last.released) != join(mine, store.released)
        }
        if found.isEmpty || differs { found.append(index) }
        if index == 0 || any(store.known .<= mine) { return found }
        if order.isSequential && index <= place.sequential { return found }
        index -= 1
      }
    }

    mutating func load(
      _ number: UInt, _ order: Order, by thread: Int, _ choose: (Int) -> Int
    ) -> UInt64 {
      guard let place = places[number] else { fatalError("not reached") }
      var index = place.stores.count - 1
      // As a rule, the thread knows the newest, and there is nothing to choose.
      if !any(place.stores[index].known .<= clocks[thread]) {
        let found = visible(place, order, by: thread)
        index = found[choose(found.count)]
      }
      return find(number, index, order, by: thread)
    }

    private mutating func find(
      _ number: UInt, _ index: Int, _ order: Order, by thread: Int
    ) -> UInt64 {
      let now = clocks[thread][thread]
      clocks[thread][thread] += 1
      guard let store = places[number]?.stores[index] else { fatalError("not reached") }
      if store.known[thread] > now { places[number]?.stores[index].known[thread] = now }
      if order.acquires { acquire(store.released, by: thread) }
      return store.value
    }

    mutating func store(_ number: UInt, _ value: UInt64, _ order: Order, by thread: Int) {
      add(number, value, order, by: thread, after: Clock())
    }

    private mutating func add(
      _ number: UInt, _ value: UInt64, _ order: Order, by thread: Int, after clock: Clock
    ) {
      var known = Clock(repeating: .max)
      known[thread] = clocks[thread][thread]
      let mine = released(by: thread)
      let store = Store(
        value: value, released: order.releases ? join(mine, clock) : clock, known: known)
      places[number]?.stores.append(store)
      if order.isSequential, let count = places[number]?.stores.count {
        places[number]?.sequential = count - 1
      }
    }

    mutating func update(
      _ number: UInt, _ order: Order, failure: Order, by thread: Int, _ choose: (Int) -> Int,
      _ change: (UInt64) -> UInt64?
    ) -> (before: UInt64, after: UInt64?) {
      guard let place = places[number] else { fatalError("not reached") }
      // The newest, or an older one that is left as it is.
      let found = visible(place, failure, by: thread) { change($0) == nil }
      let index = found[choose(found.count)]
      guard index == place.stores.count - 1, let next = change(place.stores[index].value) else {
        return (find(number, index, failure, by: thread), nil)
      }
      let before = find(number, index, order, by: thread)
      add(number, next, order, by: thread, after: place.stores[index].released)
      return (before, next)
    }

    mutating func lock(_ number: UInt, by thread: Int) {
      if let released = places[number]?.released { acquire(released, by: thread) }
    }

    mutating func unlock(_ number: UInt, by thread: Int) {
      let released = released(by: thread)
      places[number]?.released = released
    }

    // MARK: - Other memory

    /// Returns what is wrong if another thread's access does not come before this one.
    mutating func plain(
      _ access: PlainAccess, _ address: UInt, _ what: String, by thread: Int
    ) -> String? {
      let mine = clocks[thread]
      clocks[thread][thread] += 1
      var plain = plains[address] ?? Plain(what: what)
      // Who gave it back to the allocator came before.
      if access == .begin { plain = Plain(what: what) }
      if plain.isOver {
        return
          "race: \(Self.names[thread]) uses \(what), which \(Self.names[plain.writer]) let go of"
      }
      if plain.written > mine[plain.writer] {
        return race(
          what, "writes", plain.writer, access == .read ? "reads" : "writes", thread)
      }
      if access == .read {
        plain.reads[thread] = mine[thread]
      } else {
        if any(plain.reads .> mine) {
          let reader = (0..<4).first { plain.reads[$0] > mine[$0] } ?? 0
          return race(
            what, "reads", reader, access == .end ? "lets go of it" : "writes", thread)
        }
        (plain.writer, plain.written) = (thread, mine[thread])
        plain.isOver = access == .end
      }
      plains[address] = plain
      return nil
    }

    private func race(
      _ what: String, _ first: String, _ one: Int, _ second: String, _ other: Int
    ) -> String {
      "race: \(Self.names[one]) \(first) \(what), and \(Self.names[other]) \(second), unordered"
    }
  }
#endif
