import SignalObserver

/// Runs both sides, and returns how they differ, or what is left of the library's, if something is.
///
/// A run ends before an operation that the library may continue on a global queue, because the
/// harness is used by one thread at a time.
func difference(
  _ operations: [Operation], _ seed: UInt64, _ fault: String?
) -> (calls: Int, message: String?) {
  let model = Model(seed: seed, fault: fault)
  // A model with a fault cannot tell when the library continues on a global queue.
  let rightModel = fault == nil ? model : Model(seed: seed, fault: nil)
  let (message, payloads) = play(operations, model, rightModel, Library(seed: seed))
  let left = payloads.number > 0 ? "\(payloads.number) payloads are left at the end" : nil
  return (model.callCount, message ?? left)
}

private func play(
  _ operations: [Operation], _ model: Model, _ rightModel: Model, _ library: Library
) -> (String?, payloads: Counter) {
  var message: String?
  for operation in operations where message == nil {
    model.step(operation)
    if rightModel !== model { rightModel.step(operation) }
    if model.isOver || rightModel.isOver { break }
    library.step(operation)
    message = compare(model, library).map { "\(operation.text): \($0)" }
  }
  let left = library.finish()
  return (message ?? left, library.payloads)
}

func compare(_ model: Model, _ library: Library) -> String? {
  if model.calls != library.calls {
    let same = zip(model.calls, library.calls).prefix { $0 == $1 }.count
    return "calls \(library.calls.dropFirst(same).prefix(5)), expected "
      + "\(model.calls.dropFirst(same).prefix(5)), after \(same) others"
  }
  let numbers = [
    ("values", model.currentValues, library.currentValues),
    ("properties", model.properties, library.properties),
    ("dropped payloads", model.droppedCounts, library.droppedCounts),
    ("slots", model.slotCounts, library.slotCounts),
    ("captures", [model.captureCount], [library.captures.number]),
    ("payloads", [model.payloads.number], [library.payloads.number]),
  ]
  for (what, expected, actual) in numbers where actual != expected {
    return "\(what): \(actual), expected \(expected)"
  }
  for (slot, observer) in library.observers.enumerated() {
    guard let observer else { return "slot \(slot) has no observer" }
    let expected = model.slots[slot]
    let name = "slot \(slot), .\(expected.form), .\(expected.place), .\(expected.source)"
    let isSuspended = expected.isSuspended && !model.isCancelled(slot)
    if model.isCancelled(slot) != observer.isCancelled {
      return "\(name) is\(observer.isCancelled ? "" : " not") cancelled"
    }
    if isSuspended != observer.isSuspended {
      return "\(name) is\(observer.isSuspended ? "" : " not") suspended"
    }
  }
  return nil
}

/// Leaves out the operations that the difference does not need (ddmin).
func shrink(
  _ operations: [Operation], _ seed: UInt64, _ fault: String?
) -> [Operation] {
  var shortest = operations
  var length = max(1, shortest.count / 2)
  while true {
    var index = 0
    var isShorter = false
    while index < shortest.count {
      var candidate = shortest
      candidate.removeSubrange(index..<min(index + length, candidate.count))
      if difference(candidate, seed, fault).message != nil {
        shortest = candidate
        isShorter = true
      } else {
        index += length
      }
    }
    if length == 1, !isShorter { return shortest }
    length = max(1, length / 2)
  }
}

/// The shortest run that still shows the difference, and the difference.
func report(_ operations: [Operation], _ seed: UInt64, _ fault: String?) -> String {
  let shortest = shrink(operations, seed, fault)
  let message = difference(shortest, seed, fault).message ?? "no difference any more"
  return "seed \(seed), \(shortest.count) operations:\n"
    + shortest.map { "  \($0.text)\n" }.joined() + message
}
