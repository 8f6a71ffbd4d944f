import Dispatch

/// The place of a delivery that a ``SignalSpy`` has recorded.
public enum DeliveryPlace: Sendable, Hashable, CustomStringConvertible {
  /// The main queue, on which the main actor runs.
  case main
  /// The queue with this label, with which the spy was connected.
  case queue(String)
  /// An actor of this type.
  case actor(String)
  /// The emitting thread, or a task on no actor. For a slot of your own, it may also be a queue.
  case inline

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

  /// The place in words, for the message of a failure.
  public var description: String {
    switch self {
    case .main: "main"
    case .queue(let label): "queue \"\(label)\""
    case .actor(let type): "actor \(type)"
    case .inline: "inline"
    }
  }
}
