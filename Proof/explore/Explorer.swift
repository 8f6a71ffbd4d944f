#if SO_EXPLORE
  import Dispatch
  import Foundation
  import SignalObserver

  /// Set on the threads of the scenarios.
  private let member: pthread_key_t = {
    var key = pthread_key_t()
    unsafe pthread_key_create(&key, nil)
    return key
  }()

  /// Runs small programs of a few threads under every schedule with a bounded number of preemptions.
  ///
  /// The threads are real, and one baton is passed between them at the points that the library's
  /// seam names. Who gets it, and which store a load returns if its ordering allows several, is a
  /// path through a tree that is searched depth first. If nobody can take the baton, the threads
  /// have locked each other out.
  ///
  /// `@unchecked Sendable`: only the thread with the baton touches anything in it, and semaphores
  /// order those who pass it; `workers` is constant while they run.
  ///
  /// What Dispatch releases on a thread of its own passes by: it is no part of the scenario.
  final class Explorer: Scheduler, @unchecked Sendable {
    private enum Status {
      case ready
      case blocked
      case done
    }

    /// A thread that runs its part of one schedule after the other, since making threads would take
    /// most of the time.
    private final class Worker: @unchecked Sendable {
      let turn = DispatchSemaphore(value: 0)
      var status = Status.ready
      var part: () -> Void = {}
    }

    /// How many times in a schedule a thread may be held up although it could go on, or a load may
    /// return an older store than the newest.
    let bound: Int
    /// How many of these may be older stores.
    let staleBound: Int
    private(set) var schedules = 0
    private(set) var points = 0
    private var workers: [Worker] = []
    private var running: [Worker] = []
    /// Who has the baton; nil while the controlling thread prepares or checks.
    private var current: Int?
    private var path: [(pick: Int, count: Int)] = []
    private var depth = 0
    private var memory = Memory()
    private var preemptions = 0
    private var staleLoads = 0
    private var failure: String?
    /// Points passed in this schedule; a scenario takes some hundred.
    private var steps = 0
    private let isOver = DispatchSemaphore(value: 0)
    /// What waits on the queues that a scenario's threads play, by label: the main queue is another
    /// object at each access.
    private var queues: [String: [(work: @Sendable () -> Void, clock: Clock)]] = [:]
    /// The thread that plays the main queue.
    private var mainThread: Int?
    /// Who cancels a task, and holds the runtime's lock of it meanwhile.
    private var canceller: Int?
    /// Who has played what tasks run on.
    private var taskThreads: Set<Int> = []
    private var executor: (any TaskExecutor)?

    init(bound: Int, staleBound: Int) {
      self.bound = bound
      self.staleBound = staleBound
      join()
    }

    /// Marks the calling thread as one of the scenario's.
    private func join() { _ = unsafe pthread_setspecific(member, UnsafeRawPointer(bitPattern: 1)) }

    private var isMember: Bool { unsafe pthread_getspecific(member) != nil }

    // MARK: - Schedules

    /// Runs `parts`, one to a thread, under the next schedule, and returns what went wrong.
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

    /// Makes ready for another schedule, which may be prepared now.
    func prepare(taskExecutor: any TaskExecutor) {
      failure = nil
      executor = taskExecutor
      memory = Memory()
      taskThreads = []
    }

    /// Goes to the next schedule; false if there is none.
    func advance() -> Bool {
      while let last = path.popLast() {
        if last.pick + 1 < last.count {
          path.append((last.pick + 1, last.count))
          return true
        }
      }
      return false
    }

    /// The choices of the schedule that has run, to be run again.
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

    /// Gives the baton to a thread that can go on, perhaps the same.
    ///
    /// Taking it from a thread that could go on is a preemption.
    private func pass(mayStay: Bool) {
      guard let me = current else { return }
      var ready = running.indices.filter { running[$0].status == .ready }
      if ready.isEmpty {
        let isDone = running.allSatisfy { $0.status == .done }
        if isDone { isOver.signal() } else { giveUp(me, "deadlock") }
        return
      }
      if let canceller {
        // The runtime's lock must not be waited for by a thread that has the baton.
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
      // Nothing shared may be touched after this, but by who has been given the baton again.
      if !isDone { mine.wait() }
    }

    /// Ends the schedule with a failure; its threads stay where they are, and this explorer is not
    /// used again.
    private func giveUp(_ me: Int, _ failure: String) {
      self.failure = failure
      isOver.signal()
      while true { running[me].turn.wait() }
    }

    // MARK: - Scheduler

    func point() {
      guard isMember else { return }
      if let canceller, canceller == current || running[canceller].status != .ready { return }
      points += 1
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

    /// What the library's tasks run on: the executor of the scenario in progress.
    var taskExecutor: any TaskExecutor {
      guard let executor else { fatalError("a task is started outside of a scenario") }
      return executor
    }

    /// Cancels a task without a point: nobody goes on in between.
    ///
    /// The runtime's lock orders it with all that the task has done and will do.
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

    /// Whoever calls this with the same place comes after who did before.
    func meet(_ place: UInt) {
      _ = memory.reach(place, 0, by: actor)
      memory.lock(place, by: actor)
      memory.unlock(place, by: actor)
    }

    // MARK: - Memory

    /// The thread in the clocks: the controlling thread is the first.
    private var actor: Int { (current ?? -1) + 1 }

    /// The index of one of `count` stores, the first of which is the newest.
    private func chooseStore(_ count: Int) -> Int {
      guard count > 1, staleLoads < staleBound, preemptions + staleLoads < bound else { return 0 }
      let index = choose(count)
      if index > 0 { staleLoads += 1 }
      return index
    }

    /// Ends the schedule if `race` says that there was one.
    private func check(_ race: String?) {
      guard let race, failure == nil else { return }
      if let current { giveUp(current, race) } else { failure = race }
    }

    /// What went wrong while the controlling thread prepared or checked.
    var failureInControl: String? { failure }

    func make(_ place: UInt, _ value: UInt64) { memory.make(place, value, by: actor) }

    func load(_ place: UInt, _ newest: UInt64, _ order: Order) -> UInt64 {
      check(memory.reach(place, newest, by: actor))
      return memory.load(place, order, by: actor, chooseStore)
    }

    func store(_ place: UInt, _ newest: UInt64, _ value: UInt64, _ order: Order) {
      check(memory.reach(place, newest, by: actor))
      memory.store(place, value, order, by: actor)
    }

    func update(
      _ place: UInt, _ newest: UInt64, _ order: Order, failure: Order,
      _ change: (UInt64) -> UInt64?
    ) -> (before: UInt64, after: UInt64?) {
      check(memory.reach(place, newest, by: actor))
      return memory.update(place, order, failure: failure, by: actor, chooseStore, change)
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

    /// Plays `queue`: runs what is on it, one after the other, up to `limit` of it.
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
