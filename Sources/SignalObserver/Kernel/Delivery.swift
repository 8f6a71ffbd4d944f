public import Dispatch

/// Where and when a slot runs.
@usableFromInline
enum Delivery {
  /// On the emitting thread, before `invoke` returns.
  case inline
  /// As `inline`, by a signal that stays in one isolation domain. The slot's closure and captures
  /// are released nowhere else.
  case confined(onMain: Bool)
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

  /// As `inline` and confined to this isolation.
  @usableFromInline
  static func confined(to isolation: (any Actor)?) -> Delivery {
    .confined(onMain: isolation === MainActor.shared)
  }

  /// Whether it runs before `invoke` returns, wherever that is.
  var isInline: Bool {
    switch self {
    case .inline, .confined: true
    case .queue, .main, .actor, .target: false
    }
  }

  /// Inline, and confined if this is.
  @usableFromInline
  var inline: Delivery {
    if case .confined = self { self } else { .inline }
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

  /// Stops the program if the main actor does not run on the main queue, but on an executor of its
  /// own: its slots would run elsewhere.
  ///
  /// Asked once, on the main actor, when a slot of it is connected.
  static let requireMainActor: Void = {
    #if !SO_EXPLORE
      Task.detached { @MainActor in
        if isCurrent { return }
        // Says so in release, too.
        fatalError("the main actor has an executor of its own, and its slots run on the main queue")
      }
    #endif
  }()

  static var isCurrent: Bool {
    #if SO_EXPLORE
      return unsafe Schedule.scheduler?.isOnMainQueue ?? false
    #else
      _ = queue
      return DispatchQueue.getSpecific(key: key) != nil
    #endif
  }
}
