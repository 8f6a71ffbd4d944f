public import Dispatch

/// Where and when a slot runs.
@usableFromInline
enum Delivery {
  /// On the emitting thread, before `invoke` returns.
  case inline
  /// On a queue, always later.
  case queue(DispatchQueue)
  /// On the main queue, which is the main actor; at once when the emission is there.
  case main
  /// On an actor; at once when the emission is there.
  case actor(any Actor)
  /// On the target, which is an actor; at once when the emission is there.
  case target

  /// Where code of this isolation runs; the main queue if it has none.
  @usableFromInline
  init(isolation: (any Actor)?) {
    switch isolation {
    case nil: self = .main
    case let actor? where actor === MainActor.shared: self = .main
    case let actor?: self = .actor(actor)
    }
  }

  /// Where asynchronous code of this isolation begins; on no actor, in a task of its own.
  @usableFromInline
  init(async isolation: (any Actor)?) {
    self = isolation.map { .actor($0) } ?? .inline
  }

  @usableFromInline
  init(queue: DispatchQueue?) {
    self = queue.map { .queue($0) } ?? .inline
  }
}

/// The main queue, recognised from any thread.
///
/// `Thread.isMainThread` is false on the main queue under `async main` and `dispatchMain()` on
/// Linux, and `DispatchQueue.main` is a new object at each access there; a specific value answers
/// right in all cases.
enum MainQueue {
  private static let key = DispatchSpecificKey<Bool>()

  static let queue = {
    let queue = DispatchQueue.main
    queue.setSpecific(key: key, value: true)
    return queue
  }()

  static let actor = ObjectIdentifier(MainActor.shared)

  static var isCurrent: Bool {
    #if SO_EXPLORE
      return unsafe Schedule.scheduler?.isOnMainQueue ?? false
    #else
      _ = queue
      return DispatchQueue.getSpecific(key: key) != nil
    #endif
  }
}
