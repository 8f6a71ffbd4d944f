// Times every peer in one process, side by side: all peers take a turn in each round, and a figure is
// the median of the rounds. Prints JSON. Usage: Compare [ROUNDS [WORK…]]; only work with one of
// those in its name.

import Foundation
import Peers

let arguments = CommandLine.arguments.dropFirst()
let rounds = arguments.first.flatMap { Int($0) } ?? 11
let chosen = Array(arguments.dropFirst())

// A second thread for the whole run: the C library is faster while there is only one, which would
// flatter those who lock most.
Thread { while true { sleep(1000) } }.start()

// On a thread of its own, so that the main queue is free to deliver.
let measuring = Thread {
  var results = Results(rounds: rounds, only: chosen)
  measureInline(&results)
  measureConnections(&results)
  measureThreads(&results)
  measureGrowth(&results)
  measureHops(&results)
  measureFloods(&results)
  let encoder = JSONEncoder()
  encoder.outputFormatting = [.prettyPrinted, .sortedKeys]
  if let json = try? encoder.encode(results.figures) { FileHandle.standardOutput.write(json) }
  exit(0)
}
measuring.stackSize = 8 << 20
measuring.start()
dispatchMain()
