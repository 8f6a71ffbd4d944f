import Dispatch

/// Where a ``SignalSpy`` was delivered to.
public enum DeliveryPlace: Sendable, Hashable, CustomStringConvertible {
  /// On the main queue, which is the main actor.
  case main
  /// On the queue of this label, which the spy was connected with.
  case queue(String)
  /// On an actor of this type.
  case actor(String)
  /// On the emitting thread, in a task of no actor, or, of a slot of your own, on a queue.
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

  /// In words, as in a failure's message.
  public var description: String {
    switch self {
    case .main: "main"
    case .queue(let label): "queue \"\(label)\""
    case .actor(let type): "actor \(type)"
    case .inline: "inline"
    }
  }
}
