import CNats
import Foundation
public import SignalObserver
import Synchronization

/// A source of the messages that are sent to a subject, by any process.
///
/// ``Bus/signal(_:of:as:sharedBy:)`` makes one. It stays subscribed as long as the bus lives, and somebody
/// holds the signal or is connected to it.
public final class RemoteSignal<Payload: Sendable>: Sendable {
  // All code down to the closure that emits is inlinable. Otherwise each message would ask the
  // runtime for generic types, which costs a third as much as delivering a small message.

  @usableFromInline let arrivals: Arrivals
  @usableFromInline let signal: Signal<Arrival<Payload>>

  @inlinable
  init(_ link: Link, _ subject: SubjectPattern, _ coding: Coding<Payload>, sharedBy group: Name?) {
    let emitter = Emitter<Arrival<Payload>>()
    signal = emitter.signal
    arrivals = Arrivals(link, subject.text, sharedBy: group) {
      subject, headers, reply, bytes, turn in
      let message = Message(
        subject: subject, payload: try coding.decode(bytes), headers: headers, reply: reply)
      emitter.invoke(Arrival(message: message, turn: turn), isolation: nil)
    }
    arrivals.begin()
  }

  @inlinable
  deinit { arrivals.end() }

  /// The number of messages that wait for slots.
  public var pendingCount: Int { arrivals.pendingCount }
}

extension RemoteSignal: SignalSource {
  /// Adds a slot behind the others.
  ///
  /// The connect forms call this. Inline slots run on a queue of this signal. A connected slot
  /// keeps the signal alive.
  @inlinable
  public func attach(_ slot: SignalSlot<Message<Payload>>) -> SignalObserver {
    signal.attach(
      arrivals.bind(slot).compactAdapted { (arrival: Arrival<Payload>) in
        withExtendedLifetime(self) { self.arrivals.isOver ? nil : arrival.message }
      }
    )
  }
}

extension RemoteSignal: Wiring.Endpoint {
  /// The subject, by which a `Wiring` names it.
  public var endpoint: String { arrivals.subject }

  /// What emits the messages in this process.
  public var endpointSignal: any SignalSource { signal }
}

extension Bus {
  /// Returns a source of the messages that are sent to a subject from now on.
  ///
  /// Call ``flush()`` to wait until the server knows of the subscription. To get messages that were
  /// sent earlier, use ``RemoteStream/consumer(_:on:from:of:as:isShared:batch:)``.
  ///
  /// - Parameters:
  ///   - subject: The subject, in which `*` stands for one part, and `>` at the end for any number
  ///     of parts.
  ///   - type: The type of the payloads.
  ///   - coding: The coding that turns bytes into payloads. A message that cannot be decoded is
  ///     reported by ``errors``, and skipped.
  ///   - group: The name of the sources that share the messages, in all processes: each message is
  ///     delivered by one of them. Without a name, each source delivers every message.
  /// - Returns: The source. All its slots share one subscription.
  @inlinable
  public func signal<Payload: Sendable>(
    _ subject: SubjectPattern, of type: Payload.Type, as coding: Coding<Payload>,
    sharedBy group: Name? = nil
  ) -> RemoteSignal<Payload> {
    RemoteSignal(link, subject, coding, sharedBy: group)
  }

  /// Returns a source of the messages that are sent to a subject from now on, as JSON.
  ///
  /// See ``signal(_:of:as:sharedBy:)``.
  @inlinable
  public func signal<Payload: Codable & Sendable>(
    _ subject: SubjectPattern, of type: Payload.Type, sharedBy group: Name? = nil
  ) -> RemoteSignal<Payload> {
    RemoteSignal(link, subject, .json, sharedBy: group)
  }
}

/// A message on its way to its slots.
@usableFromInline
struct Arrival<Payload: Sendable>: Sendable {
  @usableFromInline let message: Message<Payload>
  /// The turn of the message, which is released when every slot has received all messages of the
  /// turn.
  @usableFromInline let turn: Turn

  @inlinable
  init(message: Message<Payload>, turn: Turn) {
    self.message = message
    self.turn = turn
  }
}

/// The messages that were taken from the buffer together.
///
/// They count as pending until the last one is delivered.
@usableFromInline
final class Turn: Sendable {
  private let count: Int
  private let size: Int
  private let pending: Pending

  init(_ messages: ArraySlice<RawMessage>, _ pending: Pending) {
    count = messages.count
    size = messages.reduce(0) { $0 + $1.size }
    self.pending = pending
  }

  deinit { pending.finish(count, size) }
}

/// The room that the signals of a bus share for messages that wait for slots.
final class Room: Sendable {
  private let limit: Int
  fileprivate let used = Atomic(0)
  var usedBytes: Int { used.load(ordering: .relaxed) }

  init(_ limit: Int) {
    self.limit = limit
  }

  /// Takes room for a message of a signal that already has `own` bytes.
  ///
  /// A signal may have as much as it leaves to the others. However many signals are slow, there is
  /// room for one more.
  ///
  /// - Returns: Whether there is room. If no message waits, any size is accepted. Otherwise a large
  ///   message could never be delivered.
  fileprivate func take(_ size: Int, own: Int) -> Bool {
    let (old, new) = used.add(size, ordering: .relaxed)
    if old == 0 || own + size <= limit - new { return true }
    used.subtract(size, ordering: .relaxed)
    return false
  }
}

/// The number of messages of a signal that wait for slots, and their size.
final class Pending: Sendable {
  private let room: Room
  private let messages = Atomic(0)
  private let bytes = Atomic(0)

  init(_ room: Room) {
    self.room = room
  }

  // Relaxed, because the numbers publish no other memory.
  var count: Int { messages.load(ordering: .relaxed) }
  var size: Int { bytes.load(ordering: .relaxed) }

  /// Counts a message if there is room.
  func begin(_ size: Int) -> Bool {
    guard room.take(size, own: bytes.load(ordering: .relaxed)) else { return false }
    messages.add(1, ordering: .relaxed)
    bytes.add(size, ordering: .relaxed)
    return true
  }

  func finish(_ count: Int, _ size: Int) {
    messages.subtract(count, ordering: .relaxed)
    bytes.subtract(size, ordering: .relaxed)
    room.used.subtract(size, ordering: .relaxed)
  }
}

/// The messages that a signal has received, and a queue that decodes and emits them.
///
/// libnats' thread only adds messages. A slow slot therefore delays only the slots of its own
/// signal.
@usableFromInline
final class Arrivals: Sendable {
  @usableFromInline
  typealias Deliver =
    @Sendable (String, MessageHeaders, String?, UnsafeRawBufferPointer, Turn) throws -> Void

  private struct State {
    var messages: [RawMessage] = []
    var isDraining = false
    var lost = 0
    var isFinished = false
    var inlet: Inlet?
    /// A function that decodes a message and emits it; nil once the source has ended, and the
    /// emitter with it.
    var deliver: Deliver?
  }

  private let state: Locked<State>
  private let pending: Pending
  private let queue: DispatchQueue
  private let link: Link
  let subject: String
  private let group: Name?
  /// The most messages in one turn.
  ///
  /// Turns are small, so that slots in other places run while the next turn is decoded.
  private static let turnLimit = 256

  @usableFromInline
  init(
    _ link: Link, _ subject: String, sharedBy group: Name?, _ deliver: @escaping Deliver
  ) {
    self.link = link
    self.subject = subject
    self.group = group
    state = Locked(State(deliver: deliver))
    pending = Pending(link.room)
    queue = DispatchQueue(label: "signalobserver.nats.signal \(subject)")
  }

  deinit { for message in state.withLock({ $0.messages }) { message.destroy() } }

  @usableFromInline var pendingCount: Int { pending.count }

  /// Whether nothing is delivered any more.
  @usableFromInline var isOver: Bool { link.hasClosed }

  /// Returns a slot with what instruments bind while it runs.
  @usableFromInline
  func bind<Payload>(_ slot: SignalSlot<Message<Payload>>) -> SignalSlot<Message<Payload>> {
    link.instruments.bind(slot) { $0.headers }
  }

  /// Subscribes.
  ///
  /// The link holds this object from then on.
  @usableFromInline
  func begin() {
    let inlet = Inlet(
      subject, sharedBy: group, isAsked: false, pending: pending,
      receive: { self.receive($0) }, end: { self.finish() })
    state.withLock { $0.inlet = inlet }
    link.add(inlet)
  }

  @usableFromInline
  func end() {
    if let inlet = state.withLock({ $0.inlet.take() }) { link.remove(inlet) }
    finish()
  }

  /// Takes a message, on libnats' thread.
  private func receive(_ message: RawMessage) {
    let size = message.size
    let (isTaken, isFirst, isFirstLost) = state.withLock { state in
      if state.isFinished { return (false, false, false) }
      if !pending.begin(size) {
        state.lost += 1
        return (false, false, state.lost == 1)
      }
      state.messages.append(message)
      if state.isDraining { return (true, false, false) }
      state.isDraining = true
      return (true, true, false)
    }
    if !isTaken { message.destroy() }
    if isFirst { queue.async { self.drain() } }
    if isFirstLost { countLosses() }
  }

  private func countLosses() {
    // The signal's own queue may be busy with a slot, so this uses the wire queue.
    link.wire.asyncAfter(deadline: .now() + .milliseconds(50)) { [self] in
      let count = state.withLock { state in
        defer { state.lost = 0 }
        return state.lost
      }
      if count > 0 { link.report(.lost(count: count, subject: subject, because: .slowSlots)) }
    }
  }

  private func drain() {
    var name = (characters: [CChar](), text: "")
    var messages: [RawMessage] = []
    // The queue looks several times before it ends its work. In a flood, libnats' thread has the
    // next messages in a moment, and waking the queue for every few of them would cost more than
    // delivering them.
    var looks = 0
    while true {
      messages.removeAll(keepingCapacity: messages.capacity < 1 << 16)
      let deliver = state.withLock { state in
        // This reuses the emptied memory.
        swap(&messages, &state.messages)
        if messages.isEmpty, looks == 2 { state.isDraining = false }
        return state.deliver
      }
      if messages.isEmpty {
        if looks == 2 { return }
        looks += 1
        sched_yield()
        continue
      }
      looks = 0
      var start = 0
      while start < messages.count {
        let end = min(start + Self.turnLimit, messages.count)
        let turn = Turn(messages[start..<end], pending)
        if !link.instruments.measures.isEmpty {
          let bytes = messages[start..<end].reduce(0) { $0 + $1.bytes.count }
          link.tally.delivered.add(end - start, bytes)
        }
        for message in messages[start..<end] {
          if let deliver { emit(message, turn, &name, deliver) }
          message.destroy()
        }
        start = end
      }
    }
  }

  private func emit(
    _ message: RawMessage, _ turn: Turn, _ name: inout (characters: [CChar], text: String),
    _ deliver: Deliver
  ) {
    let subject = message.subject(name: &name)
    do {
      try deliver(subject, link.headers(of: message), message.reply, message.bytes, turn)
    } catch {
      link.reportUndecodable(message.bytes, of: subject, error, link.headers(of: message))
    }
  }

  /// Ends the source.
  ///
  /// Messages that were received before are still delivered, unless the bus is closed.
  private func finish() {
    state.withLock { $0.isFinished = true }
    queue.async { [self] in
      let ended = state.withLock { state in (state.deliver.take(), state.inlet.take()) }
      withExtendedLifetime(ended) {}
    }
  }
}

extension RawMessage {
  /// Returns the subject.
  ///
  /// A new string is made only if the subject differs from that of the message before.
  func subject(name: inout (characters: [CChar], text: String)) -> String {
    // Every message has a subject.
    let characters = natsMsg_GetSubject(pointer)!
    let isSame = name.characters.withUnsafeBufferPointer { known in
      guard let known = known.baseAddress else { return false }
      return strcmp(known, characters) == 0
    }
    if !isSame {
      name.characters = Array(UnsafeBufferPointer(start: characters, count: strlen(characters) + 1))
      name.text = String(cString: characters)
    }
    return name.text
  }
}
