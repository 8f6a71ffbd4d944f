import Foundation
public import SignalObserver

/// An error of a bus.
///
/// ``Bus/errors`` sends every error that no call throws. None of them stops anything else.
public enum BusError: Error, Sendable, Hashable {
  /// The reason why messages did not reach the server, or the slots.
  public enum Loss: Sendable, Hashable {
    /// The outbox was full, because there was no connection, or the connection was too slow.
    case outboxFull
    /// The connection ended before the server confirmed the messages. Some of them may have
    /// arrived, so the number is an upper bound.
    case unconfirmed
    /// The slots of the signal are slower than its messages.
    case slowSlots
    /// The server does not permit this user to send to the subject.
    case notPermitted
    /// The bus was closed before the server had the messages.
    case closed
    /// The slots of ``Bus/errors`` are slower than the errors are reported. What was lost are
    /// errors, and not messages.
    case tooManyErrors
  }

  /// Messages were lost: `count` of them since the last error of this kind.
  ///
  /// `subject` is nil if the messages of all subjects are counted together.
  case lost(count: Int, subject: String?, because: Loss)
  /// A message could not be decoded, and was skipped. If ``Bus/errors`` sends this, `bytes` has at
  /// most its first 1,024 bytes; ``BusOptions/undecodable`` gets all of them.
  case undecodable(subject: String, bytes: [UInt8], reason: String)
  /// A payload could not be encoded, and was not sent.
  case unencodable(subject: String, reason: String)
  /// A message with its headers was larger than the server accepts, and was not sent.
  case tooLarge(subject: String, size: Int, limit: Int)
  /// A text is not a valid subject, pattern or name.
  case invalid(text: String, reason: String)
  /// The server does not permit this user to send to the subject, or to subscribe to it.
  case notPermitted(subject: String)
  /// The server refused a request or a message, and trying again would not help.
  case refused(subject: String, code: Int, reason: String)
  /// Nobody answers for the subject: the server has no JetStream, the stream has no leader, or no
  /// stream keeps the subject.
  case unavailable(subject: String, reason: String)
  /// A stream, or the bucket of a value, is no longer the same: the servers have lost it, or
  /// somebody has deleted it. Its senders, consumers and values begin again.
  case storeLost(name: String)
  /// According to its mark, a named consumer has handled a message that its stream does not have
  /// yet.
  case markAhead(consumer: String, handled: UInt64, last: UInt64)
  /// The mark of a named consumer, which the servers keep, cannot be read.
  case unreadableMark(consumer: String)
  /// A slot threw an error. It will get the message again.
  case slotThrew(subject: String, sequence: UInt64, reason: String)
  /// A slot threw too often. The message is stored among the dead letters, and the messages behind
  /// it are delivered. A second error of this kind says if it is too large to be stored there.
  case gaveUp(subject: String, sequence: UInt64, reason: String)
  /// Another process has taken over a named consumer, and handles its messages from now on.
  case takenOver(consumer: String)
  /// Nobody answered in time.
  case timeout(subject: String)
  /// Nobody answered in time, and there is no way to find out whether the servers did what was
  /// asked.
  case unknownOutcome(subject: String)
  /// The bus would have sent credentials to a server without TLS, and refused to.
  case insecureCredentials(server: String)
  /// The task that asked a question was cancelled before there was an answer.
  case cancelled
  /// The bus is closed.
  case closed
  /// No connection could be made, or the connection ended. The bus tries again unless it is closed.
  case connection(reason: String)
}

extension BusError {
  /// Whether a message is larger than the server or the stream accepts.
  var isTooLarge: Bool {
    switch self {
    case .tooLarge, .refused(_, APIError.messageTooLarge, _): true
    default: false
    }
  }

  /// The name of the case.
  package var kind: String { Mirror(reflecting: self).children.first?.label ?? "\(self)" }
}

/// A source of the errors that no call throws: see ``Bus/errors``.
public struct BusErrors: Sendable {
  let log: ErrorLog
}

extension BusErrors: SignalSource {
  /// Adds a slot behind the others.
  ///
  /// The connect forms call this. The first slot also gets the last 64 errors from before.
  public func attach(_ slot: SignalSlot<BusError>) -> SignalObserver { log.attach(slot) }
}

/// A bounded queue of errors for the slots of ``Bus/errors``.
///
/// Any thread may call `report`. Its memory is bounded, whatever the slots do: if there is no room,
/// it drops the oldest error, and counts it.
final class ErrorLog: Sendable {
  private struct Shelf {
    var errors: [BusError] = []
    var size = 0
    let countLimit: Int

    /// Adds an error, and returns the number of older ones that it has displaced.
    mutating func add(_ error: BusError) -> Int {
      errors.append(error)
      size += error.size
      var dropped = 0
      while errors.count > countLimit || size > ErrorLog.sizeLimit {
        size -= errors.removeFirst().size
        dropped += 1
      }
      return dropped
    }

    mutating func takeAll() -> [BusError] {
      defer { (errors, size) = ([], 0) }
      return errors
    }
  }

  private struct State {
    var arriving = Shelf(countLimit: 1024)
    /// The errors that no slot has received yet.
    var kept = Shelf(countLimit: 64)
    var dropped = 0
    var isDraining = false
    var isHeard = false
  }

  private static let sizeLimit = 1 << 20
  private let state = Locked(State())
  private let emitter = Emitter<BusError>()
  private let queue: DispatchQueue
  private let notes: [@Sendable (BusError) -> Void]

  init(_ queue: DispatchQueue, _ notes: [@Sendable (BusError) -> Void]) {
    self.queue = queue
    self.notes = notes
  }

  func report(_ error: BusError) {
    let error = error.bounded
    let isFirst = state.withLock { state in
      state.dropped += state.arriving.add(error)
      defer { state.isDraining = true }
      return !state.isDraining
    }
    if isFirst { queue.async { self.drain() } }
  }

  func attach(_ slot: SignalSlot<BusError>) -> SignalObserver {
    let observer = emitter.signal.attach(slot)
    queue.async { [self] in
      let kept = state.withLock { state in
        state.isHeard = true
        return state.kept.takeAll()
      }
      for error in kept { emitter.invoke(error, isolation: nil) }
    }
    return observer
  }

  private func drain() {
    while true {
      let (errors, isHeard) = state.withLock { state in
        var errors = state.arriving.takeAll()
        if state.dropped > 0 {
          errors.append(.lost(count: state.dropped, subject: nil, because: .tooManyErrors))
          state.dropped = 0
        }
        if errors.isEmpty { state.isDraining = false }
        return (errors, state.isHeard)
      }
      if errors.isEmpty { return }
      for error in errors {
        for note in notes { note(error) }
        if isHeard {
          emitter.invoke(error, isolation: nil)
        } else {
          state.withLock { _ = $0.kept.add(error) }
        }
      }
    }
  }
}

extension BusError {
  /// The approximate size in memory.
  fileprivate var size: Int {
    switch self {
    case .undecodable(let subject, let bytes, let reason):
      64 + subject.utf8.count + bytes.count + reason.utf8.count
    case .refused(let subject, _, let reason), .unavailable(let subject, let reason),
      .unencodable(let subject, let reason), .slotThrew(let subject, _, let reason),
      .gaveUp(let subject, _, let reason):
      64 + subject.utf8.count + reason.utf8.count
    case .connection(let reason): 64 + reason.utf8.count
    default: 256
    }
  }

  /// The same error with shortened texts and bytes, because other programs write them, and may
  /// write them long.
  fileprivate var bounded: BusError {
    switch self {
    case .undecodable(let subject, let bytes, let reason):
      .undecodable(subject: subject, bytes: Array(bytes.prefix(1024)), reason: short(reason))
    case .refused(let subject, let code, let reason):
      .refused(subject: subject, code: code, reason: short(reason))
    case .unencodable(let subject, let reason):
      .unencodable(subject: subject, reason: short(reason))
    case .slotThrew(let subject, let sequence, let reason):
      .slotThrew(subject: subject, sequence: sequence, reason: short(reason))
    case .gaveUp(let subject, let sequence, let reason):
      .gaveUp(subject: subject, sequence: sequence, reason: short(reason))
    case .unavailable(let subject, let reason):
      .unavailable(subject: subject, reason: short(reason))
    case .connection(let reason): .connection(reason: short(reason))
    default: self
    }
  }

  private func short(_ text: String) -> String {
    text.utf8.count <= 1024 ? text : String(text.prefix(200)) + "…"
  }
}
