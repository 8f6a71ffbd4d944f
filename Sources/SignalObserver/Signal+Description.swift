extension Signal: CustomDebugStringConvertible {
  /// Lists the live slots, a line each: the target's type, where it runs, whether it is suspended,
  /// how many deliveries are pending, and the file and line that connected it.
  ///
  ///     Signal<Int>, 2 slots
  ///       Label, main, 1 pending, Scores/LabelController.swift:14
  ///       closure, queue "log", suspended, Scores/Log.swift:9
  ///
  /// - Complexity: O(*n*) in the number of slots.
  public var debugDescription: String { list.description(of: Self.self) }
}

extension SlotList {
  /// What `body` returns for each slot whose connection has not ended.
  ///
  /// Connections whose target is gone are ended on the way.
  func liveSlots<Value>(_ body: (Slot) -> Value) -> [Value] {
    var values: [Value] = []
    forEach { slot in
      slot.endIfTargetIsGone()
      if !slot.observer.isEnded { values.append(body(slot)) }
    }
    return values
  }

  /// The description of `source`, whose list this is.
  func description(of source: Any.Type) -> String {
    let lines = liveSlots { "\n  \($0.description)" }
    return "\(source), \(lines.count) \(lines.count == 1 ? "slot" : "slots")" + lines.joined()
  }
}

extension Slot {
  fileprivate var description: String {
    let pending = mailbox?.pendingCount ?? 0
    return [
      target.map { "\(type(of: $0))" } ?? "closure",
      mailbox?.deliveryDescription ?? "inline",
      observer.isSuspended ? "suspended" : nil,
      pending > 0 ? "\(pending) pending" : nil,
      "\(fileID):\(line)",
    ]
    .compactMap { $0 }
    .joined(separator: ", ")
  }
}
