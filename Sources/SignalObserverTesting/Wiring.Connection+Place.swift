import Dispatch
import SignalObserver

extension Wiring.Connection.Place {
  /// The place of the caller.
  ///
  /// - Parameters:
  ///   - queue: The queue with which the caller was connected, if there is one.
  ///   - isolation: The isolation of the caller.
  init(_ queue: DispatchQueue?, isolation: (any Actor)?) {
    if let isolation, isolation !== MainActor.shared {
      self = .actor("\(type(of: isolation))")
    } else if isolation != nil || Self.isOnMainQueue {
      self = .main
    } else {
      self = queue.map { .queue($0.label) } ?? .inline
    }
  }

  private static let key = {
    let key = DispatchSpecificKey<Bool>()
    DispatchQueue.main.setSpecific(key: key, value: true)
    return key
  }()

  private static var isOnMainQueue: Bool { DispatchQueue.getSpecific(key: key) != nil }
}
