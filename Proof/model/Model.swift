/// The reference: what the library should do, on one thread, in the simplest code.
///
/// Emitters, values, replays and sources that combine values are *nodes*. A node has members:
/// slots, and the sides of slots that several nodes feed.
final class Model: System, @unchecked Sendable {
  struct Slot {
    let form: Operation.Form
    let place: Operation.Place
    let source: Operation.Source
    /// The version of each of two values that the other one has, if it keeps them equal.
    ///
    /// Such a slot calls nobody.
    var versions: [Int?]?
    var isBond: Bool { versions != nil }
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
    /// The payloads of both sides that wait for partners.
    var unpaired: [[Counted]] = [[], []]
    /// The last result or payload of an operator.
    var last: Counted?
    /// How many payloads the operator or the slot has begun to take.
    var begun = 0
    /// How many calls have returned.
    var returned = 0
    /// The node with the worklist in which pairs, copies, results, or payloads that are due, wait
    /// for their turn.
    var worklist: Int?
    /// The node with the worklist in which the payloads of an operator with state wait for their
    /// turn, in the place of the slot.
    var turns: Int?
    /// What an operator of time holds back.
    var pending: [(value: Counted, due: Int)] = []
    /// The end of the window of `throttle`.
    var windowEnd = 0
    /// Whether a task waits until the first of them is due.
    var isWaiting = false
    /// Whether `connect` has returned the observer.
    var isKnown = false
    /// Whether nothing is taken in any more, and the connection ends behind what waits.
    var isFinished = false
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
    /// Whether the drain in progress has taken it.
    var isInHand = false
  }

  /// The line in which the payloads of a place wait.
  ///
  /// Each slot on an actor has an actor of its own.
  enum Line: Hashable {
    case queue(Int)
    case main
    case actor(slot: Int)
  }

  /// Why a node emits, if the program does not say so.
  struct Cause {
    /// The number of the emission that a binding or an operator passes on, in one of its slots.
    var passedOn: Int?
    /// The number of changes of the value that is delivered.
    var version = 0
    /// Whether a newer change of the same value waits behind this one.
    var isStale = false
  }

  /// An emission, with the members that it has not called yet.
  struct Emission {
    let number: Int
    let node: Int
    let value: Counted
    /// The payload for slots of changes.
    let change: Counted
    var rest: ArraySlice<Member>
    let isOnActorOf: Int?
    let thread: Thread
    var cause: Cause
    /// The emission whose slot made this one, by its index.
    let source: Int?
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
  /// Turns are taken one at a time, or inside each other (guarantee 16).
  enum Turn {
    /// A payload; for a value, with the number of its changes.
    case payload(Counted, old: Counted, Cause, version: Int)
    /// A member to connect, with the payloads that the node had at the time of the call.
    case connection(Member, [Counted])
    /// A pair for a slot of two values.
    case pair(slot: Int, Counted, Cause)
    /// A copy of one of two values that are kept equal, the number of its changes in whose emission
    /// the thread is, that of the other one that it passes on, and whether the bond begins with it.
    case copy(slot: Int, side: Int, emitted: Int?, returned: Int?, isFirst: Bool, Cause)
    /// A payload for `reductions(into:)`, and whether the result is sent.
    case update(slot: Int, Counted, isSent: Bool, Cause)
    /// A payload for an operator with state, in the place of the slot.
    case step(slot: Int, Counted, Cause)
    /// A payload that is due.
    case due(slot: Int, Counted, Cause)
    case end
  }

  /// The turns of a node that are to be taken.
  struct Worklist {
    /// Each turn, and the thread that added it.
    var turns: [(turn: Turn, thread: Thread)] = []
    /// How many turns have waited, and how many of those were taken.
    var (added, taken) = (0, 0)
    /// The thread that takes them; nil if none is in progress.
    var thread: Thread?
    /// Whether a slot is getting what the node has kept, behind which everything else waits.
    var isConnecting = false
  }

  struct Value {
    /// Whether a getter returns it, when it is delivered.
    let isCustom: Bool
    var current: Counted
    /// The number of changes.
    var version = 0
  }

  /// What a replay keeps.
  struct Recording {
    /// Whether the first slot takes what is kept, and nothing is kept afterwards.
    let isOnce: Bool
    var isTaken = false
    var kept: [Counted] = []
    var droppedCount = 0
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
  private var recordings: [Int: Recording] = [:]
  var droppedCounts: [Int] { replays.map { recordings[$0]?.droppedCount ?? 0 } }
  /// How many calls in progress hold each emitter and value, and the nodes that have died.
  private var holds: [Int: Int] = [:]
  private var dead: Set<Int> = []
  /// Those of them that have ended their members.
  private var ended: Set<Int> = []
  private var bonds: [Int] = []
  private var bondsInMaking = 0
  /// Whether the run ends, because the library may continue on a global queue, or without end.
  ///
  /// A thread hands on the turns of others when it has taken many (guarantee 16). A circle over a
  /// queue has no end.
  private(set) var isOver = false
  /// How many turns of other threads were taken in the present step, and how many members reached.
  private var (lent, reached) = (0, 0)
  var currentValues: [Int] { values.map { current(of: $0).number } }
  /// What each target's stored property holds, by the target's number.
  private var shown: [Int: Counted] = [:]
  var properties: [Int] { targets.map { shown[$0]?.number ?? 0 } }
  private var emissions: [Emission] = [] { didSet { serial += 1 } }
  /// The emission whose slot is being called, by its index; nil in a drain.
  private var called: Int?
  /// The numbers of the targets that are alive, by index.
  private(set) var targets = [0, 1, 2, 3]
  private var targetCount = 4
  private var targetsInUse: [Int] = []
  private var lines: [Line: [Entry]] = [:]
  private var linesInUse: Set<Line> = []
  private var thread = Thread.main
  private var (now, serial) = (0, 0)
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
    replays = [newReplay(0), newReplay(1)]
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

  override func step(_ operation: Operation) {
    (lent, reached) = (0, 0)
    super.step(operation)
  }

  override func perform(_ operation: Operation) {
    if isOver { return }
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
    case .set(let new, let side): set(values[side], payload(new), onActorOf: nil)
    case .modify(let number, let side):
      let new = payload((current(of: values[side]).number + number) % 1000)
      set(values[side], new, onActorOf: nil)
    case .setOnActor(let number, let new, let side):
      if !slots.isEmpty { set(values[side], payload(new), onActorOf: actorSlot(number)) }
    case .drain(let queue): drain(queue: queue)
    case .advance(let seconds): advance(seconds)
    case .drainMain: drainMain()
    case .drainActor(let number): if !slots.isEmpty { drainActor(of: number % slots.count) }
    case .kill(let target):
      targets[target % targets.count] = targetCount
      targetCount += 1
    case .cancelAll(let side):
      let emitter = emitters[side]
      // The caller holds it, though a slot that gets what was collected drops it.
      hold(emitter) { for member in orders[emitter] { drop(member, of: emitter) } }
      replays[side] = newReplay(side)
    case .destroyEmitter(let side):
      let old = emitters[side]
      gone[side] = old
      emitters[side] = newNode()
      dieIfUnused(old)
      replays[side] = newReplay(side)
    case .cancelAllOfValue(let side):
      if bondsInMaking > 0 { return }
      for bond in bonds { cancel(bond) }
      bonds = []
      let value = values[side]
      hold(value) {
        for case .connection(let member, _) in worklists[value]?.turns.map(\.turn) ?? [] {
          drop(member, of: value)
        }
        for member in orders[value] { drop(member, of: value) }
      }
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

  private func newReplay(_ side: Int) -> Int {
    let node = newNode()
    recordings[node] = Recording(isOnce: isOnce(side))
    orders[emitters[side]].append(.replay(node))
    return node
  }

  /// Keeps at most two payloads.
  private func record(_ value: Counted, _ replay: Int) {
    guard var recording = recordings[replay], !recording.isTaken else { return }
    recording.kept.append(value)
    if recording.kept.count > (fault == "replay" ? 3 : 2) {
      recording.kept.remove(at: recording.isOnce && keepsOldest ? 2 : 0)
      if recording.isOnce { recording.droppedCount += 1 }
    }
    recordings[replay] = recording
  }

  /// What a slot gets that connects to a replay.
  private func replay(_ replay: Int) -> [Counted] {
    guard let recording = recordings[replay] else { return [] }
    if recording.isOnce {
      recordings[replay]?.isTaken = true
      recordings[replay]?.kept = []
    }
    return recording.kept
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
    switch slots[slot].source {
    case .event: append(.slot(slot), to: emitters[side])
    case .gone: append(.slot(slot), to: gone[side])
    case .value: connect(.slot(slot), toValue: true, side)
    case .changes: connect(.slot(slot), to: values[side], [])
    case .replay: connect(.slot(slot), to: replays[side], replay(replays[side]))
    case .until:
      slots[slot].sides = [(emitters[1 - side], true)]
      append(.side(slot, 0), to: emitters[1 - side])
      connect(.slot(slot), toValue: isOfValue, side)
    case .scanned, .distinct, .paired:
      slots[slot].turns = newNode()
      connect(.slot(slot), toValue: isOfValue, side)
    case .dropped, .first:
      connect(.slot(slot), toValue: isOfValue, side)
    case .merged: connect(slot, toValues: false, [side, 1 - side])
    case .latest: connect(slot, toValues: true, [side, 1 - side])
    case .zipped: connect(slot, toValues: isOfValue, [side, 1 - side])
    case .debounced, .throttled, .delayed, .leading, .collected, .reduced:
      connect(slot, toValues: isOfValue, [side])
    }
  }

  /// Connects a slot that several nodes may feed, and that has turns of its own, except to merge.
  private func connect(_ slot: Int, toValues isOfValue: Bool, _ sides: [Int]) {
    if slots[slot].source != .merged { slots[slot].worklist = newNode() }
    slots[slot].sides = sides.map { (isOfValue ? values[$0] : emitters[$0], true) }
    for (index, side) in sides.enumerated() {
      connect(.side(slot, index), toValue: isOfValue, side)
    }
  }

  /// Connects to the value of a side, or else to its emitter.
  private func connect(_ member: Member, toValue isOfValue: Bool, _ side: Int) {
    if isOfValue {
      connect(member, to: values[side], [current(of: values[side])])
    } else {
      append(member, to: emitters[side])
    }
  }

  private func connect(_ member: Member, to node: Int, _ payloads: [Counted]) {
    take(.connection(member, payloads), of: node, onActorOf: presentActor)
  }

  private func append(_ member: Member, to node: Int) {
    if ended.contains(node) { drop(member, of: node) } else { orders[node].append(member) }
  }

  private func connectBond(_ side: Int) {
    let slot = slots.count
    let (first, second) = (values[side], values[1 - side])
    slots.append(
      Slot(
        form: .closure, place: .inline, source: .changes, versions: [nil, nil],
        sides: [(first, true), (second, true)], worklist: newNode()))
    bondsInMaking += 1
    hold(first) {
      hold(second) {
        connect(.side(slot, 0), to: first, [])
        connect(.side(slot, 1), to: second, [])
        if fault != "bond" { askToCopy(slot, 0, isFirst: true) }
      }
    }
    bondsInMaking -= 1
    slots[slot].isKnown = true
    bonds.append(slot)
  }

  // MARK: - Values

  /// Sets a value, and delivers it.
  ///
  /// `note` gets the number of its changes before that.
  private func set(
    _ node: Int, _ new: Counted, onActorOf actor: Int?, _ cause: Cause = Cause(),
    _ note: (Int) -> Void = { _ in }
  ) {
    let old = current(of: node)
    hold(node) {
      states[node]?.current = new
      states[node]?.version += 1
      let version = states[node]?.version ?? 0
      note(version)
      take(.payload(new, old: old, cause, version: version), of: node, onActorOf: actor)
    }
  }

  /// The same without the payloads of which it is made.
  static func fold(_ result: Counted, _ value: Counted) -> Counted { change(result, value).alone }

  /// Old and new as one number.
  static func change(_ old: Counted, _ new: Counted) -> Counted {
    Counted((old.number * 1009 + new.number) % 1_000_003, of: [old, new])
  }

  /// Passes a payload on through a binding, unless the other side is equal already, or the payload
  /// returns to it.
  ///
  /// A property sets on no known actor. In a drain, nothing is known of what has led to it.
  private func pass(
    _ value: Counted, from slot: Int, to destination: Int, isProperty: Bool = false
  ) {
    let actor = isProperty ? nil : presentActor
    guard !dead.contains(destination) else { return }
    let returns = fault != "cycle" && passedOn(by: destination) != nil
    guard let now = states[destination] else {
      if returns { return }
      return hold(destination) {
        emit(value, of: destination, change: value, onActorOf: actor, passing(slot))
      }
    }
    if isStale(slot) || now.current == value { return }
    if isProperty, called == nil { return set(destination, value, onActorOf: actor) }
    if returns { return }
    set(destination, value, onActorOf: actor, Cause(passedOn: passedOn?.number))
  }

  /// Asks for a turn of a bond that copies the value of one side.
  private func askToCopy(_ slot: Int, _ side: Int, isFirst: Bool = false) {
    guard let node = slots[slot].worklist else { return }
    let sides = slots[slot].sides
    let emitted = passedOn(by: sides[side].node)?.cause.version
    let other = sides[1 - side].node
    // An emission for one connection has no version.
    let returned = passedOn(by: other).flatMap {
      $0.cause.version > 0 ? $0.cause.version : states[other]?.version
    }
    take(
      .copy(
        slot: slot, side: side, emitted: emitted, returned: returned, isFirst: isFirst,
        passing(nil)),
      of: node, onActorOf: presentActor)
  }

  private func copy(
    _ slot: Int, _ side: Int, _ emitted: Int?, _ returned: Int?, _ isFirst: Bool, _ actor: Int?,
    _ cause: Cause
  ) {
    let (source, target) = (slots[slot].sides[side].node, slots[slot].sides[1 - side].node)
    guard !dead.contains(source), !dead.contains(target), let state = states[source] else { return }
    // A newer change has an emission of its own, which asks for a turn.
    if !isFirst, let emitted, emitted != state.version { return }
    let isComparable = state.current == state.current
    // A setter may have changed what the bond gave.
    let isEcho = slots[slot].versions?[side] == state.version
    if isEcho, !isFirst, !state.isCustom || !isComparable { return }
    slots[slot].versions?[side] = state.version
    let isEmitted = emitted == state.version
    let isSame =
      isComparable
      ? current(of: target) == state.current : isEmitted && returned == states[target]?.version
    if isSame { return }
    hold(source) {
      set(
        target, state.current, onActorOf: actor,
        // An outdated emission passes nothing on, but the first turn copies in any case.
        Cause(passedOn: isEmitted && !(isFirst && isStale(nil)) ? cause.passedOn : nil)
      ) {
        version in
        slots[slot].versions?[1 - side] = version
      }
    }
  }

  // MARK: - Causes

  /// The emission whose slot is being called.
  private var passedOn: Emission? { called.map { emissions[$0] } }
  private var presentActor: Int? { passedOn?.isOnActorOf }
  private func passing(_ slot: Int?) -> Cause {
    Cause(passedOn: passedOn?.number, isStale: isStale(slot))
  }

  /// Whether a binding passes nothing on, because a newer change follows.
  ///
  /// An operator before it may drop the newer one.
  private func isStale(_ slot: Int?) -> Bool {
    let source = slot.map { slots[$0].source } ?? .value
    let mayDrop =
      source.isTimed
      || [.zipped, .paired, .dropped, .first, .distinct, .until]
        .contains(source)
    return passedOn?.cause.isStale == true && !mayDrop
  }

  /// Whether what waits for a slot has passed its operator, because it keeps the newest alone.
  private func waitsBehindOperator(_ slot: Int) -> Bool {
    slots[slot].form == .property && line(of: slot) != nil
      && [.scanned, .paired, .dropped, .first, .distinct].contains(slots[slot].source)
  }

  /// The innermost emission of a node with only bindings and operators between it and the present
  /// call.
  private func passedOn(by node: Int) -> Emission? {
    var each = called
    while let index = each {
      if emissions[index].node == node { return emissions[index] }
      guard emissions[index].cause.passedOn != nil else { return nil }
      each = emissions[index].source
    }
    return nil
  }

  // MARK: - Turns

  /// Takes turns, and then those that other threads have added meanwhile.
  ///
  /// Inside a turn of the same thread, it takes those before it, and returns. If a turn of another
  /// thread is in progress, this only adds them.
  private func take(_ turns: Turn..., of node: Int, onActorOf actor: Int?, nests: Bool = true) {
    take(turns, of: node, onActorOf: actor, nests: nests)
  }

  private func take(_ turns: [Turn], of node: Int, onActorOf actor: Int?, nests: Bool = true) {
    guard let first = turns.first else { return }
    var worklist = worklists[node] ?? Worklist()
    let isNested = worklist.thread == thread && nests && !worklist.isConnecting
    let isFirst = worklist.thread == nil
    let isAtOnce = isFirst || isNested && worklist.turns.isEmpty && turns.count == 1
    if isFirst { worklist.thread = thread }
    for turn in turns.dropFirst(isAtOnce ? 1 : 0) {
      worklist.turns.append((turn, thread))
      worklist.added += 1
    }
    let last = worklist.added
    worklists[node] = worklist
    if isAtOnce { take(first, node, actor, isOwn: true) }
    while isFirst || isNested, !isOver, let next = worklists[node]?.turns.first,
      isFirst || worklists[node, default: Worklist()].taken < last
    {
      let isOwn = next.thread == thread
      if !isOwn { lent += 1 }
      if lent > 120 { isOver = true }
      worklists[node]?.turns.removeFirst()
      worklists[node]?.taken += 1
      take(next.turn, node, actor, isOwn: isOwn)
    }
    if !isFirst { return }
    worklists[node]?.thread = nil
    for slot in slots.indices where slots[slot].worklist == node { finishIfUnfed(slot) }
  }

  private func take(_ turn: Turn, _ node: Int, _ actor: Int?, isOwn: Bool) {
    /// What this thread has added in an emission is passed on by that, as long as it is in progress.
    func resume(_ cause: Cause, _ body: (Cause) -> Void) {
      let index =
        isOwn && cause.passedOn != nil
        ? emissions.lastIndex { $0.number == cause.passedOn && $0.thread == thread } : nil
      guard let index else { return body(Cause(isStale: cause.isStale)) }
      whileCalling(index) { body(cause) }
    }
    switch turn {
    case .payload(let value, let old, let cause, let version):
      let new = newest(value, of: node)
      resume(cause) { cause in
        var cause = cause
        if let state = states[node] {
          cause.version = version
          if !isOwn { cause.isStale = version != state.version }
          outdate(node)
        }
        emit(new, of: node, change: Self.change(old, new), onActorOf: actor, cause)
      }
    case .connection(let member, let payloads) where isLive(member):
      append(member, to: node)
      worklists[node]?.isConnecting = recordings[node] != nil
      for payload in payloads.map({ newest($0, of: node) }) {
        during(node, payload, actor, Cause()) {
          if isLive(member) { reach(member, payload, change: payload, actor) }
        }
      }
      worklists[node]?.isConnecting = false
    case .connection: break
    case .pair(let slot, let value, let cause) where isOwn && cause.passedOn == passedOn?.number:
      feed(slot, value)
    case .pair(let slot, let value, let cause):
      if fault == "latest" { return }
      resume(cause) { cause in
        let actor = presentActor
        during(node, value, actor, cause) { receive(slot, value, actor) }
      }
    case .update(let slot, let value, let isSent, let cause):
      let result = Self.fold(slots[slot].last ?? .none, value)
      slots[slot].last = result
      if isSent { take(.pair(slot: slot, result, cause), node, actor, isOwn: isOwn) }
    case .step(let slot, let value, let cause) where isOwn && cause.passedOn == passedOn?.number:
      stepAndCall(slot, value)
    case .step(let slot, let value, let cause):
      if slots[slot].isCancelled || slots[slot].isSuspended { return }
      whileCalling(nil) { resume(cause) { _ in stepAndCall(slot, value) } }
    case .copy(let slot, let side, let emitted, let returned, let isFirst, let cause):
      resume(cause) { copy(slot, side, emitted, returned, isFirst, actor, $0) }
    case .due(let slot, let value, let cause):
      resume(cause) { cause in
        let actor = presentActor
        during(node, value, actor, cause) { receive(slot, value, actor) }
      }
    case .end:
      recordings[node]?.kept = []
      end(node)
    }
  }

  /// Marks the outer emissions of a value, which is about to emit a newer change inside them.
  private func outdate(_ node: Int) {
    for index in emissions.indices
    where emissions[index].node == node && emissions[index].thread == thread {
      emissions[index].cause.isStale = true
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
        number: serial, node: node, value: value, change: value, rest: [], isOnActorOf: actor,
        thread: thread,
        cause: cause, source: called))
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
    if emissions.count > 60 { isOver = true }
    emissions.append(
      Emission(
        number: serial, node: node, value: value, change: change, rest: rest, isOnActorOf: actor,
        thread: thread,
        cause: cause, source: called))
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
    case .slot(let slot): !slots[slot].isCancelled && !slots[slot].isFinished
    case .side(let slot, let side): !slots[slot].isCancelled && slots[slot].sides[side].isLive
    case .replay(let node): !dead.contains(node)
    }
  }

  private func reach(_ member: Member, _ value: Counted, change: Counted, _ actor: Int?) {
    reached += 1
    if reached > 20_000 { isOver = true }
    if isOver { return }
    switch member {
    case .slot(let slot) where waitsBehindOperator(slot):
      if isTargetGone(slot) { return cancel(slot) }
      if !slots[slot].isSuspended { withTarget(of: slot) { call(slot: slot, value) } }
    case .slot(let slot): receive(slot, slots[slot].source == .changes ? change : value, actor)
    case .side(let slot, let side) where slots[slot].isBond:
      if !slots[slot].isSuspended { askToCopy(slot, side) }
    case .side(let slot, _) where slots[slot].source == .until: cancel(slot)
    case .side(let slot, let side):
      if isTargetGone(slot) { return cancel(slot) }
      // An operator of time does not hold the target, and sends several payloads.
      if slots[slot].source.isTimed { return hold(back: value, slot) }
      withTarget(of: slot) {
        guard let worklist = slots[slot].worklist else {
          return feed(slot, slots[slot].source == .changes ? change : value)
        }
        let isSent = !slots[slot].isSuspended
        switch slots[slot].source {
        case .reduced:
          take(
            .update(slot: slot, value, isSent: isSent, passing(slot)), of: worklist,
            onActorOf: nil)
        case .zipped:
          slots[slot].unpaired[side].append(value)
          if slots[slot].unpaired.contains(where: \.isEmpty) { return }
          let index = fault == "zip" ? slots[slot].unpaired[1 - side].count - 1 : 0
          let pair = [0, 1].map { slots[slot].unpaired[$0].remove(at: $0 == side ? 0 : index) }
          if isSent {
            let value = Self.change(pair[0], pair[1])
            take(.pair(slot: slot, value, passing(slot)), of: worklist, onActorOf: nil)
          }
          endIfUnpaired(slot)
        default:
          slots[slot].latest[side] = value
          guard let first = slots[slot].latest[0], let second = slots[slot].latest[1], isSent
          else { return }
          take(
            .pair(slot: slot, Self.change(first, second), passing(slot)), of: worklist,
            onActorOf: nil)
        }
      }
    case .replay(let node):
      record(value, node)
      take(.payload(value, old: value, passing(nil), version: 0), of: node, onActorOf: presentActor)
    }
  }

  /// Delivers a payload that one side of a slot sends.
  private func feed(_ slot: Int, _ value: Counted) {
    if line(of: slot) != nil { return receive(slot, value, presentActor) }
    if !slots[slot].isCancelled, !slots[slot].isSuspended { call(slot: slot, value) }
  }

  private func receive(_ slot: Int, _ value: Counted, _ actor: Int?) {
    if slots[slot].isCancelled || slots[slot].isSuspended { return }
    guard let line = line(of: slot) else { return deliver(slot, value) }
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
      return deliver(slot, value)
    }
    // What a `prefix` does not send does not wait, except for a binding, which keeps the newest.
    if slots[slot].source == .first, slots[slot].form != .property,
      slots[slot].begun >= 2
        || waiting.count(where: { $0.slot == slot && $0.value != nil && !$0.isInHand }) >= 2
    {
      return isTargetGone(slot) ? cancel(slot) : ()
    }
    // If a drain is at work, it finds the dead target.
    if !linesInUse.contains(line), isTargetGone(slot) { return cancel(slot) }
    if slots[slot].form == .property, fault != "newest" {
      lines[line]?.removeAll { $0.slot == slot && !$0.isInHand }
    }
    lines[line, default: []].append(Entry(slot: slot, value: value, isHere: isHere))
  }

  /// Whether an inner emission, on another thread than the main one, delivers for one that has not
  /// asked where it is.
  ///
  /// What has several sides, or passes its cause on, emits by itself.
  private func isPlaceUnknown(of slot: Int) -> Bool {
    guard let called, slots[slot].sides.isEmpty || slots[slot].source == .until,
      !waitsBehindOperator(slot)
    else { return false }
    if called == emissions.count - 1 { emissions[called].isPlaceKnown = true }
    return !emissions[called].isPlaceKnown
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
  private func deliver(_ slot: Int, _ value: Counted) {
    if isTargetGone(slot) { return cancel(slot) }
    withTarget(of: slot) {
      if waitsBehindOperator(slot) { callForm(slot, value) } else { call(slot: slot, value) }
    }
  }

  private func withTarget(of slot: Int, _ body: () -> Void) {
    if let destination = slots[slot].destination { return hold(destination, body) }
    if let target = slots[slot].target { targetsInUse.append(target) }
    body()
    if slots[slot].target != nil { targetsInUse.removeLast() }
  }

  private func call(slot: Int, _ value: Counted) {
    guard let node = slots[slot].turns else { return stepAndCall(slot, value) }
    take(.step(slot: slot, value, passing(nil)), of: node, onActorOf: presentActor)
  }

  private func stepAndCall(_ slot: Int, _ value: Counted) {
    guard let value = step(slot, value) else { return }
    defer {
      slots[slot].returned += 1
      if slots[slot].source == .first, slots[slot].returned == 2 {
        if waitsBehindOperator(slot) { finish(slot) } else { cancel(slot) }
      }
    }
    if waitsBehindOperator(slot) { return receive(slot, value, presentActor) }
    callForm(slot, value)
  }

  private func callForm(_ slot: Int, _ value: Counted) {
    let value = value.alone
    switch slots[slot].form {
    case .closure, .targetClosure: call(slot, value.number)
    case .method: call(1_000_000 + (slots[slot].target ?? 0), value.number)
    case .methodWithoutArguments: call(1_000_000 + (slots[slot].target ?? 0), -1)
    case .map: call(slot, value.number + 1)
    case .binding:
      if let destination = slots[slot].destination { pass(value, from: slot, to: destination) }
    case .property:
      let target = slots[slot].target ?? 0
      if let side = slots[slot].propertySide {
        pass(value, from: slot, to: values[side], isProperty: true)
      } else if !isStale(slot), shown[target, default: .none] != value || fault == "property" {
        shown[target] = value
        call(1_000_000 + target, value.number)
      }
    }
  }

  /// What an operator of one source passes on.
  private func step(_ slot: Int, _ value: Counted) -> Counted? {
    let last = slots[slot].last
    slots[slot].begun += 1
    switch slots[slot].source {
    case .scanned:
      slots[slot].last = Self.fold(last ?? .none, value)
      return slots[slot].last
    case .paired:
      slots[slot].last = value
      return last.map { Self.change($0, value) }
    case .distinct where last == value: return nil
    case .distinct:
      slots[slot].last = value
      return value
    case .dropped: return slots[slot].begun > 1 ? value : nil
    case .first:
      if slots[slot].begun == 2, let line = line(of: slot), !waitsBehindOperator(slot) {
        lines[line]?.removeAll { $0.slot == slot && $0.value != nil }
      }
      return slots[slot].begun > 2 ? nil : value
    default: return value
    }
  }

  // MARK: - Drains

  private func drain(queue: Int) {
    if linesInUse.contains(.queue(queue)) { return }
    let outer = thread
    thread = .queue(queue)
    drain(.queue(queue))
    thread = outer
  }

  private func drainMain() {
    if thread == .main, !linesInUse.contains(.main) { drain(.main) }
  }

  private var actorInUse: Int?

  private func drainActor(of slot: Int) {
    guard isActorSlot(slot), actorInUse == nil else { return }
    actorInUse = slot
    beginSleeping()
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

  /// Delivers everything that waits, at most 128 entries at a time.
  ///
  /// A drain of a queue that had at least eight looks for more, and takes as many as are left of the
  /// 128. Any other drain ends, and the next one may take 128 again.
  private func drain(_ line: Line) {
    let isOnQueue = if case .queue = line { true } else { false }
    linesInUse.insert(line)
    defer { linesInUse.remove(line) }
    var room = 128
    while !isOver, let count = lines[line]?.count, count > 0 {
      let taken = min(count, room)
      room = isOnQueue && taken >= 8 && taken < room ? room - taken : 128
      for index in 0..<taken { lines[line]?[index].isInHand = true }
      while lines[line]?.first?.isInHand == true, let entry = lines[line]?.removeFirst() {
        whileCalling(nil) {
          guard let value = entry.value else { return cancel(entry.slot) }
          if !slots[entry.slot].isSuspended { deliver(entry.slot, value) }
        }
        reached += 1
        if reached > 20_000 { isOver = true }
      }
      if case .actor = line { beginSleeping() }
    }
  }

  // MARK: - Time

  /// Takes in a payload behind those that are due, and sends these.
  private func hold(back value: Counted, _ slot: Int) {
    if slots[slot].isSuspended { return }
    var turns = takeDue(slot)
    let deadline = now + Operation.Source.period
    switch slots[slot].source {
    case .throttled where now < slots[slot].windowEnd:
      slots[slot].pending = [(value, slots[slot].windowEnd)]
    case .leading where now < slots[slot].windowEnd: break
    case .throttled, .leading:
      slots[slot].windowEnd = deadline
      turns.append(.due(slot: slot, value, passing(slot)))
    case .collected:
      if let first = slots[slot].pending.popLast() {
        turns.append(.due(slot: slot, Self.change(first.value, value), passing(slot)))
      } else {
        slots[slot].pending = [(Self.change(.none, value), deadline)]
      }
    case .debounced: slots[slot].pending = [(value, deadline)]
    default: slots[slot].pending.append((value, deadline))
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
    return due.map { .due(slot: slot, $0.value, Cause()) }
  }

  private func send(_ turns: [Turn], _ slot: Int) {
    if let worklist = slots[slot].worklist { take(turns, of: worklist, onActorOf: nil) }
  }

  /// Sends what was collected, once the source has ended.
  private func sendRestIfUnfed(_ slot: Int) {
    guard slots[slot].source.isTimed, !slots[slot].sides[0].isLive else { return }
    let isSent = slots[slot].source == .collected && !slots[slot].isSuspended
    let rest = isSent ? slots[slot].pending.popLast() : nil
    // A task that waits for nothing is cancelled, and ends when it runs.
    if slots[slot].pending.isEmpty, sleepers.contains(where: { $0.slot == slot }) {
      sleepers.removeAll { $0.slot == slot }
      beginners.append(slot)
    }
    if let rest { send([.due(slot: slot, rest.value, Cause())], slot) }
  }

  /// Lets a task sleep until a payload is due, or end if none waits.
  private func sleep(_ slot: Int) {
    guard let deadline = slots[slot].pending.first?.due else {
      slots[slot].isWaiting = false
      return finishIfUnfed(slot)
    }
    let index = sleepers.firstIndex { deadline < $0.deadline } ?? sleepers.endIndex
    sleepers.insert((slot, deadline), at: index)
  }

  private func beginSleeping() {
    let slots = beginners
    beginners = []
    for slot in slots { sleep(slot) }
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
      if stays { sleep(slot) } else { finishIfUnfed(slot) }
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
    forget(slot)
    slots[slot].last = nil
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
      guard slots[slot].sides[side].isLive else { return }
      slots[slot].sides[side].isLive = false
      if slots[slot].isBond { return cancel(slot) }
      if slots[slot].source == .zipped { endIfUnpaired(slot) }
      sendRestIfUnfed(slot)
      if slots[slot].source != .until { finishIfUnfed(slot) }
    case .replay(let replay): end(replay: replay)
    }
  }

  /// Ends the sides of a `zip` that can pair nothing more.
  private func endIfUnpaired(_ slot: Int) {
    let sides = slots[slot].sides
    guard zip(sides, slots[slot].unpaired).contains(where: { !$0.isLive && $1.isEmpty }) else {
      return
    }
    for (index, side) in sides.enumerated() where side.isLive {
      drop(.side(slot, index), of: side.node)
    }
  }

  private func end(replay: Int) {
    if !dead.insert(replay).inserted { return }
    take(.end, of: replay, onActorOf: nil, nests: false)
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
    // The end of an operator of time, and that of its source, may both find nothing left to wait for.
    if slots[slot].isFinished { return }
    forget(slot)
    slots[slot].isFinished = true
    for node in orders.indices { orders[node].removeAll { $0 == .slot(slot) } }
    if let line = line(of: slot), lines[line]?.contains(where: { $0.slot == slot }) == true {
      lines[line]?.append(Entry(slot: slot, value: nil))
    } else {
      cancel(slot)
    }
  }

  /// Drops what the sides have sent.
  private func forget(_ slot: Int) {
    slots[slot].latest = [nil, nil]
    slots[slot].unpaired = [[], []]
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
    if states[node] == nil { end(node) } else { take(.end, of: node, onActorOf: nil, nests: false) }
  }

  private func end(_ node: Int) {
    let members = orders[node]
    ended.insert(node)
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
