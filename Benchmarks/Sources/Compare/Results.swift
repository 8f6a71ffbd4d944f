import Dispatch
import Foundation

/// The time of one peer for one kind of work, in nanoseconds for each operation.
struct Figure: Codable {
  let work: String
  let peer: String
  /// The number of slots, where it matters.
  let slots: Int
  let median: Double
  let lowest: Double
  let highest: Double
}

/// One peer's part of a comparison: prepares, is timed, and checks what was done.
struct Contender {
  let peer: String
  /// Returns nanoseconds for each operation.
  let round: () -> Double
}

struct Results {
  let rounds: Int
  /// Measures only the work whose name contains one of these, or all work if there are none.
  let only: [String]
  private(set) var figures: [Figure] = []

  init(rounds: Int, only: [String] = []) {
    self.rounds = rounds
    self.only = only
  }

  /// Lets all contenders take a turn in each round, in an order that moves on by one.
  mutating func compare(_ work: String, slots: Int, _ contenders: [Contender]) {
    if !only.isEmpty, !only.contains(where: { work.contains($0) }) { return }
    var times = contenders.map { _ in [Double]() }
    for round in 0..<rounds {
      for turn in contenders.indices {
        let index = (turn + round) % contenders.count
        times[index].append(contenders[index].round())
      }
    }
    for (contender, times) in zip(contenders, times) {
      let sorted = times.sorted()
      figures.append(
        Figure(
          work: work, peer: contender.peer, slots: slots, median: sorted[sorted.count / 2],
          lowest: sorted[0], highest: sorted[sorted.count - 1]))
    }
    FileHandle.standardError.write(Data("\(work), \(slots) slots\n".utf8))
  }
}

func now() -> UInt64 { DispatchTime.now().uptimeNanoseconds }

/// Nanoseconds that each of so many operations takes.
func time(_ operations: Int, _ work: () -> Void) -> Double {
  let start = now()
  work()
  return Double(now() - start) / Double(operations)
}
