import CNats
import Foundation
public import SignalObserver
import Synchronization

/// A source of the messages that are sent to a subject, by any process.
///
/// Made by ``Bus/signal(_:of:as:)``. It is subscribed for as long as somebody holds it, or is connected
/// to it, and the bus lives.
public final class RemoteSignal<Payload: Sendable>: Sendable {
  // Inlinable down to the closure that emits, so that no message asks the runtime for generic types
  // (a third of the cost of a small one).

  @usableFromInline let arrivals: Arrivals
  @usableFromInline let signal: Signal<Arrival<Payload>>

  @inlinable
  init(_ link: Link, _ subject: String, _ coding: Coding<Payload>) {
    let emitter = Emitter<Arrival<Payload>>()
    signal = emitter.signal
    arrivals = Arrivals(link, subject) { subject, bytes, turn in
      let payload = try coding.decode(bytes)
      emitter.invoke(
        Arrival(message: Message(subject: subject, payload: payload), turn: turn), isolation: nil)
    }
    arrivals.begin()
  }

  @inlinable
  deinit { arrivals.end() }

  /// How many messages wait for slots.
  public var pendingCount: Int { arrivals.pendingCount }
}

extension RemoteSignal: SignalSource {
  /// Adds a slot behind the others.
  ///
  /// The connect forms call this. Inline slots run on a queue of this signal. A connected slot keeps
  /// the signal.
  @inlinable
  public func attach(_ slot: SignalSlot<Message<Payload>>) -> SignalObserver {
    signal.attach(
      slot.adapted { (arrival: Arrival<Payload>) in withExtendedLifetime(self) { arrival.message } }
    )
  }
}

extension Bus {
  /// The messages that are sent to a subject from now on.
  ///
  /// Call ``flush()`` to wait until the server knows of it.
  ///
  /// - Parameters:
  ///   - subject: The subject; `*` stands for one part of it, and `>` at the end for any number.
  ///   - type: What is sent.
  ///   - coding: How bytes become payloads. What cannot be decoded is an error, and stops nothing.
  /// - Returns: The source. All its slots share one subscription.
  @inlinable
  public func signal<Payload: Sendable>(
    _ subject: String, of type: Payload.Type, as coding: Coding<Payload>
  ) -> RemoteSignal<Payload> {
    RemoteSignal(link, subject, coding)
  }

  /// The messages that are sent to a subject from now on, as JSON.
  ///
  /// See ``signal(_:of:as:)``.
  @inlinable
  public func signal<Payload: Codable & Sendable>(
    _ subject: String, of type: Payload.Type
  ) -> RemoteSignal<Payload> {
    RemoteSignal(link, subject, .json)
  }
}

/// A message on its way to its slots.
@usableFromInline
struct Arrival<Payload: Sendable>: Sendable {
  @usableFromInline let message: Message<Payload>
  /// Released with the last message of the turn that has been delivered to every slot.
  @usableFromInline let turn: Turn

  @inlinable
  init(message: Message<Payload>, turn: Turn) {
    self.message = message
    self.turn = turn
  }
}

/// The messages that were taken from the buffer at once: they count as pending until the last is
/// delivered.
@usableFromInline
final class Turn: Sendable {
  private let count: Int
  private let pending: Pending

  init(_ count: Int, _ pending: Pending) {
    self.count = count
    self.pending = pending
  }

  deinit { pending.finish(count) }
}

/// How many messages wait for slots.
final class Pending: Sendable {
  private let value = Atomic(0)

  var count: Int { value.load(ordering: .relaxed) }

  // Relaxed, because nothing but the number itself is read.
  func begin() { value.add(1, ordering: .relaxed) }

  func finish(_ count: Int) { value.subtract(count, ordering: .relaxed) }
}

/// What a signal has received, and a queue that decodes and emits it.
///
/// libnats' thread only appends: a slot that takes its time keeps nobody but the slots of its signal.
@usableFromInline
final class Arrivals: Sendable {
  @usableFromInline
  typealias Deliver = @Sendable (String, UnsafeRawBufferPointer, Turn) throws -> Void

  private struct State {
    var messages: [RawMessage] = []
    var isDraining = false
    var lost = 0
    var isFinished = false
    var inlet: Inlet?
    /// Decodes a message and emits it; nil once the source has ended, and the emitter with it.
    var deliver: Deliver?
  }

  private let state: Mutex<State>
  private let pending = Pending()
  private let queue: DispatchQueue
  private let link: Link
  private let subject: String
  /// As few turns as possible, and small ones: a slot elsewhere runs while the next is decoded.
  private static let turnLimit = 256

  @usableFromInline
  init(_ link: Link, _ subject: String, _ deliver: @escaping Deliver) {
    self.link = link
    self.subject = subject
    state = Mutex(State(deliver: deliver))
    queue = DispatchQueue(label: "signalobserver.nats.signal \(subject)")
  }

  deinit { for message in state.withLock({ $0.messages }) { message.destroy() } }

  @usableFromInline var pendingCount: Int { pending.count }

  /// Subscribes; the link holds this from then on.
  @usableFromInline
  func begin() {
    let inlet = Inlet(subject, receive: { self.receive($0) }, end: { self.finish() })
    state.withLock { $0.inlet = inlet }
    link.add(inlet)
  }

  @usableFromInline
  func end() {
    if let inlet = state.withLock({ $0.inlet.take() }) { link.remove(inlet) }
    finish()
  }

  /// On libnats' thread.
  private func receive(_ message: RawMessage) {
    let limit = link.options.pendingLimit
    let (isTaken, isFirst, isFirstLost) = state.withLock { state in
      if state.isFinished { return (false, false, false) }
      if pending.count >= limit {
        state.lost += 1
        return (false, false, state.lost == 1)
      }
      pending.begin()
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
    // Not behind a slot that keeps the signal's own queue.
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
    // Looks again before it goes: in a flood, libnats' thread has the next messages in a moment, and
    // waking the queue for each few of them would cost more than delivering them.
    var looks = 0
    while true {
      messages.removeAll(keepingCapacity: messages.capacity < 1 << 16)
      let deliver = state.withLock { state in
        // The emptied memory is used again.
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
        let turn = Turn(end - start, pending)
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
      try deliver(subject, message.bytes, turn)
    } catch {
      link.report(
        .undecodable(subject: subject, bytes: [UInt8](message.bytes), reason: "\(error)"))
    }
  }

  /// Ends the source: what was received before is still delivered.
  private func finish() {
    state.withLock { $0.isFinished = true }
    queue.async { [self] in
      let ended = state.withLock { state in (state.deliver.take(), state.inlet.take()) }
      withExtendedLifetime(ended) {}
    }
  }
}

extension RawMessage {
  /// The subject, made again only if it is not that of the message before.
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
