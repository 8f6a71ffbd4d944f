import Dispatch

/// One emission of a signal that an ``EmissionRecorder`` has recorded.
package struct RecordedEmission: Sendable {
  package let signal: String
  /// The delivery in which it was made.
  package let cause: Int?
  /// The number of the thread, by the order in which threads appear; nil for the main queue.
  package let thread: Int?
  /// The number of the step at which it was made.
  package let step: Int
}

/// What became of one payload for one connection.
package struct RecordedDelivery: Sendable {
  package enum Reason: Sendable {
    case filtered
    case ended
    case suspended
    case displaced
    case deadTarget
  }

  package enum Outcome: Sendable {
    /// Called by the emission, before `invoke` returned.
    case atOnce
    /// Called later, this number of nanoseconds after the emission.
    case later(waited: UInt64)
    /// Not called when the record ended.
    case waiting
    case dropped(Reason)
  }

  package let emission: Int
  package let slot: String
  package let place: String
  package fileprivate(set) var outcome: Outcome
  /// The number of the step at which the slot was called, or its payload was dropped.
  package fileprivate(set) var step: Int
  fileprivate let connection: SignalObserver
  fileprivate let emitted: UInt64
}

/// Records what some signals emit, and what becomes of it, for a trace.
///
/// It is the tracer of each of these signals. ``Tickets`` follow what waits for a place, in the
/// order in which payloads are added and taken there.
package final class EmissionRecorder: EmissionTracer {
  /// The delivery whose slot this code is in, or belongs to.
  fileprivate struct Current: Sendable {
    let recorder: EmissionRecorder
    let delivery: Int
  }

  @TaskLocal fileprivate static var current: Current?

  private struct Name {
    let connection: SignalObserver
    let slot: String
    let place: String
    /// The list of the operator of time that the connection feeds.
    var keeper: ObjectIdentifier?
  }

  private struct State {
    var emissions: [RecordedEmission] = []
    var deliveries: [RecordedDelivery] = []
    var step = 0
    /// The number of the emission whose record is at an address of the stack.
    var numbers: [UInt: Int] = [:]
    /// The delivery that is being made for the emission at an address of the stack.
    var visits: [UInt: Int] = [:]
    var threads: [UInt: Int] = [:]
    var names: [ObjectIdentifier: Name] = [:]
    /// The deliveries to an operator of time whose payloads it may still have, by its list.
    var kept: [ObjectIdentifier: Fifo<Int>] = [:]
    /// The lists, which hold this until the end of the record, or of the emitter, and their names.
    var lists: [ObjectIdentifier: (list: ConnectionList, name: String)] = [:]
    var isRecording = true

    /// The delivery whose payload an operator of time sends after it has waited.
    ///
    /// `delay` sends each payload in order, and the other operators send the newest. If the
    /// operator gets one in the delivery `current`, it sends what is due before it takes that.
    mutating func takeKept(
      _ list: ObjectIdentifier, _ name: String, before current: Int?
    ) -> Int? {
      var all = kept.removeValue(forKey: list)
      var found: Int?
      while let delivery = all?.popFirst() {
        if case .dropped = deliveries[delivery].outcome { continue }
        if delivery == current {
          kept[list, default: Fifo()].append(delivery)
          continue
        }
        found = delivery
        if name == "delay" {
          kept[list] = all
          break
        }
      }
      return found
    }
  }

  private let state = Lock(State())

  /// Begins to record the signals of `objects`, and all that follow them, as a ``Wiring`` does.
  package init(of objects: [Any]) {
    var survey = WiringSurvey()
    for object in objects { survey.add(object) }
    // Those of the objects first: a binding may lead to one of them, and does not know its name.
    var recorded: [ConnectionList] = []
    for (list, node) in survey.lists {
      let node = survey.nodes[node]
      guard let owner = node.owner else { continue }
      if trace(list, survey.owners[owner] + "." + node.name) { recorded.append(list) }
    }
    for list in recorded { list.forEach { follow($0) } }
    for (list, node) in survey.lists { record(list, survey.nodes[node].name) }
  }

  /// Ends the record, and returns it.
  package func end() -> (emissions: [RecordedEmission], deliveries: [RecordedDelivery]) {
    let (lists, names) = state.withLock { state in
      state.isRecording = false
      let old = (state.lists, state.names)
      (state.lists, state.names) = ([:], [:])
      return old
    }
    // Before the lists: once another trace may follow them, the connections are that one's.
    for name in names.values { Self.leave(name.connection) }
    for (list, _) in lists.values { _ = list.setTracer(nil) }
    let emissions: [RecordedEmission]
    var deliveries: [RecordedDelivery]
    (emissions, deliveries) = state.withLock { state in
      // Later payloads of the block are not followed, and their connections not held.
      let old = (state.emissions, state.deliveries)
      (state.emissions, state.deliveries) = ([], [])
      return old
    }
    for index in deliveries.indices {
      guard case .waiting = deliveries[index].outcome else { continue }
      if let reason = reason(deliveries[index].connection) {
        deliveries[index].outcome = .dropped(reason)
      }
    }
    return (emissions, deliveries)
  }

  /// Why the slot would not be called now.
  private func reason(_ connection: SignalObserver) -> RecordedDelivery.Reason? {
    if connection.isDead { return .deadTarget }
    if connection.isOver { return .ended }
    return connection.isActive ? nil : .suspended
  }

  // MARK: - Signals

  private func record(_ list: ConnectionList, _ name: String) {
    if trace(list, name) { list.forEach { follow($0) } }
  }

  /// Becomes the tracer of `list`, and returns false if there is one already, or no emitter.
  private func trace(_ list: ConnectionList, _ name: String) -> Bool {
    guard list.setTracer(self) else { return false }
    let isRecording = state.withLock { state in
      if state.isRecording { state.lists[ObjectIdentifier(list)] = (list, name) }
      return state.isRecording
    }
    if !isRecording { _ = list.setTracer(nil) }
    return isRecording
  }

  /// Has the mailbox of a connection recorded, if it has one.
  private func follow(_ connection: SignalObserver) {
    let key = ObjectIdentifier(connection)
    if state.withLock({ $0.names[key] != nil }) { return }
    let name = name(of: connection)
    let isNew = state.withLock { state in
      guard state.isRecording else { return false }
      return state.names.updateValue(name, forKey: key) == nil
    }
    guard isNew else { return }
    connection.word.bitwiseOr(SignalObserver.traced)
    connection.lineMailbox?.setTracer { Tickets(self, before: $0) }
    // The end of the record may have been before.
    if !state.withLock({ $0.isRecording }) { return Self.leave(connection) }
    var stage = connection.origin.stage
    while let each = stage {
      if let list = each.list { record(list, each.signal.map { "\($0)" } ?? each.name) }
      stage = each.next
    }
  }

  /// Has the mailbox of a connection no longer recorded.
  private static func leave(_ connection: SignalObserver) {
    connection.word.bitwiseAnd(~SignalObserver.traced)
    connection.lineMailbox?.setTracer { _ in nil }
  }

  /// The name of a slot, and its place.
  ///
  /// An operator with a list of its own is named without what follows it, unless it calls the one
  /// slot that follows.
  private func name(of connection: SignalObserver) -> Name {
    let data = Wiring.Connection(connection)
    var (stage, own): (Stage?, [String]) = (connection.origin.stage, [])
    while let each = stage {
      own.append(each.name)
      stage = each.next
      guard let list = each.list, each.signal == nil else { continue }
      // `Relay.feed(_:)` says when an operator calls the slot behind it. A replay emits.
      var emits = each.isLater || each.handle == nil
      list.forEach { slot in
        if slot.mailboxReference != nil || slot.isConfined || slot.origin.hasStep { emits = true }
        stage = slot.origin.stage
      }
      if emits {
        return Name(
          connection: connection, slot: own.joined(separator: " → "), place: "inline",
          keeper: each.isLater ? ObjectIdentifier(list) : nil)
      }
    }
    let slot =
      switch data.slot {
      case .operator: nil as String?
      case .method, .closure, .signal:
        data.targetType.map { "\($0)" } ?? "closure at line \(data.line)"
      }
    return Name(
      connection: connection,
      slot: (data.operators + [slot].compactMap { $0 }).joined(separator: " → "),
      place: data.placeText)
  }

  // MARK: - Emissions

  func visit(_ connection: SignalObserver, _ visit: () -> Void) {
    let address = Emission.current?.identity ?? 0
    // Held during the call, as the call itself does.
    let target = connection.target
    guard let delivery = begin(address, connection, reason(connection)) else { return visit() }
    Self.$current.withValue(Current(recorder: self, delivery: delivery)) {
      visit()
    }
    if connection.mailboxReference != nil { state.withLock { $0.visits[address] = nil } }
    holdUntilHere(target)
  }

  func begin() {
    guard let emission = Emission.current else { return }
    let address = emission.identity
    let list = emission.pointee.list.map { ObjectIdentifier($0.object) }
    // What another thread has added is delivered in a slot that has not caused it.
    let cause = emission.pointee.isOfOther ? nil : Self.current
    let current = cause.flatMap { $0.recorder === self ? $0.delivery : nil }
    let isPassedOn = emission.pointee.isPassedOn
    let thread = MainQueue.isCurrent ? nil : currentThread()
    state.withLock { state in
      // An earlier emission may have had this address.
      state.numbers[address] = nil
      guard state.isRecording, let list, let name = state.lists[list]?.name else { return }
      let number = thread.map { thread in
        let number = state.threads[thread] ?? state.threads.count + 1
        state.threads[thread] = number
        return number
      }
      state.numbers[address] = state.emissions.count
      // What is sent at once is the rest of what the operator has.
      if isPassedOn { state.kept[list] = nil }
      state.step += 1
      state.emissions.append(
        RecordedEmission(
          signal: name, cause: state.takeKept(list, name, before: current) ?? current,
          thread: number, step: state.step))
    }
  }

  /// Records a delivery, which a mailbox may still make wait.
  private func begin(
    _ address: UInt, _ connection: SignalObserver, _ reason: RecordedDelivery.Reason?
  ) -> Int? {
    let waits = connection.mailboxReference != nil
    let now = waits ? DispatchTime.now().uptimeNanoseconds : 0
    let (delivery, isKnown) = state.withLock { state -> (Int?, Bool) in
      guard state.isRecording, let emission = state.numbers[address] else { return (nil, true) }
      guard let name = state.names[ObjectIdentifier(connection)] else { return (nil, false) }
      state.step += 1
      state.deliveries.append(
        RecordedDelivery(
          emission: emission, slot: name.slot, place: name.place,
          outcome: reason.map { .dropped($0) } ?? .atOnce, step: state.step,
          connection: connection, emitted: now))
      let delivery = state.deliveries.count - 1
      if waits { state.visits[address] = delivery }
      if let list = name.keeper { state.kept[list, default: Fifo()].append(delivery) }
      return (delivery, true)
    }
    if isKnown { return delivery }
    // Connected since the record began.
    follow(connection)
    return begin(address, connection, reason)
  }

  // MARK: - Mailboxes

  /// The delivery that the emission in progress is making.
  fileprivate var visit: Int? {
    guard let emission = Emission.current else { return nil }
    let address = emission.identity
    return state.withLock { $0.visits[address] }
  }

  /// Records that the payload of a call does not reach the slot.
  fileprivate func drop(_ delivery: Int?, _ connection: SignalObserver) {
    set(delivery, .dropped(reason(connection) ?? .filtered))
  }

  fileprivate func set(_ delivery: Int?, _ outcome: RecordedDelivery.Outcome) {
    guard let delivery else { return }
    state.withLock { state in
      guard state.isRecording else { return }
      state.step += 1
      state.deliveries[delivery].step = state.step
      state.deliveries[delivery].outcome = outcome
    }
  }

  /// Returns whether the slot is called.
  fileprivate func begin(_ delivery: Int?, _ connection: SignalObserver) -> Bool {
    guard let delivery else { return connection.isActive }
    if let reason = reason(connection) {
      set(delivery, .dropped(reason))
      return connection.isActive
    }
    let now = DispatchTime.now().uptimeNanoseconds
    state.withLock { state in
      guard state.isRecording else { return }
      state.step += 1
      state.deliveries[delivery].step = state.step
      state.deliveries[delivery].outcome =
        .later(waited: now - min(now, state.deliveries[delivery].emitted))
    }
    return true
  }

  fileprivate func during(_ delivery: Int?, _ call: () -> Void) {
    guard let delivery else { return call() }
    let current = Current(recorder: self, delivery: delivery)
    Self.$current.withValue(current) { call() }
  }

  fileprivate func during(_ delivery: Int?, _ call: () async -> Void) async {
    guard let delivery else { return await call() }
    let current = Current(recorder: self, delivery: delivery)
    await Self.$current.withValue(current) { await call() }
  }
}

/// The deliveries of the payloads of one mailbox, in the order of the payloads.
private final class Tickets: MailboxTracer {
  private let recorder: EmissionRecorder
  /// The deliveries of pending payloads; nil for payloads that nobody has recorded.
  private let state: Lock<(pending: Fifo<Int?>, taken: Fifo<Int?>)>

  init(_ recorder: EmissionRecorder, before count: Int) {
    self.recorder = recorder
    var pending = Fifo<Int?>()
    for _ in 0..<count { pending.append(nil) }
    state = Lock((pending, Fifo()))
  }

  func added() {
    let delivery = recorder.visit
    recorder.set(delivery, .waiting)
    state.withLock { $0.pending.append(delivery) }
  }

  func displaced(isNew: Bool) {
    let delivery = isNew ? recorder.visit : state.withLock { $0.pending.popFirst() ?? nil }
    recorder.set(delivery, .dropped(.displaced))
  }

  func taken(_ count: Int) {
    state.withLock { state in
      for _ in 0..<count { state.taken.append(state.pending.popFirst() ?? nil) }
    }
  }

  private func next() -> Int? { state.withLock { $0.taken.popFirst() ?? nil } }

  func call(_ connection: SignalObserver, _ call: () -> Void) {
    let delivery = next()
    // Held during the call, as the call itself does.
    let target = connection.target
    if recorder.begin(delivery, connection) { recorder.during(delivery, call) }
    holdUntilHere(target)
  }

  func call(_ connection: SignalObserver, _ call: SlotCall?) -> SlotCall? {
    let delivery = next()
    guard let call else {
      recorder.drop(delivery, connection)
      return nil
    }
    _ = recorder.begin(delivery, connection)
    return { [recorder] in await recorder.during(delivery, call) }
  }
}

extension SignalObserver {
  /// Tells the trace, if one records this connection, that the payload of the call in progress does
  /// not reach the slot.
  @inlinable @inline(__always)
  func recordDrop() {
    if word.load(ordering: .relaxed) & Self.traced != 0 { traceDrop() }
  }

  @usableFromInline @inline(never)
  func traceDrop() {
    if let current = EmissionRecorder.current { current.recorder.drop(current.delivery, self) }
  }
}
