#if SO_EXPLORE
  import Dispatch
  import Foundation
  import SignalObserver

  /// Runs small programs of a few threads under every schedule with a bounded number of preemptions.
  ///
  /// The threads are real, and one baton is passed between them at the points that the library's
  /// seam names; who gets it is a path through a tree that is searched depth first. If nobody can
  /// take it, the threads have locked each other out.
  ///
  /// `@unchecked Sendable`: only the thread with the baton touches anything in it, and semaphores
  /// order those who pass it; `workers` is constant while they run.
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

    let bound: Int
    private(set) var schedules = 0
    private(set) var points = 0
    private var workers: [Worker] = []
    private var running: [Worker] = []
    /// Who has the baton; nil while the controlling thread prepares or checks.
    private var current: Int?
    private var path: [(pick: Int, count: Int)] = []
    private var depth = 0
    private var preemptions = 0
    private var failure: String?
    /// Points passed in this schedule; a scenario takes some hundred.
    private var steps = 0
    private let isOver = DispatchSemaphore(value: 0)
    /// What waits on the queues that a scenario's threads play, by label: the main queue is another
    /// object at each access.
    private var queues: [String: [@Sendable () -> Void]] = [:]
    /// The thread that plays the main queue.
    private var mainThread: Int?
    private var isAtomic = false

    init(bound: Int) { self.bound = bound }

    // MARK: - Schedules

    /// Runs `parts`, one to a thread, under the next schedule, and returns what went wrong.
    func run(_ parts: [() -> Void], mainThread: Int?) -> String? {
      while workers.count < parts.count { addWorker() }
      running = Array(workers.prefix(parts.count))
      for (worker, part) in zip(running, parts) {
        worker.status = .ready
        worker.part = part
      }
      (depth, preemptions, steps, failure, isAtomic) = (0, 0, 0, nil, false)
      self.mainThread = mainThread
      let first = choose(parts.count)
      current = first
      running[first].turn.signal()
      isOver.wait()
      current = nil
      self.mainThread = nil
      for worker in running { worker.part = {} }
      schedules += 1
      return failure
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
      if mayStay {
        ready.removeAll { $0 == me }
        ready = preemptions < bound ? [me] + ready : [me]
      }
      let next = ready[choose(ready.count)]
      if next == me { return }
      if mayStay { preemptions += 1 }
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
      if isAtomic { return }
      points += 1
      steps += 1
      if let current, steps > 10_000 { giveUp(current, "nobody gets on") }
      pass(mayStay: true)
    }

    func block() {
      guard let me = current else { fatalError("a lock is still taken after the scenario") }
      running[me].status = .blocked
      pass(mayStay: false)
    }

    func unblock() {
      for worker in running where worker.status == .blocked { worker.status = .ready }
    }

    func enqueue(_ work: @escaping @Sendable () -> Void, on queue: DispatchQueue) {
      queues[queue.label, default: []].append(work)
    }

    var isOnMainQueue: Bool { mainThread != nil && current == mainThread }

    /// Runs `body` without a point: nobody goes on in between.
    func atomically(_ body: () -> Void) {
      point()
      isAtomic = true
      body()
      isAtomic = false
    }

    // MARK: - Queues

    /// Plays `queue`: runs what is on it, one after the other, up to `limit` of it.
    func drain(_ queue: DispatchQueue, limit: Int = .max) {
      point()
      var rest = limit
      while rest > 0, queues[queue.label]?.isEmpty == false {
        rest -= 1
        queues[queue.label]?.removeFirst()()
        point()
      }
    }
  }
#endif
