import Dispatch

extension Wiring {
  /// One connection of a signal, as it was when the signal was asked for its connections.
  ///
  /// ```swift
  /// for connection in game.scored.connections {
  ///   print(connection.operators, connection.targetType as Any)  // ["filter"] Board
  ///   print(connection.place, connection.pendingCount)  // main 0
  ///   print(connection.fileID, connection.line)  // Wirings/Wirings.swift 19
  /// }
  /// ```
  ///
  /// A value: it holds neither the target nor the slot nor the signal, and does not change.
  public struct Connection: Sendable {
    /// What a connection calls.
    public enum Slot: Sendable, Hashable {
      /// A method that was connected by its name.
      case method
      /// A closure, or a function value, with or without a target.
      case closure
      /// Another signal, which a binding or a bond feeds.
      case signal
      /// An operator that has slots of its own: ``following``.
      case `operator`
    }

    /// Where a slot runs.
    public enum Place: Sendable, Hashable {
      /// On the emitting thread, before `invoke` returns.
      case inline
      /// On the main queue, which is the main actor.
      case main
      /// On a queue with this label.
      case queue(String)
      /// On an actor of this type.
      case actor(String)
      /// On the target, which is an actor.
      case target
      /// In a task on no actor.
      case task
    }

    /// What is called.
    public let slot: Slot
    /// The type of the target; nil if the slot has none.
    ///
    /// For ``Slot/signal``, it is the type of that signal.
    public let targetType: Any.Type?
    /// Where the slot runs.
    public let place: Place
    /// Whether the slot is asynchronous.
    public let isAsync: Bool
    /// The names of the operators between the signal and the slot, in the order in which payloads
    /// pass them.
    ///
    /// A binding stands last, as `bind` or `bond`. An operator of yours has the name that it gives
    /// to ``SignalSlot/passing(_:)``, or none.
    public internal(set) var operators: [String]
    /// Whether the observer is suspended.
    public let isSuspended: Bool
    /// The number of payloads that wait for the slot.
    ///
    /// The payloads that an operator of time keeps are not counted.
    public let pendingCount: Int
    /// The number of payloads that ``SignalSource/buffering(_:)`` or ``SignalSource/prefix(_:)``
    /// has dropped so far.
    public let droppedCount: Int
    /// The module and the file that connect the slot.
    public let fileID: String
    /// The line that connects the slot.
    public let line: Int
    /// The connections of the last operator, if that has connections of its own.
    ///
    /// Empty if it has exactly one, which this value then describes.
    public let following: [Connection]
  }
}

extension Wiring.Connection: CustomStringConvertible {
  /// The line of the connection in the debug description of its signal.
  ///
  ///     filter → debounce → Search, main, 1 pending, Scores/Search.swift:21
  public var description: String {
    let slotText =
      switch slot {
      case .method, .closure, .signal:
        ([targetType.map { "\($0)" } ?? "closure"] + Wiring.SlotGroup(self).details)
          .joined(separator: ", ")
      case .operator: "\(following.count) slots"
      }
    return (operators + [slotText]).joined(separator: " → ")
  }

  /// The place, and whether the slot is asynchronous.
  var placeText: String {
    isAsync ? (place == .task ? "async" : "async, \(place)") : "\(place)"
  }
}

extension Wiring.Connection.Place: CustomStringConvertible {
  /// The place in words.
  public var description: String {
    switch self {
    case .inline: "inline"
    case .main: "main"
    case .queue(let label): "queue \"\(label)\""
    case .actor(let type): "isolated to \(type)"
    case .target: "isolated to its target"
    case .task: "task"
    }
  }
}

// MARK: - Looking

extension Signal {
  /// The connections that have not ended, in the order in which they were made, as data.
  ///
  /// Suspended connections are included. The value holds nothing of what it describes. No lock is
  /// held while targets are looked at, so a target may be released meanwhile. Any thread that may
  /// use the signal may read this.
  ///
  /// - Complexity: O(*n*) in the number of slots.
  public var connections: [Wiring.Connection] { list.connections }
}

extension ConnectionList {
  var connections: [Wiring.Connection] { live { Wiring.Connection($0) } }
}

extension [Wiring.Connection] {
  /// Describes `source`, which has these connections.
  func description(of source: Any.Type) -> String {
    let lines = map { "\n  \($0)" }
    return "\(source), \(count) \(count == 1 ? "slot" : "slots")" + lines.joined()
  }
}

extension Wiring.Connection {
  init(_ connection: SignalObserver) {
    let origin = connection.origin
    var operators: [String] = []
    var following: [Wiring.Connection] = []
    var (stage, last) = (origin.stage, Stage?.none)
    while let each = stage {
      operators.append(each.name)
      (stage, last) = (each.next, each)
    }
    if let last, let list = last.list, last.signal == nil {
      following = list.connections
      if following.count == 1 {
        self = following[0]
        self.operators = operators + self.operators
        return
      }
      slot = .operator
    } else {
      slot = last?.signal != nil ? .signal : origin.isMethod ? .method : .closure
    }
    targetType = last?.signal ?? connection.target.map { type(of: $0) }
    (place, isAsync) = connection.lineMailbox?.whereabouts ?? (.inline, false)
    self.operators = operators
    isSuspended = connection.isSuspended
    (pendingCount, droppedCount) = connection.mailbox?.counts ?? (0, 0)
    (fileID, line) = ("\(origin.fileID)", Int(origin.line))
    self.following = following
  }
}

extension LineMailbox {
  fileprivate var whereabouts: (place: Wiring.Connection.Place, isAsync: Bool) {
    switch line.place {
    case .queue: (.queue(queue?.label ?? ""), false)
    case .main: (.main, false)
    case .actor: (actor, false)
    case .asyncSlot: (line.hasActor ? actor : .task, true)
    }
  }

  private var actor: Wiring.Connection.Place {
    guard let actor = line.actor else { return .actor("a dead actor") }
    if connection?.target === actor { return .target }
    return actor === MainActor.shared ? .main : .actor("\(type(of: actor))")
  }
}
