package import Dispatch

/// The lanes of places: one for each queue, one for the main queue, one for each actor.
package enum Places {
  typealias ObserverLane = Lane<SignalObserver>

  static let main = ObserverLane(.main)

  // MARK: - Queues

  /// A queue keeps its lane, and not the lane its queue; the main queue does from the beginning.
  private static let key = {
    let key = DispatchSpecificKey<ObserverLane>()
    MainQueue.queue.setSpecific(key: key, value: main)
    return key
  }()
  private static let making = Lock(())

  /// The lane of `queue`, or one of its own for each call if that is a global queue.
  ///
  /// Global queues take no specifics, and run their blocks side by side.
  static func lane(of queue: DispatchQueue) -> ObserverLane {
    if queue.label.hasPrefix("com.apple.root.") { return ObserverLane(.queue) }
    if let lane = queue.getSpecific(key: key) { return lane }
    return making.withLock { _ in
      if let lane = queue.getSpecific(key: key) { return lane }
      let lane = ObserverLane(.queue)
      queue.setSpecific(key: key, value: lane)
      return lane
    }
  }

  // MARK: - Actors

  private struct Entry {
    /// Weak: the members hold the lane, and the table only finds it.
    weak var lane: ObserverLane?
  }

  private struct Table {
    var entries: [ObjectIdentifier: Entry] = [:]
    /// The size at which lanes that have gone are looked for.
    var limit = 32
  }

  private static let table = Lock(Table())

  static func lane(of actor: any Actor) -> ObserverLane {
    if actor === MainActor.shared { return main }
    let identity = ObjectIdentifier(actor)
    // Out of the lock with it: the last reference to a lane releases its memory.
    let (lane, old) = table.withLock { table -> (ObserverLane, ObserverLane?) in
      let old = table.entries[identity]?.lane
      // Another actor may have had the same address.
      if let old, old.actor === actor { return (old, nil) }
      if table.entries.count >= table.limit {
        table.entries = table.entries.filter { $0.value.lane != nil }
        table.limit = max(32, table.entries.count * 2)
      }
      let new = ObserverLane(.actor(identity), actor)
      table.entries[identity] = Entry(lane: new)
      return (new, old)
    }
    withExtendedLifetime(old) {}
    return lane
  }
}

// For tools that play queues and actors.

extension Places {
  /// Whether a drain of the payloads that wait for `queue` is on its way.
  package static func isDrainDue(on queue: DispatchQueue) -> Bool { lane(of: queue).isScheduled }
}

extension SignalObserver {
  /// Whether a drain of the place that the slot waits for is on its way.
  package var isDrainDue: Bool { lane?.isScheduled ?? false }
}

extension Places {
  /// Where a slot waits; nil if it runs inline.
  static func berth(_ request: borrowing SlotRequest) -> (ObserverLane, Berth)? {
    let (lane, body): (ObserverLane, AsyncBody?)
    var queue: DispatchQueue?
    switch (unsafe request.body, request.delivery) {
    case (.sync, .confined(onMain: true)):
      MainQueue.requireMainActor
      return nil
    case (.sync, .inline), (.sync, .confined): return nil
    case (.sync, .queue(let given)): unsafe (lane, body, queue) = (self.lane(of: given), nil, given)
    case (.sync, .main):
      MainQueue.requireMainActor
      unsafe (lane, body) = (main, nil)
    case (.sync, .actor(let actor)): unsafe (lane, body) = (self.lane(of: actor), nil)
    case (.sync, .target): unsafe (lane, body) = (self.lane(of: actor(of: request)), nil)
    case (.async(let call), .actor(let actor)):
      unsafe (lane, body) = (ObserverLane(.task, actor), call)
    case (.async(let call), _): unsafe (lane, body) = (ObserverLane(.task), call)
    }
    let isTargets = if case .target = request.delivery { true } else { false }
    let berth = unsafe Berth(
      request.type, queue: queue, body: body, alwaysWaits: queue != nil, isTargets: isTargets,
      buffering: request.buffering)
    return (lane, berth)
  }

  private static func actor(of request: borrowing SlotRequest) -> any Actor {
    guard let actor = request.target as? any Actor else {
      preconditionFailure("a slot that runs on its target has a target that is an actor")
    }
    return actor
  }
}
