// The model-based test: see `Proof/README.md`.

import Foundation
import SignalObserver
import Synchronization

/// Runs both sides, and returns how they differ, if they do.
nonisolated func difference(
  _ operations: [Operation], _ seed: UInt64, _ fault: String?
) -> (calls: Int, message: String?) {
  let model = Model(seed: seed, fault: fault)
  let library = Library(seed: seed)
  defer { library.finish() }
  for (index, operation) in operations.enumerated() {
    model.step(operation)
    library.step(operation)
    // A global queue now does the work of other threads, at a time that is not defined.
    if model.isOver { return (model.callCount, nil) }
    let isLast = index == operations.count - 1
    if let message = compare(model, library, looking: isLast || index % 7 == 6) {
      return (model.callCount, "\(operation): \(message)")
    }
  }
  return (model.callCount, nil)
}

/// Looking at everything ends the connections of dead targets, so this does not do it after each
/// step.
nonisolated func compare(_ model: Model, _ library: Library, looking: Bool) -> String? {
  if model.calls != library.calls {
    let same = zip(model.calls, library.calls).prefix { $0 == $1 }.count
    return "calls \(library.calls.dropFirst(same).prefix(5)), expected "
      + "\(model.calls.dropFirst(same).prefix(5)), after \(same) others"
  }
  if model.currentValues != library.currentValues {
    return "the values are \(library.currentValues), expected \(model.currentValues)"
  }
  if model.properties != library.properties {
    return "the properties are \(library.properties), expected \(model.properties)"
  }
  if !looking { return nil }
  if model.slotCounts != library.slotCounts {
    return "\(library.slotCounts) slots, expected \(model.slotCounts)"
  }
  for (slot, observer) in library.observers.enumerated() {
    guard let observer else { return "slot \(slot) has no observer" }
    let isSuspended = model.slots[slot].isSuspended && !model.isCancelled(slot)
    if model.isCancelled(slot) != observer.isCancelled {
      return "slot \(slot) is\(observer.isCancelled ? "" : " not") cancelled"
    }
    if isSuspended != observer.isSuspended {
      return "slot \(slot) is\(observer.isSuspended ? "" : " not") suspended"
    }
  }
  let captures = library.captures.value.load(ordering: .acquiring)
  if model.captureCount != captures {
    return "\(captures) captures, expected \(model.captureCount)"
  }
  return nil
}

/// Leaves out the operations that the difference does not need (ddmin).
nonisolated func shrink(
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

nonisolated func run(_ total: Int, _ firstSeed: UInt64, _ fault: String?) -> Int32 {
  let start = Date()
  var (done, calls, seed) = (0, 0, firstSeed)
  while done < total {
    var random = Random(seed: seed)
    let operations = (0..<200).map { _ in Operation.random(&random, isNested: false) }
    let result = difference(operations, seed, fault)
    if result.message != nil {
      let shortest = shrink(operations, seed, fault)
      print("seed \(seed), \(shortest.count) operations:")
      for operation in shortest { print("  \(operation)") }
      print(difference(shortest, seed, fault).message ?? "no difference any more")
      print("model: a difference after \(done) operations, seed \(seed)")
      return 1
    }
    done += operations.count
    calls += result.calls
    seed += 1
  }
  let seconds = String(format: "%.1f", -start.timeIntervalSinceNow)
  print(
    "model: \(done) operations, \(calls) calls, seeds \(firstSeed)..<\(seed), "
      + "0 differences, \(seconds) s")
  return 0
}

Tasks.shared.takeOver()

// The library numbers changes from the first binding on.
EmitterValue(0).bond(givingTo: EmitterValue(0))

let arguments = CommandLine.arguments.dropFirst()
let numbers = arguments.compactMap { Int($0) }
// A deliberate fault of the model, which shows that the test finds a difference: `order`, `cycle`,
// `replay`, `latest`, `bond`, `custom`, `property` or `time`.
let fault = arguments.contains("--fault") ? arguments.last : nil
exit(run(numbers.first ?? 1_000_000, UInt64(numbers.dropFirst().first ?? 1), fault))
