/// The reference: what the library should do, on one thread, in the simplest code.
///
/// Emitters, values, replays and sources that combine values are *nodes*. A node has members:
/// slots, and the sides of slots that several nodes feed.
final class Model: System, @unchecked Sendable {
  struct Slot {
    let form: Operation.Form
    let place: Operation.Place
    let source: Operation.Source
    /// The change with which it begins to keep two values equal, if it does: its stamp, and the
    /// version of the value that it is from.
    ///
    /// Such a slot calls nobody.
    var given: (stamp: Int, version: Int)?
    var isBond: Bool { given != nil }
    /// The target's number.
    ///
    /// When a target dies, another number takes its place.
    var target: Int?
    /// The node to which a binding passes payloads.
    var destination: Int?
    /// The side of the values that its property reads and sets.
    var propertySide: Int?
    /// The nodes that feed it, and whether each still does.
    var sides: [(node: Int, isLive: Bool)] = []
    /// The latest payloads of both values.
    var latest: [Counted?] = [nil, nil]
    /// The node with the worklist in which pairs, or payloads that are due, wait for their turn.
    var worklist: Int?
    /// What an operator of time holds back.
    var pending: [(value: Counted, cause: Cause, due: Int)] = []
    /// The end of the window of `throttle`.
    var windowEnd = 0
    /// Whether a task waits until the first of them is due.
    var isWaiting = false
    /// Whether `connect` has returned the observer.
    var isKnown = false
    var isCancelled = false
    var isSuspended = false
  }

  /// A member of a node.
  enum Member: Equatable {
    case slot(Int)
    /// One side of a slot that two nodes feed.
    case side(Int, Int)
    case replay(Int)
  }

  /// A payload that waits for a place, in the order of emission (guarantee 18).
  struct Entry {
    let slot: Int
    /// The payload; nil if the slot ends here, because its emitter has died.
    let value: Counted?
    /// Whether it was emitted where the slot could have run at once.
    var isHere = false
    /// Why a binding passes it on.
    var cause = Cause()
  }

  /// The line in which the payloads of a place wait.
  ///
  /// Each slot on an actor has an actor of its own.
  enum Line: Hashable {
    case queue(Int)
    case main
    case actor(slot: Int)
  }

  /// Why a node emits: because the program says so, or because the node passes on what others have
  /// emitted.
  ///
  /// A payload that is passed on has taken the route through the nodes of `route`. The stamp says
  /// which of two changes is newer.
  struct Cause {
    var stamp = 0
    var route: [Int] = []
    /// The stamp of the emission that is passed on, for a cause that has no stamp of its own.
    var inherited = 0
  }

  /// An emission, with the members that it has not called yet.
  struct Emission {
    let node: Int
    let value: Counted
    /// The payload for slots of changes.
    let change: Counted
    var rest: ArraySlice<Member>
    let isOnActorOf: Int?
    let thread: Thread
    let cause: Cause
    /// Whether the library has asked if it is on the main queue.
    var isPlaceKnown = false
  }

  /// A drain of a queue has a thread of its own, and so have tasks that a clock wakes.
  enum Thread: Hashable {
    case main
    case queue(Int)
    case tasks
  }

  /// One turn of a node.
  ///
  /// Turns are taken one at a time (guarantee 16).
  enum Turn {
    case payload(Counted, old: Counted, Cause)
    /// A member to connect, with the payloads that the node had at the time of the call.
    case connection(Member, [Counted])
    /// A pair for a slot of two values, and whether the pair had to wait.
    case pair(slot: Int, Counted, Cause, waits: Bool)
    /// A payload that is due.
    case due(slot: Int, Counted, Cause)
    case end
  }

  /// The turns of a node that are to be taken.
  struct Worklist {
    /// Each turn, and whether it belongs to the thread that takes them.
    var turns: [(turn: Turn, isOwn: Bool)] = []
    /// The thread that takes them; nil if none is in progress.
    var thread: Thread?
    /// Whether the turn in progress belongs to it.
    var isOwn = true
  }

  struct Value {
    /// Whether a getter returns it, when it is delivered.
    let isCustom: Bool
    var current: Counted
    /// The number of changes and of equal payloads.
    var version = 0
    var stamp = 0
    /// The newest stamp of a change or of an equal payload.
    var seen = 0
  }

  private(set) var slots: [Slot] = []
  /// The members of each node, in order.
  private var orders: [[Member]] = []
  private var worklists: [Int: Worklist] = [:]
  /// The emitters, values and replays of the present, by side.
  private var emitters: [Int] = []
  private var gone: [Int] = []
  private var values: [Int] = []
  private var replays: [Int] = []
  private var states: [Int: Value] = [:]
  private var kept: [Int: [Counted]] = [:]
  /// How many calls in progress hold each emitter and value, and the nodes that have died.
  private var holds: [Int: Int] = [:]
  private var dead: Set<Int> = []
  private var bonds: [Int] = []
  private var bondsInMaking = 0
  private var stamp = 0
  /// Whether a thread has done so many turns that it may hand on those of others (guarantee 16).
  ///
  /// A global queue then takes them, at a time that is not defined.
  private(set) var isOver = false
  var currentValues: [Int] { values.map { current(of: $0).number } }
  /// What each target's stored property holds, by the target's number.
  private var shown: [Int: Counted] = [:]
  var properties: [Int] { targets.map { shown[$0]?.number ?? 0 } }
  private var emissions: [Emission] = []
  /// The emission whose slot is being called, by its index; nil in a drain.
  private var called: Int?
  /// The numbers of the targets that are alive, by index.
  private(set) var targets = [0, 1, 2, 3]
  private var targetCount = 4
  private var targetsInUse: [Int] = []
  private var lines: [Line: [Entry]] = [:]
  private var linesInUse: Set<Line> = []
  private var queuesInUse: Set<Int> = []
  private var thread = Thread.main
  private var now = 0
  /// The slots whose tasks sleep, in the order in which they wake, and those whose tasks have not
  /// run yet.
  private var sleepers: [(slot: Int, deadline: Int)] = []
  private var beginners: [Int] = []
  let fault: String?

  init(seed: UInt64, fault: String?) {
    self.fault = fault
    super.init(seed: seed)
    emitters = [newNode(), newNode()]
    gone = emitters
    values = [newValue(0), newValue(1)]
    replays = emitters.map { newReplay(of: $0) }
  }

  var slotCounts: [Int] {
    (emitters + gone).map { node in
      orders[node].count { member in
        switch member {
        case .slot(let slot), .side(let slot, _): !isTargetGone(slot)
        case .replay: true
        }
      }
    }
  }

  /// Whether the library should say that the slot is cancelled, once it has looked at the target.
  func isCancelled(_ slot: Int) -> Bool {
    slots[slot].isCancelled || isTargetGone(slot)
  }

  /// The number of captures that are alive once the library has looked at every target.
  var captureCount: Int {
    slots.indices.count { slots[$0].form.captures && !slots[$0].isBond && !isCancelled($0) }
  }

  override func look() {
    shown = shown.filter { isAlive(target: $0.key) }
    for slot in slots.indices where !slots[slot].isCancelled && isTargetGone(slot) { cancel(slot) }
  }

  override func perform(_ operation: Operation) {
    switch operation {
    case .connect(let form, let place, let source, let side, let target):
      connect(form, place, source, side, target)
    case .bond(let side): connectBond(side)
    case .cancel(let number): if let slot = knownSlot(number) { cancel(slot) }
    case .suspend(let number): if let slot = knownSlot(number) { slots[slot].isSuspended = true }
    case .resume(let number): if let slot = knownSlot(number) { slots[slot].isSuspended = false }
    case .emit(let value, let side): emit(value, side, onActorOf: nil)
    case .emitOnActor(let number, let value, let side):
      if !slots.isEmpty { emit(value, side, onActorOf: actorSlot(number)) }
    case .emitMany(let value, let side):
      for offset in 0..<150 { emit(value + offset, side, onActorOf: nil) }
    case .set(let new, let side): set(values[side], payload(new), onActorOf: nil, nil)
    case .modify(let number, let side):
      let new = payload((current(of: values[side]).number + number) % 1000)
      set(values[side], new, onActorOf: nil, nil)
    case .setOnActor(let number, let new, let side):
      if !slots.isEmpty { set(values[side], payload(new), onActorOf: actorSlot(number), nil) }
    case .drain(let queue): drain(queue: queue)
    case .advance(let seconds): advance(seconds)
    case .drainMain: drainMain()
    case .drainActor(let number): if !slots.isEmpty { drainActor(of: number % slots.count) }
    case .kill(let target):
      targets[target % targets.count] = targetCount
      targetCount += 1
    case .cancelAll(let side):
      for member in orders[emitters[side]] { drop(member, of: emitters[side]) }
      replays[side] = newReplay(of: emitters[side])
    case .destroyEmitter(let side):
      gone[side] = emitters[side]
      emitters[side] = newNode()
      dieIfUnused(gone[side])
      replays[side] = newReplay(of: emitters[side])
    case .cancelAllOfValue(let side):
      if bondsInMaking > 0 { return }
      for bond in bonds { cancel(bond) }
      bonds = []
      for case .connection(let member, _) in worklists[values[side]]?.turns.map(\.turn) ?? [] {
        drop(member, of: values[side])
      }
      for member in orders[values[side]] { drop(member, of: values[side]) }
    case .destroyValue(let side):
      let old = values[side]
      values[side] = newValue(side)
      dieIfUnused(old)
    }
  }

  private func knownSlot(_ number: Int) -> Int? {
    let slot = number % max(1, slots.count)
    return slot < slots.count && slots[slot].isKnown ? slot : nil
  }

  private func newNode() -> Int {
    orders.append([])
    return orders.count - 1
  }

  private func newValue(_ side: Int) -> Int {
    let node = newNode()
    states[node] = Value(isCustom: isCustom(side) && fault != "custom", current: payload(0))
    return node
  }

  private func current(of value: Int) -> Counted { states[value]?.current ?? .none }

  private func newReplay(of emitter: Int) -> Int {
    let node = newNode()
    kept[node] = []
    orders[emitter].append(.replay(node))
    return node
  }

  // MARK: - Connecting

  private func connect(
    _ form: Operation.Form, _ place: Operation.Place, _ source: Operation.Source, _ side: Int,
    _ number: Int
  ) {
    let slot = slots.count
    if form == .binding {
      let destination = number % 2 == 0 ? emitters[number % 4 / 2] : values[number % 4 / 2]
      slots.append(Slot(form: form, place: .inline, source: source, destination: destination))
      hold(destination) { connect(slot, side, isOfValue: isOfValue(number)) }
    } else {
      // An actor that is the target is not killed.
      let form = place == .target ? .targetClosure : form
      let target = targets[number % targets.count]
      let isMortal = form != .closure && place != .target
      slots.append(
        Slot(
          form: form, place: place, source: source, target: isMortal ? target : nil,
          propertySide: self.side(ofProperty: number)))
      // The code that connects holds the target meanwhile.
      targetsInUse.append(target)
      connect(slot, side, isOfValue: isOfValue(number))
      targetsInUse.removeLast()
    }
    slots[slot].isKnown = true
  }

  private func connect(_ slot: Int, _ side: Int, isOfValue: Bool) {
    let (first, second) = (values[side], values[1 - side])
    switch slots[slot].source {
    case .event: append(member(slot, emitters[side]), to: emitters[side])
    case .gone: append(member(slot, gone[side]), to: gone[side])
    case .value: connect(member(slot, first), to: first, [current(of: first)])
    case .changes: connect(member(slot, first), to: first, [])
    case .replay:
      let replay = replays[side]
      let member = member(slot, replay)
      take(.connection(member, kept[replay, default: []]), of: replay, onActorOf: presentActor)
    case .merged:
      for (index, node) in [emitters[side], emitters[1 - side]].enumerated() {
        slots[slot].sides.append((node, true))
        append(.side(slot, index), to: node)
      }
    case .latest:
      slots[slot].worklist = newNode()
      slots[slot].sides = [(first, true), (second, true)]
      for (index, node) in [first, second].enumerated() {
        connect(.side(slot, index), to: node, [current(of: node)])
      }
    case .debounced, .throttled, .delayed:
      slots[slot].worklist = newNode()
      slots[slot].sides = [(isOfValue ? first : emitters[side], true)]
      if isOfValue {
        connect(.side(slot, 0), to: first, [current(of: first)])
      } else {
        append(.side(slot, 0), to: emitters[side])
      }
    }
  }

  /// The member of a single node: a slot, or what feeds one that finds out why the node emits.
  private func member(_ slot: Int, _ node: Int) -> Member {
    guard slots[slot].form == .property else { return .slot(slot) }
    slots[slot].sides = [(node, true)]
    return .side(slot, 0)
  }

  private func connect(_ member: Member, to value: Int, _ payloads: [Counted]) {
    take(.connection(member, payloads), of: value, onActorOf: nil)
  }

  private func append(_ member: Member, to node: Int) {
    if dead.contains(node) { drop(member, of: node) } else { orders[node].append(member) }
  }

  private func connectBond(_ side: Int) {
    let slot = slots.count
    let (first, second) = (values[side], values[1 - side])
    slots.append(
      Slot(
        form: .closure, place: .inline, source: .changes,
        given: (nextStamp(), states[first]?.version ?? 0), sides: [(first, true), (second, true)]))
    bondsInMaking += 1
    hold(first) {
      hold(second) {
        connect(.side(slot, 0), to: first, [])
        connect(.side(slot, 1), to: second, [])
        if fault != "bond", let given = slots[slot].given {
          pass(current(of: first), to: second, Cause(stamp: given.stamp, route: [first]))
        }
      }
    }
    bondsInMaking -= 1
    slots[slot].isKnown = true
    bonds.append(slot)
  }

  // MARK: - Values

  private func set(_ node: Int, _ new: Counted, onActorOf actor: Int?, _ cause: Cause?) {
    let old = current(of: node)
    hold(node) {
      let cause = cause ?? Cause(stamp: nextStamp())
      states[node]?.current = new
      states[node]?.stamp = cause.stamp
      see(cause.stamp, at: node)
      take(.payload(new, old: old, cause), of: node, onActorOf: actor)
    }
  }

  private func see(_ stamp: Int, at node: Int) {
    guard let seen = states[node]?.seen else { return }
    states[node]?.seen = max(seen, stamp)
    states[node]?.version += 1
  }

  private func nextStamp() -> Int {
    stamp += 1
    return stamp
  }

  /// Old and new as one number.
  static func change(_ old: Counted, _ new: Counted) -> Counted {
    Counted((old.number * 1009 + new.number) % 1_000_003, of: [old, new])
  }

  /// Passes a payload on through a binding, unless the other side is equal already.
  ///
  /// A payload that returns to a node through bindings alone is not emitted again there, and sets a
  /// value only if it is newer. An equal payload counts as seen.
  ///
  /// A property sets on no known actor.
  private func pass(
    _ value: Counted, to destination: Int, _ cause: Cause, isProperty: Bool = false
  ) {
    let actor = isProperty ? nil : presentActor
    guard !dead.contains(destination) else { return }
    var isReturning = cause.route.contains(destination)
    if fault == "cycle", emissions.contains(where: { $0.node == destination }) {
      isReturning = true
    }
    guard let now = states[destination] else {
      if isReturning { return }
      return hold(destination) {
        emit(value, of: destination, change: value, onActorOf: actor, cause)
      }
    }
    let stamp = cause.effective
    if isReturning, stamp <= now.stamp { return }
    if now.current == value { return see(stamp, at: destination) }
    let isNewer = stamp > now.seen
    let newest = isReturning && !isNewer ? now.current : value
    var cause = cause
    cause.stamp = isNewer ? stamp : nextStamp()
    set(destination, newest, onActorOf: actor, cause)
  }

  // MARK: - Causes

  /// The emission whose slot is being called.
  private var passedOn: Emission? { called.map { emissions[$0] } }
  private var presentActor: Int? { passedOn?.isOnActorOf }

  private func passing() -> Cause {
    guard let around = passedOn else { return Cause() }
    return Cause(route: [around.node] + around.cause.route, inherited: around.cause.effective)
  }

  // MARK: - Turns

  /// Takes a turn, and then those that were added meanwhile.
  ///
  /// If a turn is in progress, this only adds one.
  private func take(_ turns: Turn..., of node: Int, onActorOf actor: Int?) {
    take(turns, of: node, onActorOf: actor)
  }

  private func take(_ turns: [Turn], of node: Int, onActorOf actor: Int?) {
    var worklist = worklists[node] ?? Worklist()
    let isFirst = worklist.thread == nil
    if isFirst { (worklist.thread, worklist.isOwn) = (thread, true) }
    // What a thread adds while it takes a turn of another one is not its own, either.
    let isOwn = worklist.isOwn && worklist.thread == thread
    worklist.turns += turns.map { ($0, isOwn) }
    worklists[node] = worklist
    if !isFirst { return }
    var count = 0
    while let next = worklists[node]?.turns.first {
      if count >= 128, !next.isOwn { isOver = true }
      count += 1
      worklists[node]?.turns.removeFirst()
      worklists[node]?.isOwn = next.isOwn
      take(next.turn, node, actor)
    }
    worklists[node]?.thread = nil
    for slot in slots.indices where slots[slot].worklist == node { finishIfUnfed(slot) }
  }

  private func take(_ turn: Turn, _ node: Int, _ actor: Int?) {
    switch turn {
    case .payload(let value, let old, let cause):
      let new = newest(value, of: node)
      emit(new, of: node, change: Self.change(old, new), onActorOf: actor, cause)
    case .connection(let member, let payloads) where isLive(member):
      orders[node].append(member)
      for payload in payloads.map({ newest($0, of: node) }) {
        during(node, payload, actor, Cause()) {
          if isLive(member) { reach(member, payload, change: payload, actor) }
        }
      }
    case .connection: break
    case .pair(let slot, let value, let cause, let waits):
      if !waits { return feed(slot, value) }
      if fault == "latest" { return }
      let actor = presentActor
      during(node, value, actor, cause) { receive(slot, value, actor) }
    case .due(let slot, let value, let cause):
      let actor = presentActor
      during(node, value, actor, cause) { receive(slot, value, actor) }
    case .end: end(node)
    }
  }

  /// The payload that a turn sends: what a getter returns now, or else what the turn had.
  private func newest(_ value: Counted, of node: Int) -> Counted {
    states[node]?.isCustom == true ? current(of: node) : value
  }

  /// Emits to one member alone.
  ///
  /// What outer emissions owe to other members stays owed.
  private func during(
    _ node: Int, _ value: Counted, _ actor: Int?, _ cause: Cause, _ body: () -> Void
  ) {
    emissions.append(
      Emission(
        node: node, value: value, change: value, rest: [], isOnActorOf: actor, thread: thread,
        cause: cause))
    whileCalling(emissions.count - 1, body)
    emissions.removeLast()
  }

  /// Notes whose slots `body` calls.
  private func whileCalling(_ emission: Int?, _ body: () -> Void) {
    let outer = called
    called = emission
    body()
    called = outer
  }

  // MARK: - Emissions

  private func emit(_ value: Int, _ side: Int, onActorOf actor: Int?) {
    let (node, value) = (emitters[side], payload(value))
    hold(node) { emit(value, of: node, change: value, onActorOf: actor, Cause()) }
  }

  private func emit(
    _ value: Counted, of node: Int, change: Counted, onActorOf actor: Int?, _ cause: Cause
  ) {
    // Guarantees 1 and 2: the members that are connected now, in order.
    let rest = fault == "order" ? orders[node].reversed()[...] : orders[node][...]
    if rest.isEmpty { return }
    emissions.append(
      Emission(
        node: node, value: value, change: change, rest: rest, isOnActorOf: actor, thread: thread,
        cause: cause))
    let level = emissions.count - 1
    // Guarantee 5: later slots first get what outer emissions of the thread owe them.
    for outer in 0...level
    where emissions[outer].node == node && emissions[outer].thread == thread {
      while let member = emissions[outer].rest.popFirst() {
        let emission = emissions[outer]
        if isLive(member) {
          whileCalling(outer) {
            reach(member, emission.value, change: emission.change, emission.isOnActorOf)
          }
        }
      }
    }
    emissions.removeLast()
  }

  private func isLive(_ member: Member) -> Bool {
    switch member {
    case .slot(let slot): !slots[slot].isCancelled
    case .side(let slot, let side): !slots[slot].isCancelled && slots[slot].sides[side].isLive
    case .replay(let node): !dead.contains(node)
    }
  }

  private func reach(_ member: Member, _ value: Counted, change: Counted, _ actor: Int?) {
    switch member {
    case .slot(let slot): receive(slot, slots[slot].source == .changes ? change : value, actor)
    case .side(let slot, let side) where slots[slot].isBond:
      if slots[slot].isSuspended { return }
      let (destination, cause) = (slots[slot].sides[1 - side].node, passing())
      // What the first side has given, and still has, does not return to it.
      if side == 1, let given = slots[slot].given, cause.effective == given.stamp,
        states[destination]?.version == given.version
      {
        return see(given.stamp, at: destination)
      }
      pass(value, to: destination, cause)
    case .side(let slot, let side):
      if isTargetGone(slot) { return cancel(slot) }
      // An operator of time does not hold the target, and sends several payloads.
      if slots[slot].source.isTimed { return hold(back: value, slot) }
      withTarget(of: slot) {
        guard let worklist = slots[slot].worklist else {
          return feed(slot, slots[slot].source == .changes ? change : value)
        }
        slots[slot].latest[side] = value
        guard let first = slots[slot].latest[0], let second = slots[slot].latest[1],
          !slots[slot].isSuspended
        else { return }
        take(
          .pair(
            slot: slot, Self.change(first, second), passing(),
            waits: worklists[worklist]?.thread != nil), of: worklist, onActorOf: nil)
      }
    case .replay(let node):
      kept[node]?.append(value)
      if kept[node, default: []].count > (fault == "replay" ? 3 : 2) { kept[node]?.removeFirst() }
      take(.payload(value, old: value, passing()), of: node, onActorOf: presentActor)
    }
  }

  /// Delivers a payload that one side of a slot sends.
  private func feed(_ slot: Int, _ value: Counted) {
    if line(of: slot) != nil { return receive(slot, value, presentActor) }
    if !slots[slot].isCancelled, !slots[slot].isSuspended {
      call(slot: slot, value, cause(of: slot))
    }
  }

  private func receive(_ slot: Int, _ value: Counted, _ actor: Int?) {
    if slots[slot].isCancelled || slots[slot].isSuspended { return }
    let cause = cause(of: slot)
    guard let line = line(of: slot) else { return deliver(slot, value, cause) }
    // An emission on another actor is known not to be on the main actor. If the actor is unknown,
    // it counts as the slot's.
    let (isOnPlace, isHere) =
      switch line {
      case .queue: (false, false)
      case .main:
        actor != nil
          ? (false, false) : (thread == .main, thread == .main || isPlaceUnknown(of: slot))
      case .actor: (actor == slot, actor == slot || actor == nil)
      }
    let waiting = lines[line, default: []]
    if isOnPlace, !waiting.contains(where: { $0.slot == slot || $0.isHere }) {
      return deliver(slot, value, cause)
    }
    // If a drain is at work, it finds the dead target.
    if !linesInUse.contains(line), isTargetGone(slot) { return cancel(slot) }
    lines[line, default: []].append(
      Entry(
        slot: slot, value: slots[slot].form == .property ? value.alone : value, isHere: isHere,
        cause: cause))
  }

  /// Whether an inner emission, on another thread than the main one, delivers for one that has not
  /// asked where it is.
  ///
  /// What has several sides, or passes its cause on, emits by itself.
  private func isPlaceUnknown(of slot: Int) -> Bool {
    guard let called, slots[slot].sides.isEmpty else { return false }
    if called == emissions.count - 1 { emissions[called].isPlaceKnown = true }
    return !emissions[called].isPlaceKnown
  }

  /// Why a binding passes on what its slot gets.
  private func cause(of slot: Int) -> Cause {
    slots[slot].form == .binding || slots[slot].form == .property ? passing() : Cause()
  }

  private func line(of slot: Int) -> Line? {
    switch slots[slot].place {
    case .inline: nil
    case .firstQueue: .queue(0)
    case .secondQueue: .queue(1)
    case .main: .main
    case .actor, .target: .actor(slot: slot)
    }
  }

  /// Guarantee 8: a target is held while its slot runs, and no longer.
  private func deliver(_ slot: Int, _ value: Counted, _ cause: Cause) {
    if isTargetGone(slot) { return cancel(slot) }
    withTarget(of: slot) { call(slot: slot, value, cause) }
  }

  private func withTarget(of slot: Int, _ body: () -> Void) {
    if let destination = slots[slot].destination { return hold(destination, body) }
    if let target = slots[slot].target { targetsInUse.append(target) }
    body()
    if slots[slot].target != nil { targetsInUse.removeLast() }
  }

  private func call(slot: Int, _ value: Counted, _ cause: Cause) {
    let value = value.alone
    switch slots[slot].form {
    case .closure, .targetClosure: call(slot, value.number)
    case .method: call(1_000_000 + (slots[slot].target ?? 0), value.number)
    case .methodWithoutArguments: call(1_000_000 + (slots[slot].target ?? 0), -1)
    case .map: call(slot, value.number + 1)
    case .binding:
      if let destination = slots[slot].destination { pass(value, to: destination, cause) }
    case .property:
      let target = slots[slot].target ?? 0
      if let side = slots[slot].propertySide {
        pass(value, to: values[side], cause, isProperty: true)
      } else if shown[target, default: .none] != value || fault == "property" {
        shown[target] = value
        call(1_000_000 + target, value.number)
      }
    }
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

  private var actorInUse: Int?

  private func drainActor(of slot: Int) {
    guard isActorSlot(slot), actorInUse == nil else { return }
    actorInUse = slot
    drain(.actor(slot: slot))
    actorInUse = nil
  }

  private func actorSlot(_ number: Int) -> Int? {
    let slot = number % slots.count
    return isActorSlot(slot) ? slot : nil
  }

  func isActorSlot(_ slot: Int) -> Bool {
    slots[slot].place == .actor || slots[slot].place == .target
  }

  /// Delivers everything that waits.
  private func drain(_ line: Line) {
    linesInUse.insert(line)
    defer { linesInUse.remove(line) }
    while lines[line]?.isEmpty == false, let entry = lines[line]?.removeFirst() {
      whileCalling(nil) {
        guard let value = entry.value else { return cancel(entry.slot) }
        if !slots[entry.slot].isSuspended { deliver(entry.slot, value, entry.cause) }
      }
    }
  }

  // MARK: - Time

  /// Takes in a payload behind those that are due, and sends these.
  private func hold(back value: Counted, _ slot: Int) {
    if slots[slot].isSuspended { return }
    var turns = takeDue(slot)
    let cause = passing()
    let deadline = now + Operation.Source.period
    switch slots[slot].source {
    case .throttled where now < slots[slot].windowEnd:
      slots[slot].pending = [(value, cause, slots[slot].windowEnd)]
    case .throttled:
      slots[slot].windowEnd = deadline
      turns.append(.due(slot: slot, value, cause))
    case .debounced: slots[slot].pending = [(value, cause, deadline)]
    default: slots[slot].pending.append((value, cause, deadline))
    }
    if !slots[slot].isWaiting, !slots[slot].pending.isEmpty {
      slots[slot].isWaiting = true
      beginners.append(slot)
    }
    send(turns, slot)
  }

  private func takeDue(_ slot: Int) -> [Turn] {
    let due = slots[slot].pending.prefix { $0.due <= now - (fault == "time" ? 1 : 0) }
    slots[slot].pending.removeFirst(due.count)
    if !due.isEmpty { slots[slot].windowEnd += Operation.Source.period }
    return due.map { .due(slot: slot, $0.value, $0.cause) }
  }

  private func send(_ turns: [Turn], _ slot: Int) {
    if let worklist = slots[slot].worklist { take(turns, of: worklist, onActorOf: nil) }
  }

  private func sleep(_ slot: Int) {
    guard let deadline = slots[slot].pending.first?.due else { return }
    let index = sleepers.firstIndex { deadline < $0.deadline } ?? sleepers.endIndex
    sleepers.insert((slot, deadline), at: index)
  }

  private func beginSleeping() {
    for slot in beginners { sleep(slot) }
    beginners = []
  }

  private func advance(_ seconds: Int) {
    beginSleeping()
    now += seconds
    let woken = sleepers.prefix { $0.deadline <= now }
    sleepers.removeFirst(woken.count)
    (thread, actorInUse) = (.tasks, -1)
    for (slot, _) in woken where !slots[slot].isCancelled {
      let turns = takeDue(slot)
      let stays = !slots[slot].pending.isEmpty
      slots[slot].isWaiting = stays
      whileCalling(nil) { send(turns, slot) }
      if stays { sleep(slot) }
    }
    (thread, actorInUse) = (.main, nil)
    beginSleeping()
  }

  // MARK: - Ends

  private func isTargetGone(_ slot: Int) -> Bool {
    if let destination = slots[slot].destination { return dead.contains(destination) }
    guard let target = slots[slot].target else { return false }
    return !isAlive(target: target)
  }

  private func isAlive(target: Int) -> Bool {
    targets.contains(target) || targetsInUse.contains(target)
  }

  private func cancel(_ slot: Int) {
    slots[slot].isCancelled = true
    slots[slot].latest = [nil, nil]
    slots[slot].pending = []
    if let line = line(of: slot) { lines[line]?.removeAll { $0.slot == slot } }
    for node in orders.indices {
      orders[node].removeAll { member in
        switch member {
        case .slot(slot), .side(slot, _): true
        default: false
        }
      }
    }
  }

  /// Ends one member of a node.
  private func drop(_ member: Member, of node: Int) {
    orders[node].removeAll { $0 == member }
    switch member {
    case .slot(let slot): cancel(slot)
    case .side(let slot, let side):
      slots[slot].sides[side].isLive = false
      if slots[slot].isBond { cancel(slot) } else { finishIfUnfed(slot) }
    case .replay(let replay): end(replay: replay)
    }
  }

  private func end(replay: Int) {
    dead.insert(replay)
    take(.end, of: replay, onActorOf: nil)
  }

  /// Ends a slot that nobody feeds any more, when its pending payloads have been sent.
  private func finishIfUnfed(_ slot: Int) {
    if slots[slot].isCancelled || slots[slot].isWaiting
      || slots[slot].sides.contains(where: \.isLive)
    {
      return
    }
    if let worklist = slots[slot].worklist, worklists[worklist]?.thread != nil { return }
    finish(slot)
  }

  /// Ends the connection when everything that was sent has been delivered (guarantee 10).
  private func finish(_ slot: Int) {
    slots[slot].latest = [nil, nil]
    if let line = line(of: slot), lines[line]?.contains(where: { $0.slot == slot }) == true {
      lines[line]?.append(Entry(slot: slot, value: nil))
    } else {
      cancel(slot)
    }
  }

  /// Holds an emitter or a value during `body`, as code does that emits from it.
  private func hold(_ node: Int, _ body: () -> Void) {
    holds[node, default: 0] += 1
    body()
    holds[node, default: 1] -= 1
    dieIfUnused(node)
  }

  private func dieIfUnused(_ node: Int) {
    guard holds[node, default: 0] == 0, !emitters.contains(node), !values.contains(node),
      dead.insert(node).inserted
    else { return }
    if states[node] == nil { end(node) } else { take(.end, of: node, onActorOf: nil) }
  }

  private func end(_ node: Int) {
    let members = orders[node]
    orders[node] = []
    states[node]?.current = .none
    for member in members {
      switch member {
      case .slot(let slot): finish(slot)
      case .side, .replay: drop(member, of: node)
      }
    }
  }
}

extension Model.Cause {
  var effective: Int { stamp > 0 ? stamp : inherited }
}
