import Dispatch

/// Where the slots of a line run.
enum Place: Equatable {
  /// A queue. Slots always run later.
  case queue
  /// The main queue. Slots run at once if the emission is there, unless they were given that queue.
  case main
  /// An actor. Slots run at once if the emission is there.
  case actor(ObjectIdentifier)
  /// A task that calls one asynchronous slot, on an actor, if the slot has one.
  case task
}

extension SlotRequest {
  /// Makes the mailbox of the slot, in the line of its place, unless the slot runs inline.
  borrowing func mailbox() -> Mailbox? {
    let line: Line
    var queue: DispatchQueue?
    let isAsync = if case .async = unsafe body { true } else { false }
    switch place {
    case .inline, .confined(onMain: false): return nil
    case .confined(onMain: true):
      MainQueue.requireMainActor()
      return nil
    case .queue(let given): (line, queue) = (Line.of(given), given)
    case .main:
      MainQueue.requireMainActor()
      line = .main
    case .actor(let actor): line = isAsync ? Line(.task, actor) : .of(actor)
    case .task: line = Line(.task)
    }
    let isBounded = quota < .max && buffering == .unbounded
    return makeMailbox(line, queue, isBounded ? .oldest(quota) : buffering)
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
    if actor === MainActor.shared { return main }
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

/// The main queue, recognised from any thread.
///
/// `Thread.isMainThread` is false on the main queue under `async main` and `dispatchMain()` on
/// Linux, and `DispatchQueue.main` is a new object at each access there. A specific value is right.
enum MainQueue {
  private static let key = DispatchSpecificKey<Bool>()

  static let queue = {
    let queue = DispatchQueue.main
    queue.setSpecific(key: key, value: true)
    return queue
  }()

  static let actor = ObjectIdentifier(MainActor.shared)

  /// Stops the program soon after the first call if the main actor runs on an executor of its own,
  /// and not on the main queue: its slots would run elsewhere.
  static func requireMainActor() { _ = check }

  private static let check: Void = {
    #if !SO_EXPLORE
      Task.detached { @MainActor in
        if isCurrent { return noteRun() }
        // This stops release builds, too.
        fatalError("the main actor has an executor of its own, and its slots run on the main queue")
      }
    #endif
  }()

  static var isCurrent: Bool {
    _ = queue
    return DispatchQueue.getSpecific(key: key) != nil
  }
}
