"""Compares the time to optimise one connection of a large payload on a queue with that of the same by hand.

    large.py SCRATCH swiftc ARGUMENT…

Times are those of the compiler's process, the least of several runs of each file, taken by turns.
"""
import pathlib
import resource
import subprocess
import sys

scratch, *compiler = sys.argv[1:]
COUNT, LIMIT, RUNS = 8192, 2, 2

PROGRAM = """
import Dispatch
import %s

typealias Large = InlineArray<%d, Int>

%s
func run() {
  let (emitter, queue) = (%s<Large>(), DispatchQueue(label: "queue"))
  emitter.%sconnect(on: queue) { print($0[3]) }
  emitter.invoke(Large(repeating: 1))
}
"""

BY_HAND = """
final class Slots<Payload: Sendable>: Sendable {
  let slots = Mutex<[@Sendable (Payload) -> Void]>([])

  func connect(on queue: DispatchQueue, _ slot: @escaping @Sendable (Payload) -> Void) {
    slots.withLock { $0.append { payload in queue.async { slot(payload) } } }
  }

  func invoke(_ payload: Payload) {
    for slot in slots.withLock({ $0 }) { slot(payload) }
  }
}
"""


def file(name, *words):
  path = pathlib.Path(scratch, name)
  path.write_text(PROGRAM % words)
  return path


def seconds(path):
  before = resource.getrusage(resource.RUSAGE_CHILDREN)
  subprocess.run([*compiler, "-O", "-c", "-o", "/dev/null", str(path)], check=True, timeout=300)
  after = resource.getrusage(resource.RUSAGE_CHILDREN)
  return after.ru_utime + after.ru_stime - before.ru_utime - before.ru_stime


library = file("library.swift", "SignalObserver", COUNT, "", "EmitterArg", "signal.")
by_hand = file("by_hand.swift", "Synchronization", COUNT, BY_HAND, "Slots", "")
times = [(seconds(library), seconds(by_hand)) for _ in range(RUNS)]
ours, plain = (min(column) for column in zip(*times))
print(f"{COUNT} words take {ours:.2f} s, by hand {plain:.2f} s: {ours / plain:.2f} times, at most {LIMIT}")
sys.exit(0 if ours <= LIMIT * plain else 1)
