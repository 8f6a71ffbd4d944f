/// What the library is to do, on one thread, in the simplest words: the reference.
final class Model: System, @unchecked Sendable {
  struct Slot {
    let form: Operation.Form
    let place: Operation.Place
    let source: Operation.Source
    /// The target's number; a target that dies is followed by one with another number.
    let target: Int?
    let signal: Int
    /// Whether `connect` has returned the observer.
    var isKnown = false
    var isCancelled = false
    var isSuspended = false
  }

  /// What waits for a place, in the order of emission (guarantee 18).
  struct Entry {
    let slot: Int
    let value: Int
    /// Whether it was emitted where the slot could have run at once.
    let isHere: Bool
    /// Whether the slot ends here, because its emitter has died.
    var isEnd = false
  }

  /// Where slots wait.
  enum Lane: Hashable {
    case queue(Int)
    case main
    case actor(Int)
  }

  /// The number of the actor of a slot that is on one: there are few, so that slots share them.
  static func actor(of slot: Int) -> Int { slot % 3 }

  /// An emission: its slots that have not been called yet.
  struct Emission {
    let signal: Int
    let value: Int
    /// What slots of changes are sent.
    let change: Int
    var rest: ArraySlice<Int>
    /// The number of the actor that it is made on, if that is known.
    let actor: Int?
    let thread: Thread
  }

  /// A drain of a queue has a thread of its own.
  enum Thread: Hashable {
    case main
    case queue(Int)
  }

  /// What is done with a value, one at a time (guarantee 16).
  enum Turn {
    case change(old: Int, new: Int)
    /// A slot that is connected and given what was the current value, unless it is of changes.
    case connection(slot: Int, Int)
    case end
  }

  struct Value {
    var current = 0
    var turns: [Turn] = []
    var isTaken = false
  }

  private(set) var slots: [Slot] = []
  /// The connected slots of each signal, in order, those of values among them.
  private var orders: [[Int]] = [[], []]
  /// The signals that are used.
  private var (signal, value) = (0, 1)
  /// The values, by their signals.
  private var values = [1: Value()]
  var currentValue: Int { values[value, default: Value()].current }
  private var emissions: [Emission] = []
  /// The numbers of the targets that are alive, by index.
  private(set) var targets = [0, 1, 2, 3]
  private var targetCount = 4
  private var targetsInUse: [Int] = []
  private var lanes: [Lane: [Entry]] = [:]
  private var lanesInUse: Set<Lane> = []
  private var queuesInUse: Set<Int> = []
  private var thread = Thread.main
  let fault: String?

  init(seed: UInt64, fault: String?) {
    self.fault = fault
    super.init(seed: seed)
  }

  var slotCount: Int { orders[signal].filter { !isTargetGone($0) }.count }

  /// Whether the library is to say so, having looked at the target.
  func isCancelled(_ slot: Int) -> Bool {
    slots[slot].isCancelled || isTargetGone(slot)
  }

  /// How many captures are alive once every target has been looked at.
  var captureCount: Int {
    slots.indices.count { slots[$0].form.captures && !isCancelled($0) }
  }

  override func look() {
    for slot in slots.indices where !slots[slot].isCancelled && isTargetGone(slot) { cancel(slot) }
  }

  override func perform(_ operation: Operation) {
    switch operation {
    case .connect(let form, let place, let source, let target):
      // An actor that is the target is not killed.
      let form = place == .target ? .targetClosure : form
      let isMortal = form != .closure && place != .target
      slots.append(
        Slot(
          form: form, place: place, source: source,
          target: isMortal ? targets[target % targets.count] : nil,
          signal: source == .event ? signal : value))
      // Who connects holds the target meanwhile.
      targetsInUse.append(targets[target % targets.count])
      connect(slots.count - 1)
      targetsInUse.removeLast()
    case .cancel(let number): if let slot = knownSlot(number) { cancel(slot) }
    case .suspend(let number): if let slot = knownSlot(number) { slots[slot].isSuspended = true }
    case .resume(let number): if let slot = knownSlot(number) { slots[slot].isSuspended = false }
    case .emit(let value): emit(value, on: nil)
    case .emitOnActor(let number, let value):
      if !slots.isEmpty { emit(value, on: actor(number)) }
    case .emitMany(let value): for offset in 0..<150 { emit(value + offset, on: nil) }
    case .set(let new): set(new, on: nil)
    case .setOnActor(let number, let new):
      if !slots.isEmpty { set(new, on: actor(number)) }
    case .drain(let queue): drain(queue: queue)
    case .drainMain: drainMain()
    case .drainActor(let number): if !slots.isEmpty { drainActor(of: number % slots.count) }
    case .kill(let target):
      targets[target % targets.count] = targetCount
      targetCount += 1
    case .cancelAll: for slot in orders[signal] { cancel(slot) }
    case .destroyEmitter:
      let old = signal
      signal = newSignal()
      endIfUnused(old)
    case .cancelAllOfValue:
      for case .connection(let slot, _) in values[value]?.turns ?? [] { cancel(slot) }
      for slot in orders[value] { cancel(slot) }
    case .destroyValue:
      let old = value
      value = newSignal()
      values[value] = Value()
      take(.end, of: old, on: nil)
    }
  }

  private func knownSlot(_ number: Int) -> Int? {
    let slot = number % max(1, slots.count)
    return slot < slots.count && slots[slot].isKnown ? slot : nil
  }

  private func newSignal() -> Int {
    orders.append([])
    return orders.count - 1
  }

  // MARK: - Values

  private func connect(_ slot: Int) {
    defer { slots[slot].isKnown = true }
    if slots[slot].source == .event {
      orders[signal].append(slot)
    } else {
      take(.connection(slot: slot, currentValue), of: value, on: nil)
    }
  }

  private func set(_ new: Int, on actor: Int?) {
    let old = currentValue
    values[value]?.current = new
    take(.change(old: old, new: new), of: value, on: actor)
  }

  /// Takes a turn, and those that are asked for meanwhile; or asks for it.
  private func take(_ turn: Turn, of value: Int, on actor: Int?) {
    values[value]?.turns.append(turn)
    if values[value]?.isTaken == true { return }
    values[value]?.isTaken = true
    while values[value]?.turns.isEmpty == false {
      switch values[value]?.turns.removeFirst() {
      case .change(let old, let new):
        emit(new, of: value, change: Self.change(old, new), on: actor)
      case .connection(let slot, let current) where !slots[slot].isCancelled:
        orders[value].append(slot)
        if slots[slot].source == .value { receive(slot, current, actor) }
      case .end: end(value)
      default: break
      }
    }
    values[value]?.isTaken = false
  }

  /// Old and new as one number.
  static func change(_ old: Int, _ new: Int) -> Int { old * 1009 + new }

  // MARK: - Emissions

  private func emit(_ value: Int, on actor: Int?) {
    let signal = signal
    emit(value, of: signal, change: 0, on: actor)
    endIfUnused(signal)
  }

  private func emit(_ value: Int, of signal: Int, change: Int, on actor: Int?) {
    // Guarantees 1 and 2: those connected now, in order.
    let rest = fault == "order" ? orders[signal].reversed()[...] : orders[signal][...]
    emissions.append(
      Emission(
        signal: signal, value: value, change: change, rest: rest, actor: actor,
        thread: thread))
    let level = emissions.count - 1
    // Guarantee 5: what outer emissions of the thread owe to later slots goes first.
    for outer in 0...level
    where emissions[outer].signal == signal && emissions[outer].thread == thread {
      while let slot = emissions[outer].rest.popFirst() {
        let emission = emissions[outer]
        let value = slots[slot].source == .changes ? emission.change : emission.value
        receive(slot, value, emission.actor)
      }
    }
    emissions.removeLast()
  }

  private func receive(_ slot: Int, _ value: Int, _ actor: Int?) {
    if slots[slot].isCancelled || slots[slot].isSuspended { return }
    guard let lane = lane(of: slot) else { return deliver(slot, value) }
    // An emission on another actor is known not to be on the main actor; where the actor is unknown, it
    // counts as the slot's.
    let (isOnPlace, isHere) =
      switch lane {
      case .queue: (false, false)
      case .main: (actor == nil && thread == .main, actor == nil && thread == .main)
      case .actor(let own): (actor == own, actor == own || actor == nil)
      }
    let waiting = lanes[lane, default: []]
    if isOnPlace, !waiting.contains(where: { $0.slot == slot || $0.isHere }) {
      return deliver(slot, value)
    }
    // Unless a drain is at work, which comes to it.
    if !lanesInUse.contains(lane), isTargetGone(slot) { return cancel(slot) }
    lanes[lane, default: []].append(Entry(slot: slot, value: value, isHere: isHere))
  }

  private func lane(of slot: Int) -> Lane? {
    switch slots[slot].place {
    case .inline: nil
    case .firstQueue: .queue(0)
    case .secondQueue: .queue(1)
    case .main: .main
    case .actor, .target: .actor(Self.actor(of: slot))
    }
  }

  /// Guarantee 8: a target is held while its slot runs, and no longer.
  private func deliver(_ slot: Int, _ value: Int) {
    if isTargetGone(slot) { return cancel(slot) }
    if let target = slots[slot].target { targetsInUse.append(target) }
    switch slots[slot].form {
    case .closure, .targetClosure: call(slot, value)
    case .method: call(1_000_000 + (slots[slot].target ?? 0), value)
    case .methodWithoutArguments: call(1_000_000 + (slots[slot].target ?? 0), -1)
    case .map: call(slot, value + 1)
    }
    if slots[slot].target != nil { targetsInUse.removeLast() }
  }

  // MARK: - Drains

  private func drain(queue: Int) {
    if !queuesInUse.insert(queue).inserted { return }
    let outer = thread
    thread = .queue(queue)
    drain(.queue(queue))
    thread = outer
    queuesInUse.remove(queue)
  }

  private var isDrainingMain = false

  private func drainMain() {
    if thread != .main || isDrainingMain { return }
    isDrainingMain = true
    drain(.main)
    isDrainingMain = false
  }

  private var isDrainingActor = false

  private func drainActor(of slot: Int) {
    guard isActorSlot(slot), slots[slot].isKnown, !isDrainingActor else { return }
    isDrainingActor = true
    drain(.actor(Self.actor(of: slot)))
    isDrainingActor = false
  }

  private func actor(_ number: Int) -> Int? {
    let slot = number % slots.count
    return isActorSlot(slot) ? Self.actor(of: slot) : nil
  }

  func isActorSlot(_ slot: Int) -> Bool {
    slots[slot].place == .actor || slots[slot].place == .target
  }

  /// Delivers all that waits.
  private func drain(_ lane: Lane) {
    lanesInUse.insert(lane)
    defer { lanesInUse.remove(lane) }
    while lanes[lane]?.isEmpty == false, let entry = lanes[lane]?.removeFirst() {
      if entry.isEnd {
        cancel(entry.slot)
      } else if !slots[entry.slot].isSuspended {
        deliver(entry.slot, entry.value)
      }
    }
  }

  // MARK: - Ends

  private func isTargetGone(_ slot: Int) -> Bool {
    guard let target = slots[slot].target else { return false }
    return !targets.contains(target) && !targetsInUse.contains(target)
  }

  private func cancel(_ slot: Int) {
    slots[slot].isCancelled = true
    if let lane = lane(of: slot) { lanes[lane]?.removeAll { $0.slot == slot } }
    orders[slots[slot].signal].removeAll { $0 == slot }
  }

  /// Guarantee 10: connections end with the emitter, which an emission holds, but not before what it
  /// sent is delivered.
  private func endIfUnused(_ signal: Int) {
    if signal == self.signal || emissions.contains(where: { $0.signal == signal }) { return }
    end(signal)
  }

  private func end(_ signal: Int) {
    for slot in orders[signal] {
      if let lane = lane(of: slot), lanes[lane]?.contains(where: { $0.slot == slot }) == true {
        lanes[lane]?.append(Entry(slot: slot, value: 0, isHere: false, isEnd: true))
      } else {
        cancel(slot)
      }
    }
    orders[signal] = []
  }
}
