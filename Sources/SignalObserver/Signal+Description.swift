extension Signal: CustomDebugStringConvertible {
  /// Lists the live slots, a line each: the target's type, where it runs, whether it is suspended,
  /// how many deliveries are pending, how many were dropped, and the file and line that connected
  /// it.
  ///
  ///     Signal<Int>, 2 slots
  ///       Label, main, 1 pending, Scores/LabelController.swift:14
  ///       closure, queue "log", suspended, Scores/Log.swift:9
  ///       debounce → Search, isolated to its target, Scores/Search.swift:21
  ///
  /// An operator that has several sources, or that waits, stands between the signal and the slot.
  /// Its name comes before the slot.
  ///
  /// - Complexity: O(*n*) in the number of slots and of their pending deliveries.
  public var debugDescription: String { list.description(of: Self.self) }
}

extension SnapshotList where Element == SignalObserver {
  /// Returns the results of `body` for the slots whose connections have not ended.
  ///
  /// A connection whose target is gone is ended first.
  func liveSlots<Value>(_ body: (SignalObserver) -> Value) -> [Value] {
    var values: [Value] = []
    forEach { observer in
      observer.endIfOver()
      if !observer.isEnded { values.append(body(observer)) }
    }
    return values
  }

  /// Describes `source`, the owner of this list.
  func description(of source: Any.Type) -> String {
    let lines = liveSlots { "\n  \($0.lineOfDescription)" }
    return "\(source), \(lines.count) \(lines.count == 1 ? "slot" : "slots")" + lines.joined()
  }
}

extension SignalObserver {
  /// The line for this slot, or, if the slot belongs to an operator, for the slot behind it.
  var lineOfDescription: String {
    if let label { return label() }
    let counts = berth.flatMap { lane?.counts($0) } ?? (pending: 0, dropped: 0)
    return [
      target.map { "\(type(of: $0))" } ?? "closure",
      berth.flatMap { lane?.description(of: $0) } ?? "inline",
      isSuspended ? "suspended" : nil,
      counts.pending > 0 ? "\(counts.pending) pending" : nil,
      counts.dropped > 0 ? "\(counts.dropped) dropped" : nil,
      "\(fileID):\(line)",
    ]
    .compactMap { $0 }
    .joined(separator: ", ")
  }

  /// The number of payloads beyond the bound that ``SignalSource/buffering(_:)`` sets.
  public var droppedCount: Int { berth.flatMap { lane?.counts($0).dropped } ?? 0 }
}

extension Lane where Member == SignalObserver {
  fileprivate func description(of berth: Berth) -> String {
    switch place {
    case .queue: "queue \"\(queueLabel(berth) ?? "")\""
    case .main: "main"
    case .actor: berth.isTargets ? "isolated to its target" : isolation
    case .task where berth.isTargets: "async, isolated to its target"
    case .task: hasActor ? "async, \(isolation)" : "async"
    }
  }

  private var isolation: String {
    actor.map { "isolated to \(type(of: $0))" } ?? "isolated to a dead actor"
  }
}
