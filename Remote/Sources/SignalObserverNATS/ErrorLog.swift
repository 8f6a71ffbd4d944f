import Foundation
public import SignalObserver

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
