// The model-based test: see `Proof/README.md`.

import Foundation

nonisolated func run(_ total: Int, _ firstSeed: UInt64, _ fault: String?) -> Int32 {
  let start = Date()
  var (done, calls, seed) = (0, 0, firstSeed)
  while done < total {
    var random = Random(seed: seed)
    let operations = (0..<200).map { _ in Operation.random(&random, isNested: false) }
    let result = difference(operations, seed, fault)
    if result.message != nil {
      print(report(operations, seed, fault))
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
let arguments = CommandLine.arguments.dropFirst()
let numbers = arguments.compactMap { Int($0) }
// A deliberate fault of the model, which shows that the test finds a difference: `order`, `cycle`,
// `replay`, `latest`, `bond`, `custom`, `property`, `newest`, `time` or `zip`.
let fault = arguments.contains("--fault") ? arguments.last : nil
exit(run(numbers.first ?? 1_000_000, UInt64(numbers.dropFirst().first ?? 1), fault))
