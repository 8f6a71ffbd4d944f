public import Dispatch

/// Where the slots of a line run.
enum Place: Equatable {
  /// A queue. Slots always run later.
  case queue
  /// The main queue. Slots run at once if the emission is there, unless they were given that queue.
  case main
  /// An actor. Slots run at once if the emission is there.
  case actor(ObjectIdentifier)
  /// A task that calls one asynchronous slot, on its actor, if it has one.
  case asyncSlot
}

extension Place {
  /// Whether the emission is made at this place (guarantee 13); nil if that is unknown.
  func isPlace(of emission: OnStack<Emission>) -> Bool? {
    switch self {
    case .queue, .asyncSlot: false
    case .main: Self.isOnMain(emission)
    case .actor(let actor): emission.pointee.isolation.map { $0 == actor }
    }
  }

  /// Whether the emission is on the main actor: known by the compiler if it is on any actor, and
  /// otherwise asked once for all slots.
  ///
  /// Nil if that is unknown: an inner emission off the main queue, as in a block that the main
  /// thread runs for another queue, delivers for this one, and nobody has asked before.
  private static func isOnMain(_ emission: OnStack<Emission>) -> Bool? {
    if let isolation = emission.pointee.isolation { return isolation == MainQueue.actor }
    if emission.pointee.isOnMainQueue == nil,
      emission == Emission.innermost || MainQueue.isCurrent
    {
      emission.pointee.isOnMainQueue = MainQueue.isCurrent
    }
    return emission.pointee.isOnMainQueue
  }
}

extension SlotRequest {
  /// The line of the slot's place, the queue, if there is one, and the bound of what waits.
  @usableFromInline
  func findLine() -> (line: Line, queue: DispatchQueue?, buffering: SignalBuffering) {
    let line: Line
    var queue: DispatchQueue?
    switch place {
    case .queue(let given): (line, queue) = (Line.of(given), given)
    case .main: line = .of(MainActor.shared)
    case .actor(let actor): line = .of(actor)
    case .actorTask(let actor): line = Line(.asyncSlot, actor)
    case .task: line = Line(.asyncSlot)
    case .inline, .confined: fatalError("a slot that runs inline has no mailbox")
    }
    let isBounded = quota < .max && buffering == .unbounded
    return (line, queue, isBounded ? .oldest(quota) : buffering)
  }
}

// MARK: - Finding the line of a place

extension Line {
  fileprivate static let main = Line(.main)

  /// A queue holds its line by this key, and no line holds its queue.
  private static let key = {
    let key = DispatchSpecificKey<Line>()
    MainQueue.queue.setSpecific(key: key, value: main)
    return key
  }()
  private static let making = Lock(())

  /// The labels of the global queues, which take no specifics.
  private static let globalLabels = Set(
    ["maintenance", "background", "utility", "default", "user-initiated", "user-interactive"]
      .flatMap { ["com.apple.root.\($0)-qos", "com.apple.root.\($0)-qos.overcommit"] })

  /// The line of `queue`, or a new one if that is a global queue: it runs its blocks side by side,
  /// and each slot on it is a place of its own.
  static func of(_ queue: DispatchQueue) -> Line {
    if let line = queue.getSpecific(key: key) { return line }
    if globalLabels.contains(queue.label) { return Line(.queue) }
    // Dispatch runs nobody's code here. The queue has no line yet, or keeps the one that it has.
    return making.withLock { _ in
      let line = queue.getSpecific(key: key) ?? Line(.queue)
      queue.setSpecific(key: key, value: line)
      return line
    }
  }

  private struct Entry {
    // Weak: the mailboxes hold the line, and the table only finds it.
    weak var line: Line?
  }

  /// The lines of actors, and the number of entries at which those without a line are removed.
  private static let table = Lock((lines: [ObjectIdentifier: Entry](), limit: 32))

  static func of(_ actor: any Actor) -> Line {
    if actor === MainActor.shared {
      MainQueue.requireMainActor()
      return main
    }
    let identity = ObjectIdentifier(actor)
    return table.withLock { table in
      // An actor that has died may have had the same address. Releasing the last reference to a
      // line runs nobody's code.
      if let line = table.lines[identity]?.line, line.actor === actor { return line }
      if table.lines.count >= table.limit {
        table.lines = table.lines.filter { $0.value.line != nil }
        table.limit = max(32, table.lines.count * 2)
      }
      let new = Line(.actor(identity), actor)
      table.lines[identity] = Entry(line: new)
      return new
    }
  }
}
