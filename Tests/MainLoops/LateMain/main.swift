// Runs the main queue after two seconds or, with --busy, at once, and then does two seconds of work in it. What it says
// on standard error stands between what it prints.

import Dispatch
import Foundation
import SignalObserver

let scored = EmitterArg<String>()
let renamed = EmitterArg<String>()
let worker = DispatchQueue(label: "worker")

// Without a buffer, for that order.
func note(_ line: String) { FileHandle.standardOutput.write(Data("\(line)\n".utf8)) }

nonisolated func sendOnWorker(_ payload: String) { worker.sync { scored.invoke(payload) } }

@MainActor func begin() {
  scored.signal.connect { note("slot: \($0)") }
  renamed.signal.connect { note("slot: \($0)") }
  scored.invoke("on main")
}

@MainActor func proceed() {
  sendOnWorker("of a worker")
  renamed.invoke("on main, of another signal")
  scored.invoke("on main, behind the worker's")
  renamed.invoke("on main, of another signal, behind that")
  note("two seconds")
  usleep(2_100_000)
  sendOnWorker("of a worker, late")
  sendOnWorker("of a worker, last")
  note("now the queue runs")
  DispatchQueue.main.async { exit(0) }
}

dup2(STDOUT_FILENO, STDERR_FILENO)
begin()
if CommandLine.arguments.contains("--busy") {
  sendOnWorker("of a worker, early")
  DispatchQueue.main.async { proceed() }
} else {
  proceed()
}
dispatchMain()
