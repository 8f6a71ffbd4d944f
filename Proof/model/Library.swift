import Dispatch
import Foundation
import SignalObserver
import SignalObserverTesting
import Synchronization

/// The library, driven by the same operations as the ``Model``.
///
/// This class makes everything deterministic that is not so by itself. Queues are suspended except
/// during a drain. Slots on actors have executors that run their jobs when they are told to, and so
/// have tasks on no actor. A clock stands still until it is moved. A run loop that takes one turn at
/// a time runs the main queue.
final class Library: System, @unchecked Sendable {
  private var emitters = [EmitterArg<Counted>(), EmitterArg<Counted>()]
  private var gone: [SignalArg<Counted>] = []
  private var values: [EmitterValue<Counted>] = []
  /// The replays of the emitters, including earlier ones, because a replay records as long as it is
  /// held.
  private var replays: [SignalReplay<Counted>] = []
  private var oldReplays: [SignalReplay<Counted>] = []
  /// The handles of the bonds between present and earlier values.
  private var bonds: [SignalObserver] = []
  private var bondsInMaking = 0
  /// The observers; nil while `connect`, which delivers the current value, has not returned.
  private(set) var observers: [SignalObserver?] = []
  private var actors: [Int: SlotActor] = [:]
  private var targets: [Target] = []
  private var targetCount = 0
  private let queues = [DispatchQueue(label: "first"), DispatchQueue(label: "second")]
  private let taskQueue = DispatchQueue(label: "tasks")
  private let clock = ManualClock()
  private var queuesInUse: Set<Int> = []
  /// The queues that have slots.
  private var usedQueues: Set<Int> = []
  private var isDrainingMain = false
  private var isDrainingActor = false

  override init(seed: UInt64) {
    super.init(seed: seed)
    values = [newValue(0), newValue(1)]
    for queue in queues { queue.suspend() }
    for _ in 0..<4 { targets.append(newTarget()) }
    gone = emitters.map(\.signal)
    replays = [newReplay(0), newReplay(1)]
  }

  var slotCounts: [Int] { (emitters.map(\.signal) + gone).map(\.slotCount) }
  var currentValues: [Int] { values.map(\.value.number) }
  subscript(value side: Int) -> Counted {
    get { values[side].value }
    set { values[side].set(newValue) }
  }
  var properties: [Int] { targets.map(\.shown.number) }
  var droppedCounts: [Int] { replays.map(\.droppedCount) }

  override func look() {
    for observer in observers { _ = observer?.isCancelled }
  }

  override func perform(_ operation: Operation) {
    switch operation {
    case .connect(let form, let place, let source, let side, let number):
      connect(form, place, number, to: signal(source, side, isOfValue: isOfValue(number)))
    case .bond(let side):
      let slot = observers.count
      observers.append(nil)
      bondsInMaking += 1
      let bond = values[side].bond(givingTo: values[1 - side])
      bondsInMaking -= 1
      observers[slot] = bond
      bonds.append(bond)
    case .cancel(let number): observer(number)?.cancel()
    case .suspend(let number): observer(number)?.suspend()
    case .resume(let number): observer(number)?.resume()
    case .emit(let value, let side): emitters[side].invoke(payload(value))
    case .emitOnActor(let number, let value, let side):
      if let actor = actors[number % max(1, observers.count)] {
        actor.assumeIsolated { emitters[side].invoke(payload(value), isolation: $0) }
      } else if !observers.isEmpty {
        emitters[side].invoke(payload(value))
      }
    case .emitMany(let value, let side):
      for offset in 0..<150 { emitters[side].invoke(payload(value + offset)) }
    case .set(let new, let side): values[side].set(payload(new))
    case .modify(let number, let side):
      values[side].modify { $0 = payload(($0.number + number) % 1000) }
    case .setOnActor(let number, let new, let side):
      if let actor = actors[number % max(1, observers.count)] {
        actor.assumeIsolated { values[side].set(payload(new), isolation: $0) }
      } else if !observers.isEmpty {
        values[side].set(payload(new))
      }
    case .drain(let queue): drain(queue)
    case .advance(let seconds): advance(seconds)
    case .drainMain: drainMain()
    case .drainActor(let number): drainActor(number % max(1, observers.count))
    case .kill(let target): targets[target % targets.count] = newTarget()
    case .cancelAll(let side):
      emitters[side].cancelAllObservers()
      renewReplay(side)
    case .destroyEmitter(let side):
      gone[side] = emitters[side].signal
      // A slot that its end calls uses the array.
      var emitter = EmitterArg<Counted>()
      swap(&emitters[side], &emitter)
      emitter = EmitterArg()
      renewReplay(side)
    case .cancelAllOfValue(let side):
      if bondsInMaking > 0 { return }
      endBonds()
      values[side].cancelAllObservers()
    case .destroyValue(let side):
      var value = newValue(side)
      swap(&values[side], &value)
    }
  }

  private func newValue(_ side: Int) -> EmitterValue<Counted> {
    guard isCustom(side) else { return EmitterValue(payload(0)) }
    let stored = Stored(payload(0))
    return EmitterValue(
      get: { stored.value.withLock { $0 } }, set: { new in stored.value.withLock { $0 = new } })
  }

  private func renewReplay(_ side: Int) {
    oldReplays.append(replays[side])
    replays[side] = newReplay(side)
  }

  private func newReplay(_ side: Int) -> SignalReplay<Counted> {
    let signal = emitters[side].signal
    return isOnce(side)
      ? signal.replayOnce(keepsOldest ? .oldest(2) : .newest(2)) : signal.replay(2)
  }

  /// Ends the bonds by their handles.
  ///
  /// If the values ended them, another thread might be calling a part, and the model does not say
  /// when that part is released.
  private func endBonds() {
    for bond in bonds { bond.cancel() }
    bonds = []
  }

  /// Destroys the emitters and the values, which ends every slot, and leaves nothing on any queue or
  /// executor.
  ///
  /// - Returns: What is left that should not be.
  func finish() -> String? {
    calmDown()
    for side in 0..<2 {
      perform(.destroyEmitter(side: side))
      perform(.destroyValue(side: side))
    }
    advance(Operation.Source.period)
    repeat {
      for queue in queues.indices { drain(queue) }
      drainMain()
      for actor in actors.values { actor.executor.run() }
    } while queues.contains { SignalObserver.isDrainDue(on: $0) }
    // Not before: a slot on the other queue would run beside what else is drained.
    for queue in queues { queue.resume() }
    let slots = observers.count { $0?.isCancelled == false }
    let captures = captures.number
    for observer in observers { observer?.cancel() }
    return slots + captures == 0
      ? nil : "\(slots) slots and \(captures) captures are left of dead emitters"
  }

  private func observer(_ number: Int) -> SignalObserver? {
    observers.isEmpty ? nil : observers[number % observers.count]
  }

  private func newTarget() -> Target {
    defer { targetCount += 1 }
    return Target(1_000_000 + targetCount, self)
  }

  // MARK: - Connecting

  private func signal(
    _ source: Operation.Source, _ side: Int, isOfValue: Bool
  ) -> any SignalSource<Counted> & Sendable {
    let (event, otherEvent) = (emitters[side].signal, emitters[1 - side].signal)
    let (value, otherValue) = (values[side].signal, values[1 - side].signal)
    switch source {
    case .event: return event
    case .gone: return gone[side]
    case .value: return value
    case .replay: return replays[side]
    case .changes: return Adapted { value.changes.attach($0.adapted { Model.fold($0, $1) }) }
    case .merged: return Adapted { merge(event, otherEvent).attach($0) }
    case .latest:
      return Adapted { slot in
        combineLatest(value, otherValue).attach(slot.adapted { Model.fold($0.0, $0.1) })
      }
    default:
      return isOfValue
        ? Operated(base: value, partner: otherValue, end: otherEvent, source: source, clock: clock)
        : Operated(base: event, partner: otherEvent, end: otherEvent, source: source, clock: clock)
    }
  }

  private func connect(
    _ form: Operation.Form, _ place: Operation.Place, _ number: Int,
    to signal: some SignalSource<Counted> & Sendable
  ) {
    let slot = observers.count
    observers.append(nil)
    if form == .binding {
      // The sides alternate, so that values are bound to events, and events to values.
      let side = number % 4 / 2
      let observer =
        number % 2 == 0 ? signal.bind(to: emitters[side]) : signal.bind(to: values[side])
      observers[slot] = observer
      return
    }
    let target = targets[number % targets.count]
    withExtendedLifetime(target) {
      let property: any ReferenceWritableKeyPath<Target, Counted> & Sendable =
        switch side(ofProperty: number) {
        case 0: \.first
        case 1: \.second
        default: \.shown
        }
      observers[slot] = connect(form, place, target, property, slot, to: signal)
    }
  }

  private func connect(
    _ form: Operation.Form, _ place: Operation.Place, _ target: Target,
    _ property: any ReferenceWritableKeyPath<Target, Counted> & Sendable, _ slot: Int,
    to signal: some SignalSource<Counted> & Sendable
  ) -> SignalObserver {
    let capture = Counted(slot, captures)
    let call = { @Sendable [unowned self] (value: Counted) in
      self.call(capture.number, value.number)
    }
    let map = { @Sendable (value: Counted) in
      Mapped(slot: capture.number, value: value.number + 1)
    }
    switch place {
    case .inline, .firstQueue, .secondQueue:
      let index = place == .inline ? nil : place == .firstQueue ? 0 : 1
      let queue = index.map { queues[$0] }
      if let index { usedQueues.insert(index) }
      switch form {
      case .closure: return signal.connect(on: queue, call)
      case .method: return signal.connect(target, Target.show, queue)
      case .methodWithoutArguments: return signal.connect(target, Target.blink, queue)
      case .targetClosure: return signal.connect(target, on: queue) { _, value in call(value) }
      case .map: return signal.map(target, Target.showMapped, map, queue)
      case .property: return signal.bind(to: property, of: target, on: queue)
      case .binding: fatalError("has no place")
      }
    case .main:
      switch form {
      case .closure: return signal.connect { value in call(value) }
      case .method: return signal.connect(target, Target.show)
      case .methodWithoutArguments: return signal.connect(target, Target.blink)
      case .targetClosure: return signal.connect(target) { _, value in call(value) }
      case .map: return signal.map(target, Target.showMapped, map)
      case .property: return signal.bind(to: property, of: target)
      case .binding: fatalError("has no place")
      }
    case .actor:
      let actor = SlotActor()
      actors[slot] = actor
      return actor.assumeIsolated { actor in
        switch form {
        case .closure: return signal.connect(keeping: call, isolation: actor)
        case .method: return signal.connect(target, Target.show, isolation: actor)
        case .methodWithoutArguments:
          return signal.connect(target, Target.blink, isolation: actor)
        case .targetClosure:
          return signal.connect(target, { _, value in call(value) }, isolation: actor)
        case .map: return signal.map(target, Target.showMapped, map, isolation: actor)
        case .property: return signal.bind(to: property, of: target, isolation: actor)
        case .binding: fatalError("has no place")
        }
      }
    case .target:
      let actor = SlotActor()
      actors[slot] = actor
      return signal.connect(actor) { _, value in call(value) }
    }
  }

  // MARK: - Draining

  /// Runs the work of the queue, turn after turn, until nothing waits.
  private func drain(_ queue: Int) {
    if !usedQueues.contains(queue) || !queuesInUse.insert(queue).inserted { return }
    repeat { runTurn(of: queue) } while SignalObserver.isDrainDue(on: queues[queue])
    queuesInUse.remove(queue)
  }

  private func runTurn(of queue: Int) {
    let done = DispatchSemaphore(value: 0)
    queues[queue].async { [queue = queues[queue]] in
      queue.suspend()
      done.signal()
    }
    queues[queue].resume()
    done.wait()
  }

  private func drainMain() {
    if isDrainingMain || !queuesInUse.isEmpty { return }
    isDrainingMain = true
    repeat {
      let turn = Counter()
      DispatchQueue.main.async { turn.add(1) }
      while turn.number == 0 {
        _ = RunLoop.main.run(mode: .default, before: .distantPast)
      }
    } while SignalObserver.isDrainDue(on: .main)
    isDrainingMain = false
  }

  /// Moves the clock, and runs the tasks that it wakes, on a thread of their own.
  private func advance(_ seconds: Int) {
    Tasks.shared.run()
    (isDrainingMain, isDrainingActor) = (true, true)
    clock.advance(by: .seconds(seconds))
    if Tasks.shared.hasJobs {
      let done = DispatchSemaphore(value: 0)
      taskQueue.async {
        Tasks.shared.run()
        done.signal()
      }
      done.wait()
    }
    (isDrainingMain, isDrainingActor) = (false, false)
  }

  /// Runs the jobs of the actor.
  private func drainActor(_ slot: Int) {
    guard let actor = actors[slot], !isDrainingActor else { return }
    isDrainingActor = true
    actor.executor.run()
    isDrainingActor = false
  }
}

/// The target of slots that are methods.
///
/// `@unchecked Sendable`: one thread at a time uses it, as ``System`` explains.
final class Target: @unchecked Sendable {
  private let number: Int
  /// Unowned, because the library's side owns its targets, and outlives them.
  private unowned let library: Library

  init(_ number: Int, _ library: Library) {
    self.number = number
    self.library = library
  }

  func show(_ value: Counted) { library.call(number, value.number) }
  func blink() { library.call(number, -1) }
  func showMapped(_ mapped: Mapped) { library.call(mapped.slot, mapped.value) }

  private var stored = Counted.none
  var shown: Counted {
    get { stored }
    set {
      stored = newValue
      show(newValue)
    }
  }

  /// Properties over the values of the two sides.
  var first: Counted {
    get { library[value: 0] }
    set { library[value: 0] = newValue }
  }
  var second: Counted {
    get { library[value: 1] }
    set { library[value: 1] = newValue }
  }
}

/// A source whose payloads are one number each.
struct Adapted: SignalSource, Sendable {
  let body: @Sendable (SignalSlot<Counted>) -> SignalObserver

  func attach(_ slot: SignalSlot<Counted>) -> SignalObserver { body(slot) }
}

/// One of the operators of one source, or of two of one type.
struct Operated<Base: SignalSource<Counted> & Sendable>: SignalSource, Sendable {
  let base: Base
  let partner: Base
  let end: SignalArg<Counted>
  let source: Operation.Source
  let clock: ManualClock

  func attach(_ slot: SignalSlot<Counted>) -> SignalObserver {
    let period = Duration.seconds(Operation.Source.period)
    let pair = slot.adapted { (pair: (Counted, Counted)) in Model.fold(pair.0, pair.1) }
    return switch source {
    case .debounced: base.debounce(for: period, clock: clock).attach(slot)
    case .throttled: base.throttle(for: period, clock: clock).attach(slot)
    case .delayed: base.delay(for: period, clock: clock).attach(slot)
    case .leading: base.throttle(for: period, latest: false, clock: clock).attach(slot)
    case .collected:
      base.collect(2, for: period, clock: clock)
        .attach(slot.adapted { $0.reduce(.none, Model.fold) })
    case .zipped: base.zip(partner).attach(pair)
    case .scanned: base.scan(.none, Model.fold).attach(slot)
    case .reduced:
      base.reductions(into: .none) { $0 = Model.fold($0, $1) }.attach(slot)
    case .paired: base.pairwise().attach(pair)
    case .dropped: base.dropFirst().attach(slot)
    case .first: base.prefix(2).attach(slot)
    case .distinct: base.removeDuplicates().attach(slot)
    case .until: base.prefix(until: end).attach(slot)
    default: fatalError("no operator")
    }
  }
}

struct Mapped: Sendable {
  let slot: Int
  let value: Int
}

/// Where a value is kept behind a getter and a setter.
final class Stored: Sendable {
  let value: Mutex<Counted>

  init(_ value: Counted) { self.value = Mutex(value) }
}

/// An actor whose jobs run when its executor is told to.
actor SlotActor {
  nonisolated let executor = ManualExecutor()

  nonisolated var unownedExecutor: UnownedSerialExecutor {
    unsafe executor.asUnownedSerialExecutor()
  }
}

final class ManualExecutor: SerialExecutor {
  private let jobs = Mutex<[UnownedJob]>([])

  func enqueue(_ job: consuming ExecutorJob) {
    let job = UnownedJob(job)
    jobs.withLock { $0.append(job) }
  }

  /// Runs the jobs, those that tasks add meanwhile included.
  func run() {
    Tasks.shared.run()
    while let job = jobs.withLock({ $0.isEmpty ? nil : $0.removeFirst() }) {
      unsafe job.runSynchronously(on: asUnownedSerialExecutor())
      Tasks.shared.run()
    }
  }

  /// The test knows where it runs.
  func checkIsolated() {}
}
