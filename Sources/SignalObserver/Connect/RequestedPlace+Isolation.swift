public import Dispatch

extension RequestedPlace {
  /// Where code of this isolation runs; the main queue if it has none.
  @usableFromInline
  init(isolation: (any Actor)?) {
    switch isolation {
    case nil: self = .main
    case let actor? where actor === MainActor.shared: self = .main
    case let actor?: self = .actor(actor)
    }
  }

  /// Where asynchronous code of this isolation begins; on no actor if it has none.
  @usableFromInline
  init(async isolation: (any Actor)?) {
    self = isolation.map { .actorTask($0) } ?? .task
  }

  @usableFromInline
  init(queue: DispatchQueue?) {
    self = queue.map { .queue($0) } ?? .inline
  }

  /// On the isolation of a closure, or else of its caller, for a target that is not `Sendable`.
  ///
  /// Stops the program if they differ, because the target may be in use where it is connected. The
  /// compiler cannot see this: a closure may name any actor, and its target is a parameter.
  @inlinable
  init(closure isolation: (any Actor)?, stayingOn caller: (any Actor)?) {
    precondition(
      isolation == nil || caller == nil || isolation === caller,
      """
      The target is not Sendable, and stays on the actor that connects it: connect a closure of \
      another actor on that actor, or make the target Sendable
      """)
    self.init(isolation: isolation ?? caller)
  }

  /// As `inline` and confined to this isolation.
  @usableFromInline
  static func confined(to isolation: (any Actor)?) -> RequestedPlace {
    .confined(onMain: isolation === MainActor.shared)
  }
}
