#if SO_EXPLORE
  import Dispatch
  import SignalObserver

  /// The objects that one schedule of a scenario uses, and a record of what happened.
  ///
  /// `@unchecked Sendable`: only the thread with the explorer's baton uses it.
  final class World: @unchecked Sendable {
    private let explorer: Explorer
    /// The emitter; nil once the scenario has released it.
    var emitter: EmitterArg<Int>?
    let signal: SignalArg<Int>
    /// Another emitter, if the scenario has one.
    var other: EmitterArg<Int>?
    /// Connections that slots cancel, by their names.
    var observers: [String: SignalObserver] = [:]
    let queue = DispatchQueue(label: "a queue")
    /// The queue on which tasks run.
    let tasks = DispatchQueue(label: "tasks")
    private let executor: QueueExecutor
    /// The calls in the order in which they began, each with the name of the slot and the payload.
    private(set) var calls: [(name: String, value: Int)] = []
    /// The expectations of the scenario at its end.
    private var expectations: [(line: String, holds: () -> Bool)] = []
    private(set) var captures = 0
    /// The threads that released the captures of slots, by name.
    private(set) var releasers: [String: Int] = [:]
    /// The threads that are in each slot.
    private var callsInProgress: [String: [Int]] = [:]
    private(set) var overlaps: Set<String> = []
    /// The numbers of the slots whose captures have been released, and of a slot that was being
    /// called then.
    private var gone: Set<Int> = []
    private var calledWithoutCaptures: String?
    private var bodies = 0
    /// Functions that count the slots of other signals than ``signal``.
    private var otherSlots: [() -> Int] = []
    /// Functions that release the rest of the scenario.
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

    /// Connects a slot that captures an object and notes its calls.
    ///
    /// It runs inline if `queue` is nil.
    @discardableResult
    func connect(
      _ name: String, on queue: DispatchQueue? = nil,
      then action: @escaping (Int) -> Void = { _ in }
    ) -> SignalObserver {
      signal.connect(on: queue, body(name, action))
    }

    /// Connects such a slot with a target.
    @discardableResult
    func connect(
      _ name: String, to target: Target?, on queue: DispatchQueue? = nil
    ) -> SignalObserver? {
      guard let target else { return nil }
      let body = body(name)
      return signal.connect(target, on: queue) { target, value in
        target.use()
        body(value)
      }
    }

    /// Connects such a slot to a value.
    @discardableResult
    func connect(
      _ name: String, to value: Variable<EmitterValue<Int>?>, on queue: DispatchQueue? = nil,
      then action: @escaping (Int) -> Void = { _ in }
    ) -> SignalObserver? {
      value.value?.signal.connect(on: queue, body(name, action))
    }

    /// Connects such a slot that runs on the main queue.
    @discardableResult
    func connectOnMain(_ name: String) -> SignalObserver {
      let body = body(name)
      return signal.connect { value in body(value) }
    }

    func emit(_ values: Int...) {
      for value in values { emitter?.invoke(value) }
    }

    /// Emits, and releases the emitter.
    func emitLast(_ values: Int...) {
      for value in values { emit(value) }
      emitter = nil
    }

    /// Emits, and drains the main queue.
    func emitOnMain(_ values: Int...) {
      for value in values { emit(value) }
      drain(.main)
    }

    func drain(_ queue: DispatchQueue) { explorer.drain(queue) }

    /// Runs the first item of work on `queue`.
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

    /// Cancels a task in one step.
    ///
    /// The runtime holds a lock of its own meanwhile, which the task needs to continue, and which
    /// the explorer does not see.
    func cancel(_ task: Task<Void, Never>?) { if let task { explorer.cancel(task) } }

    /// Makes a variable through which one thread of the scenario passes something to another, as
    /// under a lock.
    func handed<Value>(_ value: Value) -> Handed<Value> { Handed(value, explorer) }

    func values(_ name: String) -> [Int] { calls.filter { $0.name == name }.map(\.value) }

    /// The payloads of all calls, in order, and those of the slots with these names.
    var payloads: [Int] { calls.map(\.value) }
    var a: [Int] { values("a") }
    var b: [Int] { values("b") }

    /// The names of the slots that were called with `value`, in order.
    func names(_ value: Int) -> [String] { calls.filter { $0.value == value }.map(\.name) }

    /// Makes a value, which is released at the end of the scenario at the latest.
    func makeValue(_ initial: Int = 0) -> Variable<EmitterValue<Int>?> {
      let value = EmitterValue(initial)
      let signal = value.signal
      let variable = Variable<EmitterValue<Int>?>(value)
      own({ signal.slotCount }, { variable.value = nil })
      return variable
    }

    /// Makes ``other``, which is released at the end of the scenario at the latest.
    func makeOther() -> SignalArg<Int> {
      let emitter = EmitterArg<Int>()
      let signal = emitter.signal
      other = emitter
      own({ signal.slotCount }, { self.other = nil })
      return signal
    }

    /// Adds a function that counts slots of other signals, and one that releases those signals at
    /// the end.
    func own(_ slots: @escaping () -> Int, _ end: @escaping () -> Void) {
      otherSlots.append(slots)
      ends.append(end)
    }

    /// Adds what must be true in the end.
    func expect(
      _ holds: @autoclosure @escaping () -> Bool, file: String = #fileID, line: Int = #line
    ) { expectations.append(("\(file):\(line)", holds)) }

    func expect(
      file: String = #fileID, line: Int = #line, _ holds: @escaping () -> Bool
    ) { expectations.append(("\(file):\(line)", holds)) }

    /// Notes whether the schedule has reached a situation that some schedule must reach.
    ///
    /// If none does, the scenario tests nothing.
    func reach(_ what: String, if holds: Bool) {
      explorer.reached[what] = explorer.reached[what] == true || holds
    }

    /// Whether `thread` has found the state of a connection changed before its exchange.
    func isSurprised(_ thread: Int) -> Bool { explorer.surprised.contains(thread) }

    /// Ends the scenario, and returns the expectation that failed, if there is one.
    func finish() -> String? {
      // These functions hold the world.
      defer { (expectations, otherSlots, ends, observers) = ([], [], [], [:]) }
      settle()
      if let broken = expectations.first(where: { !$0.holds() }) {
        return "\(broken.line) does not hold: \(calls.map { "\($0.name) \($0.value)" })"
      }
      if let calledWithoutCaptures {
        return "the captures of \(calledWithoutCaptures) were released in a call"
      }
      // Nobody emits, so the captures of cancelled slots must have been released.
      let connected = otherSlots.reduce(signal.slotCount) { $0 + $1() }
      if captures != connected { return "\(captures) captures of \(connected) slots" }
      emitter = nil
      for end in ends { end() }
      settle()
      return captures == 0 ? explorer.failure : "\(captures) captures are left"
    }

    /// Runs the work on the queues.
    func settle() {
      for queue in [tasks, .global(), queue, .main, tasks] { drain(queue) }
    }

    // MARK: - Slots

    /// Returns the function of a slot with a name.
    func body(
      _ name: String, _ action: @escaping (Int) -> Void = { _ in }
    ) -> @Sendable (Int) -> Void {
      captures += 1
      bodies += 1
      let number = bodies
      let captured = Capture {
        self.captures -= 1
        self.releasers[name] = self.explorer.actor
        self.gone.insert(number)
      }
      // The function is not `Sendable`, but the baton orders its calls.
      nonisolated(unsafe) let action = action
      return { value in
        captured.use()
        self.calls.append((name, value))
        let thread = self.explorer.actor
        self.callsInProgress[name, default: []].append(thread)
        if self.callsInProgress[name]?.allSatisfy({ $0 == thread }) == false {
          self.overlaps.insert(name)
        }
        self.explorer.point()
        unsafe action(value)
        self.callsInProgress[name]?.removeLast()
        if self.gone.contains(number) { self.calledWithoutCaptures = name }
      }
    }
  }

  extension Variable where Value == EmitterValue<Int>? {
    func set(_ values: Int...) { for number in values { value?.set(number) } }
  }

  /// Runs tasks on a queue that a thread of the scenario plays.
  ///
  /// `@unchecked Sendable`: it is constant, and only the thread with the baton uses the explorer.
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

  /// An object that notes its release.
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
  /// `@unchecked Sendable`: only the thread with the baton uses it.
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

    /// This number differs from those of the library's places.
    private var place: UInt { .max - UInt(bitPattern: ObjectIdentifier(self)) }
  }

  /// A variable that one thread of the scenario uses, and the checks at its end.
  ///
  /// `@unchecked Sendable`: only the thread with the baton uses it.
  final class Variable<Value>: @unchecked Sendable {
    var value: Value

    init(_ value: Value) { self.value = value }
  }
#endif
