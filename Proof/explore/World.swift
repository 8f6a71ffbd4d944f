#if SO_EXPLORE
  import Dispatch
  import SignalObserver

  /// What one schedule of a scenario runs on, and what happened in it.
  ///
  /// `@unchecked Sendable`: only the thread with the explorer's baton touches it.
  final class World: @unchecked Sendable {
    private let explorer: Explorer
    /// Nil once the scenario has let go of it.
    var emitter: EmitterArg<Int>?
    let signal: SignalArg<Int>
    let queue = DispatchQueue(label: "a queue")
    /// What tasks run on.
    let tasks = DispatchQueue(label: "tasks")
    private let executor: QueueExecutor
    /// Each call as it began: who, and with what.
    private(set) var calls: [(name: String, value: Int)] = []
    /// What the scenario expects at its end.
    private var expectations: [(text: String, holds: () -> Bool)] = []
    private(set) var captures = 0
    private var callsInProgress: [String: Int] = [:]
    private(set) var overlaps: Set<String> = []
    /// The slots whose captures are gone, by number, and one that was being called then.
    private var gone: Set<Int> = []
    private var calledWithoutCaptures: String?
    private var bodies = 0
    /// How many slots there are elsewhere than at ``signal``.
    private var otherSlots: [() -> Int] = []
    /// What lets go of the rest of the scenario.
    private var ends: [() -> Void] = []

    init(_ explorer: Explorer) {
      self.explorer = explorer
      executor = QueueExecutor(explorer, tasks)
      explorer.prepare(taskExecutor: executor)
      let emitter = EmitterArg<Int>()
      self.emitter = emitter
      signal = emitter.signal
    }

    // MARK: - For scenarios

    /// Connects a slot that captures an object and notes its calls; inline if `queue` is nil.
    @discardableResult
    func connect(
      _ name: String, on queue: DispatchQueue? = nil,
      then action: @escaping (Int) -> Void = { _ in }
    ) -> SignalObserver {
      signal.connect(on: queue, body(name, action))
    }

    /// Connects a slot of a target, likewise.
    @discardableResult
    func connect(
      _ name: String, to target: Target, on queue: DispatchQueue? = nil
    ) -> SignalObserver {
      let body = body(name) { _ in }
      return signal.connect(target, on: queue) { target, value in
        target.use()
        body(value)
      }
    }

    /// Connects a slot that runs on the main queue, likewise.
    @discardableResult
    func connectOnMain(_ name: String) -> SignalObserver {
      let body = body(name) { _ in }
      return signal.connect { value in body(value) }
    }

    func emit(_ values: Int...) {
      for value in values { emitter?.invoke(value) }
    }

    func drain(_ queue: DispatchQueue) { explorer.drain(queue) }

    /// Runs the first thing on `queue`.
    func drainOnce(_ queue: DispatchQueue) { explorer.drain(queue, limit: 1) }

    /// Gives `queue` work of its own, which notes `value` when it runs.
    func give(_ queue: DispatchQueue, _ value: Int) {
      explorer.point()
      explorer.enqueue({ self.calls.append(("work", value)) }, on: queue)
    }

    /// Starts a task, which runs where ``tasks`` is drained.
    @discardableResult
    func start(_ body: @escaping @Sendable () async -> Void) -> Task<Void, Never> {
      Task(executorPreference: executor, operation: body)
    }

    /// Cancels a task in one step: the runtime holds a lock of its own meanwhile, which the task needs
    /// to go on, and the explorer does not see.
    func cancel(_ task: Task<Void, Never>) { explorer.cancel(task) }

    /// A variable by which one thread of the scenario hands something to another, as through a lock.
    func handed<Value>(_ value: Value) -> Handed<Value> { Handed(value, explorer) }

    func values(_ name: String) -> [Int] { calls.filter { $0.name == name }.map(\.value) }

    /// The names of those called with `value`, in order.
    func names(_ value: Int) -> [String] { calls.filter { $0.value == value }.map(\.name) }

    /// A value of the scenario's own, which is dropped at its end if it is not before.
    func makeValue(_ initial: Int = 0) -> Variable<EmitterValue<Int>?> {
      let value = EmitterValue(initial)
      let signal = value.signal
      let variable = Variable<EmitterValue<Int>?>(value)
      own({ signal.slotCount }, { variable.value = nil })
      return variable
    }

    /// Another emitter of the scenario's own, likewise.
    func makeEmitter() -> Variable<EmitterArg<Int>?> {
      let emitter = EmitterArg<Int>()
      let signal = emitter.signal
      let variable = Variable<EmitterArg<Int>?>(emitter)
      own({ signal.slotCount }, { variable.value = nil })
      return variable
    }

    /// Counts slots that are elsewhere, and lets go of what has them at the end.
    func own(_ slots: @escaping () -> Int, _ end: @escaping () -> Void) {
      otherSlots.append(slots)
      ends.append(end)
    }

    func expect(_ text: String, _ holds: @escaping () -> Bool) {
      expectations.append((text, holds))
    }

    /// Ends the scenario, and returns what did not hold.
    func finish() -> String? {
      // They hold the world.
      defer { (expectations, otherSlots, ends) = ([], [], []) }
      settle()
      if let broken = expectations.first(where: { !$0.holds() }) {
        return "not \(broken.text): \(calls.map { "\($0.name) \($0.value)" })"
      }
      if let calledWithoutCaptures {
        return "the captures of \(calledWithoutCaptures) went in a call"
      }
      // Nobody emits, so the captures of what was cancelled are gone.
      let connected = otherSlots.reduce(signal.slotCount) { $0 + $1() }
      if captures != connected { return "\(captures) captures of \(connected) slots" }
      emitter = nil
      for end in ends { end() }
      settle()
      return captures == 0 ? explorer.failureInControl : "\(captures) captures are left"
    }

    /// Runs what is on the queues.
    func settle() {
      for queue in [tasks, .global(), queue, .main, tasks] { drain(queue) }
    }

    // MARK: - Slots

    /// What a slot of that name calls.
    func body(
      _ name: String, _ action: @escaping (Int) -> Void = { _ in }
    ) -> @Sendable (Int) -> Void {
      captures += 1
      bodies += 1
      let number = bodies
      let captured = Capture {
        self.captures -= 1
        self.gone.insert(number)
      }
      // The baton orders the calls of what is not `Sendable`.
      nonisolated(unsafe) let action = action
      return { value in
        captured.use()
        self.calls.append((name, value))
        self.callsInProgress[name, default: 0] += 1
        if self.callsInProgress[name] != 1 { self.overlaps.insert(name) }
        self.explorer.point()
        unsafe action(value)
        self.callsInProgress[name, default: 0] -= 1
        if self.gone.contains(number) { self.calledWithoutCaptures = name }
      }
    }
  }

  /// Runs tasks on a queue that a thread of the scenario plays.
  ///
  /// `@unchecked Sendable`: constant; the explorer is used by the thread with the baton only.
  private final class QueueExecutor: TaskExecutor, @unchecked Sendable {
    private let explorer: Explorer
    private let queue: DispatchQueue

    init(_ explorer: Explorer, _ queue: DispatchQueue) {
      self.explorer = explorer
      self.queue = queue
    }

    func enqueue(_ job: consuming ExecutorJob) {
      let job = UnownedJob(job)
      explorer.enqueue({ unsafe job.runSynchronously(on: self.asUnownedTaskExecutor()) }, on: queue)
    }
  }

  /// An object that says when it is released.
  final class Capture: @unchecked Sendable {
    private let onEnd: () -> Void

    init(onEnd: @escaping () -> Void) { self.onEnd = onEnd }

    deinit { onEnd() }

    func use() {}
  }

  /// A target that stops the program if it is called after its death.
  final class Target: Sendable {
    func use() {}
  }

  /// See ``World/handed(_:)``.
  ///
  /// `@unchecked Sendable`: only the thread with the baton touches it.
  final class Handed<Value>: @unchecked Sendable {
    private var stored: Value
    private let explorer: Explorer

    init(_ value: Value, _ explorer: Explorer) {
      (stored, self.explorer) = (value, explorer)
    }

    var value: Value {
      get {
        explorer.meet(place)
        return stored
      }
      set {
        explorer.meet(place)
        stored = newValue
      }
    }

    /// Beside the numbers that the library's places have.
    private var place: UInt { .max - UInt(bitPattern: ObjectIdentifier(self)) }
  }

  /// A variable of one thread of the scenario, or of what is checked at its end.
  ///
  /// `@unchecked Sendable`: only the thread with the baton touches it.
  final class Variable<Value>: @unchecked Sendable {
    var value: Value

    init(_ value: Value) { self.value = value }
  }
#endif
