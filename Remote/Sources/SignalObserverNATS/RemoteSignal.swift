import CNats
import Foundation
public import SignalObserver
import Synchronization

/// A source of the messages that are sent to a subject, by any process.
///
/// Made by ``Bus/signal(_:of:as:)``. It is subscribed for as long as somebody holds it, or is connected
/// to it, and the bus lives.
public final class RemoteSignal<Payload: Sendable>: Sendable {
  private let arrivals: Arrivals<Payload>
  private let inlet: Inlet
  private let link: Link

  init(_ link: Link, _ subject: String, _ coding: Coding<Payload>) {
    let arrivals = Arrivals(link, coding, subject)
    self.arrivals = arrivals
    self.link = link
    inlet = Inlet(subject, receive: { arrivals.receive($0) }, end: { arrivals.finish() })
    link.add(inlet)
  }

  deinit {
    link.remove(inlet)
    arrivals.finish()
  }

  /// How many messages wait for slots.
  public var pendingCount: Int { arrivals.pendingCount }
}

extension RemoteSignal: SignalSource {
  /// Adds a slot behind the others.
  ///
  /// The connect forms call this. Inline slots run on a queue of this signal. A connected slot keeps
  /// the signal.
  public func attach(_ slot: SignalSlot<Message<Payload>>) -> SignalObserver {
    arrivals.signal.attach(
      slot.adapted { (arrival: Arrival<Payload>) in withExtendedLifetime(self) { arrival.message } })
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
  public func signal<Payload: Sendable>(
    _ subject: String, of type: Payload.Type, as coding: Coding<Payload>
  ) -> RemoteSignal<Payload> {
    RemoteSignal(link, subject, coding)
  }

  /// The messages that are sent to a subject from now on, as JSON.
  ///
  /// See ``signal(_:of:as:)``.
  public func signal<Payload: Codable & Sendable>(
    _ subject: String, of type: Payload.Type
  ) -> RemoteSignal<Payload> {
    RemoteSignal(link, subject, .json)
  }
}

/// A message on its way to its slots.
struct Arrival<Payload: Sendable>: Sendable {
  let message: Message<Payload>
  /// Released with the last message of the turn that has been delivered to every slot.
  let turn: Turn
}

/// The messages that were taken from the buffer at once: they count as pending until the last is
/// delivered.
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
final class Arrivals<Payload: Sendable>: Sendable {
  private struct State {
    var messages: [RawMessage] = []
    var isDraining = false
    var lost = 0
    var isFinished = false
  }

  private let state = Mutex(State())
  private let pending = Pending()
  /// Nil once the source has ended.
  private let emitter: Mutex<Emitter<Arrival<Payload>>?>
  let signal: Signal<Arrival<Payload>>
  private let queue: DispatchQueue
  private let link: Link
  private let coding: Coding<Payload>
  private let subject: String
  /// As few turns as possible, and small ones: a slot elsewhere runs while the next is decoded.
  private static var turnLimit: Int { 256 }

  init(_ link: Link, _ coding: Coding<Payload>, _ subject: String) {
    self.link = link
    self.coding = coding
    self.subject = subject
    let emitter = Emitter<Arrival<Payload>>()
    signal = emitter.signal
    self.emitter = Mutex(emitter)
    queue = DispatchQueue(label: "signalobserver.nats.signal \(subject)")
  }

  deinit { for message in state.withLock({ $0.messages }) { message.destroy() } }

  var pendingCount: Int { pending.count }

  /// On libnats' thread.
  func receive(_ message: RawMessage) {
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
    while true {
      let messages = state.withLock { state in
        defer { state.messages = [] }
        if state.messages.isEmpty { state.isDraining = false }
        return state.messages
      }
      if messages.isEmpty { return }
      var start = 0
      while start < messages.count {
        let end = min(start + Self.turnLimit, messages.count)
        let turn = Turn(end - start, pending)
        for message in messages[start..<end] { emit(message, turn, &name) }
        start = end
      }
    }
  }

  private func emit(
    _ raw: RawMessage, _ turn: Turn, _ name: inout (characters: [CChar], text: String)
  ) {
    defer { raw.destroy() }
    guard let emitter = emitter.withLock({ $0 }) else { return }
    let subject = raw.subject(name: &name)
    do {
      let payload = try coding.decode(raw.bytes)
      emitter.invoke(
        Arrival(message: Message(subject: subject, payload: payload), turn: turn), isolation: nil)
    } catch {
      link.report(
        .undecodable(subject: subject, bytes: [UInt8](raw.bytes), reason: "\(error)"))
    }
  }

  /// Ends the source: what was received before is still delivered.
  func finish() {
    state.withLock { $0.isFinished = true }
    queue.async { [self] in
      let ended = emitter.withLock { $0.take() }
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
