#if SO_EXPLORE
  import Explored
  import SignalObserver

  /// What a thread knows about each of the others: the last step of that thread that it knows.
  ///
  /// There are four threads: one that prepares and checks a scenario, and three that run it.
  typealias Clock = SIMD4<UInt32>

  /// The memory of one schedule, as C++20 defines it and ARM64 implements it.
  ///
  /// It keeps every store to each atomic. Of each access to other memory, it keeps the thread and
  /// the time.
  ///
  /// A load may return a store unless the thread knows a younger one of the same atomic. A thread
  /// knows a store that it has made or read, and one that is known to a thread before it. Knowledge
  /// passes from thread to thread through locks, through queues, when a thread begins or ends, and
  /// through a load that acquires what a store released. A read-modify-write always finds the
  /// newest store, and passes on what that store released.
  ///
  /// Three things are left out. No load sees a store that is made later in the schedule. Two
  /// threads' stores to two atomics do not take effect in opposite orders. A weak
  /// compare-and-exchange does not fail without cause.
  struct Memory {
    private struct Store {
      let value: UInt64
      /// What a load that acquires this store learns.
      let released: Clock
      /// The step at which each thread first knew this store because it made or read it.
      var known: Clock
    }

    private struct Place {
      var stores: [Store]
      /// The thread that made the place, and the step.
      let maker: Int
      let made: UInt32
      /// What the last thread that released the lock knew.
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

    /// Orders the threads after the preparation.
    mutating func begin(_ count: Int) {
      precondition(count < clocks.count)
      threads = count
      let prepared = released(by: 0)
      for thread in 1...count {
        clocks[thread] = prepared
        clocks[thread][thread] = 1
      }
    }

    /// Orders the checks after all threads.
    mutating func end() {
      for thread in 1...threads { acquire(clocks[thread], by: 0) }
    }

    /// Returns what `thread` knows, to pass it to another thread.
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

    /// Runs before each access.
    ///
    /// It returns a failure if the thread does not know that the place has been made.
    mutating func reach(_ place: UInt, _ newest: UInt64, by thread: Int) -> String? {
      if let place = places[place] {
        if place.made <= clocks[thread][place.maker] { return nil }
        return race("an atomic or a lock", "makes", place.maker, "uses", thread)
      }
      // The place was made before the scenario.
      places[place] = Place(
        stores: [Store(value: newest, released: Clock(), known: Clock())], maker: 0, made: 0)
      return nil
    }

    /// Returns the indices of the stores that `thread` may find, the newest first.
    ///
    /// It leaves out a store that has the same effect as the one before it.
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
        index -= 1
      }
    }

    mutating func load(
      _ number: UInt, _ order: Order, by thread: Int, _ choose: (Int) -> Int
    ) -> UInt64 {
      guard let place = places[number] else { fatalError("not reached") }
      var index = place.stores.count - 1
      // Usually, the thread knows the newest store, and there is no choice.
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

    /// Adds a store, which hands on what an update has found, too.
    mutating func store(
      _ number: UInt, _ value: UInt64, _ order: Order, by thread: Int, after clock: Clock = Clock()
    ) {
      var known = Clock(repeating: .max)
      known[thread] = clocks[thread][thread]
      let mine = released(by: thread)
      let store = Store(
        value: value, released: order.releases ? join(mine, clock) : clock, known: known)
      places[number]?.stores.append(store)
    }

    mutating func update(
      _ number: UInt, _ order: Order, by thread: Int, _ choose: (Int) -> Int,
      _ change: (UInt64) -> UInt64?
    ) -> (before: UInt64, after: UInt64?) {
      guard let place = places[number] else { fatalError("not reached") }
      // This finds the newest store, or an older one for which `change` stores nothing.
      let found = visible(place, order, by: thread) { change($0) == nil }
      let index = found[choose(found.count)]
      guard index == place.stores.count - 1, let next = change(place.stores[index].value) else {
        return (find(number, index, order, by: thread), nil)
      }
      let before = find(number, index, order, by: thread)
      store(number, next, order, by: thread, after: place.stores[index].released)
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

    /// Notes an access.
    ///
    /// It returns a failure if nothing orders another thread's access before this one.
    mutating func plain(
      _ access: PlainAccess, _ address: UInt, _ what: String, by thread: Int
    ) -> String? {
      let mine = clocks[thread]
      clocks[thread][thread] += 1
      var plain = plains[address] ?? Plain(what: what)
      // The allocator orders this after the thread that freed the memory.
      if access == .begin { plain = Plain(what: what) }
      if plain.isOver {
        return
          "race: \(Self.names[thread]) uses \(what), which \(Self.names[plain.writer]) released"
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
            what, "reads", reader, access == .end ? "releases it" : "writes", thread)
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
