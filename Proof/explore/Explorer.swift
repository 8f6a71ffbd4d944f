#if SO_EXPLORE
  import Dispatch
  import Explored
  import Foundation
  import SignalObserver

  /// A key that is set on the threads of the scenarios.
  private let member: pthread_key_t = {
    var key = pthread_key_t()
    unsafe pthread_key_create(&key, nil)
    return key
  }()

  /// Runs small programs of a few threads under every schedule with a bounded number of preemptions.
  ///
  /// The threads are real, and pass one baton at the points that the library's seam names. Each
  /// choice of the next thread, and of the store that a load returns if its ordering allows
  /// several, is a step of a path through a tree. The explorer searches the tree depth first. If no
  /// thread can take the baton, the threads have locked each other out.
  ///
  /// `@unchecked Sendable`: only the thread with the baton uses it, and semaphores order the
  /// threads that pass the baton. `workers` is constant while they run.
  ///
  /// If Dispatch releases something on a thread of its own, that is no part of the scenario, and
  /// does not stop at the points.
  final class Explorer: Scheduler, @unchecked Sendable {
    private enum Status { case ready, blocked, done }

    /// A thread that runs its part of one schedule after the other.
    ///
    /// A new thread for each schedule would take most of the time.
    private final class Worker: @unchecked Sendable {
      let turn = DispatchSemaphore(value: 0)
      var status = Status.ready
      var part: () -> Void = {}
    }

    /// The bound of a schedule: how many times it may preempt a thread, or let a load return an
    /// older store than the newest.
    let bound: Int
    /// How many of those may be older stores.
    let staleBound: Int
    /// What is left out of one ordering, to see whether that is noticed.
    let weakened: Half?
    /// What the orderings of the scenario consist of.
    private(set) var halves: Set<Half> = []
    /// What some schedule of the scenario must reach, and whether one has.
    var reached: [String: Bool] = [:]
    /// The threads that, in this schedule, have found an atomic changed between a read and an
    /// exchange.
    private(set) var surprised: Set<Int> = []
    private(set) var schedules = 0
    /// Whether every schedule has run.
    private(set) var isExhausted = false
    private var workers: [Worker] = []
    private var running: [Worker] = []
    /// The thread with the baton; nil while the controlling thread prepares or checks.
    private var current: Int?
    private var path: [(pick: Int, count: Int)] = []
    private var depth = 0
    private var memory = Memory()
    private var preemptions = 0
    private var staleLoads = 0
    private(set) var failure: String?
    /// The number of points that were passed in this schedule.
    ///
    /// A scenario takes some hundred.
    private var steps = 0
    private let isOver = DispatchSemaphore(value: 0)
    /// The work on the queues that a scenario's threads play, by label, because each access to the
    /// main queue returns another object.
    private var queues: [String: [(work: @Sendable () -> Void, clock: Clock)]] = [:]
    /// The thread that plays the main queue.
    private var mainThread: Int?
    /// The thread that cancels a task, and holds the runtime's lock of that task meanwhile.
    private var canceller: Int?
    /// The threads that have played the executor of tasks.
    private var taskThreads: Set<Int> = []
    private var executor: (any TaskExecutor)?

    init(bound: Int, staleBound: Int, weakened: Half? = nil) {
      (self.bound, self.staleBound, self.weakened) = (bound, staleBound, weakened)
      join()
    }

    /// Marks the calling thread as a thread of the scenario.
    private func join() { _ = unsafe pthread_setspecific(member, UnsafeRawPointer(bitPattern: 1)) }

    private var isMember: Bool { unsafe pthread_getspecific(member) != nil }

    // MARK: - Schedules

    /// Runs each of `parts` on a thread, under the next schedule, and returns the failure, if there
    /// is one.
    func run(_ parts: [() -> Void], mainThread: Int?) -> String? {
      while workers.count < parts.count { addWorker() }
      running = Array(workers.prefix(parts.count))
      for (worker, part) in zip(running, parts) {
        worker.status = .ready
        worker.part = part
      }
      (depth, preemptions, staleLoads, steps, canceller) = (0, 0, 0, 0, nil)
      memory.begin(parts.count)
      self.mainThread = mainThread
      let first = choose(parts.count)
      current = first
      running[first].turn.signal()
      isOver.wait()
      current = nil
      memory.end()
      self.mainThread = nil
      for worker in running { worker.part = {} }
      schedules += 1
      return failure
    }

    /// Resets the explorer for another schedule.
    func prepare(taskExecutor: any TaskExecutor) {
      (failure, executor, memory) = (nil, taskExecutor, Memory())
      (taskThreads, surprised) = ([], [])
    }

    /// Prepares the next schedule, if there is one.
    func advance() {
      while let last = path.popLast() {
        if last.pick + 1 < last.count { return path.append((last.pick + 1, last.count)) }
      }
      isExhausted = true
    }

    /// The choices of the schedule that has run, with which it can be run again.
    var description: String { path.map { String($0.pick) }.joined() }

    private func addWorker() {
      let worker = Worker()
      workers.append(worker)
      Thread { [self] in
        join()
        while true {
          worker.turn.wait()
          worker.part()
          worker.status = .done
          pass(mayStay: false)
        }
      }.start()
    }

    private func choose(_ count: Int) -> Int {
      if count == 1 { return 0 }
      defer { depth += 1 }
      if depth == path.count { path.append((0, count)) }
      return path[depth].pick
    }

    /// Passes the baton to a thread that can continue, perhaps the same.
    ///
    /// Taking it from a thread that could continue is a preemption.
    private func pass(mayStay: Bool) {
      guard let me = current else { return }
      var ready = running.indices.filter { running[$0].status == .ready }
      if ready.isEmpty {
        let isDone = running.allSatisfy { $0.status == .done }
        if isDone { isOver.signal() } else { giveUp(me, "deadlock") }
        return
      }
      if let canceller {
        // A thread that has the baton must not wait for the runtime's lock.
        let others = ready.filter { !taskThreads.contains($0 + 1) }
        if ready.contains(canceller) {
          ready = [canceller]
        } else if !others.isEmpty {
          ready = others
        }
      } else if mayStay {
        ready.removeAll { $0 == me }
        ready = preemptions + staleLoads < bound ? [me] + ready : [me]
      }
      let next = ready[choose(ready.count)]
      if next == me { return }
      if mayStay, canceller == nil { preemptions += 1 }
      current = next
      let isDone = running[me].status == .done
      let mine = running[me].turn
      running[next].turn.signal()
      // After this, the thread must not use anything shared until it has the baton again.
      if !isDone { mine.wait() }
    }

    /// Ends the schedule with a failure.
    ///
    /// Its threads stay where they are, so this explorer cannot be used again.
    private func giveUp(_ me: Int, _ failure: String) {
      self.failure = failure
      isOver.signal()
      while true { running[me].turn.wait() }
    }

    // MARK: - Scheduler

    func point() {
      guard isMember else { return }
      if let canceller, canceller == current || running[canceller].status != .ready { return }
      steps += 1
      if let current, steps > 10_000 { giveUp(current, "nobody gets on") }
      pass(mayStay: true)
    }

    func block() {
      guard isMember else { return }
      guard let me = current else { fatalError("a lock is still taken after the scenario") }
      running[me].status = .blocked
      pass(mayStay: false)
    }

    func unblock() {
      guard isMember else { return }
      for worker in running where worker.status == .blocked { worker.status = .ready }
    }

    func enqueue(_ work: @escaping @Sendable () -> Void, on queue: DispatchQueue) {
      queues[queue.label, default: []].append((work, memory.released(by: actor)))
    }

    var isOnMainQueue: Bool { mainThread != nil && current == mainThread }

    /// The executor of the library's tasks, which belongs to the scenario in progress.
    var taskExecutor: any TaskExecutor {
      guard let executor else { fatalError("a task is started outside of a scenario") }
      return executor
    }

    /// Cancels a task without a point: no other thread continues in between.
    ///
    /// The runtime's lock orders this with everything that the task has done and will do.
    func cancel(_ task: Task<Void, Never>) {
      point()
      for thread in taskThreads { memory.acquire(memory.released(by: thread), by: actor) }
      canceller = current
      task.cancel()
      canceller = nil
      unblock()
      let clock = memory.released(by: actor)
      for thread in taskThreads { memory.acquire(clock, by: thread) }
    }

    /// Orders the calling thread after every thread that has called this with the same place
    /// before.
    func meet(_ place: UInt) {
      _ = memory.reach(place, 0, by: actor)
      memory.lock(place, by: actor)
      memory.unlock(place, by: actor)
    }

    // MARK: - Memory

    /// The index of the running thread in the clocks.
    ///
    /// The controlling thread is the first.
    var actor: Int { (current ?? -1) + 1 }

    /// Chooses one of `count` stores, of which the first is the newest.
    private func chooseStore(_ count: Int) -> Int {
      guard count > 1, staleLoads < staleBound, preemptions + staleLoads < bound else { return 0 }
      let index = choose(count)
      if index > 0 { staleLoads += 1 }
      return index
    }

    /// Ends the schedule if `race` describes a race.
    private func check(_ race: String?) {
      guard let race, failure == nil else { return }
      if let current { giveUp(current, race) } else { failure = race }
    }

    func make(_ place: UInt, _ value: UInt64) { memory.make(place, value, by: actor) }

    func access(
      _ place: UInt, _ newest: UInt64, _ order: Order, _ access: AtomicAccess
    ) -> (before: UInt64, after: UInt64?) {
      check(memory.reach(place, newest, by: actor))
      let order = weaken(order)
      switch access {
      case .load: return (memory.load(place, order, by: actor, chooseStore), nil)
      case .store(let value):
        memory.store(place, value, order, by: actor)
        return (newest, value)
      case .update(let change):
        let values = memory.update(place, order, by: actor, chooseStore, change)
        if values.after == nil { surprised.insert(actor) }
        return values
      }
    }

    /// Leaves out of an ordering what is to be left out, and notes the rest.
    private func weaken(_ order: Order) -> Order {
      if !order.acquires, !order.releases { return order }
      var order = order
      if let weakened, weakened.line == order.line, weakened.file == "\(order.file)" {
        if weakened.acquires { order.acquires = false } else { order.releases = false }
      } else if weakened == nil {
        for (isThere, acquires) in [(order.acquires, true), (order.releases, false)] where isThere {
          halves.insert(Half(file: "\(order.file)", line: order.line, acquires: acquires))
        }
      }
      return order
    }

    func lock(_ place: UInt) {
      guard isMember else { return }
      check(memory.reach(place, 0, by: actor))
      memory.lock(place, by: actor)
    }

    func unlock(_ place: UInt) {
      if isMember { memory.unlock(place, by: actor) }
    }

    func plain(_ access: PlainAccess, _ address: UInt, _ what: StaticString) {
      check(memory.plain(access, address, "\(what)", by: actor))
    }

    // MARK: - Queues

    /// Plays `queue`: runs its work, one item after the other, up to `limit` items.
    func drain(_ queue: DispatchQueue, limit: Int = .max) {
      point()
      var rest = limit
      while rest > 0, queues[queue.label]?.isEmpty == false {
        rest -= 1
        while queue.label == "tasks", canceller != nil, canceller != current { block() }
        guard let next = queues[queue.label]?.removeFirst() else { return }
        memory.acquire(next.clock, by: actor)
        if queue.label == "tasks" { taskThreads.insert(actor) }
        next.work()
        point()
      }
    }
  }
#endif
