"""Compares the time to compile 500 varied connect calls in one file with that of as many plain closures.

    many.py SCRATCH swiftc ARGUMENT…

Times are those of the compiler's process, the least of two runs of each file, taken by turns, or of up to
seven, while the limit is not kept.
"""
import pathlib
import resource
import subprocess
import sys

scratch, *compiler = sys.argv[1:]
# 1.30 to 1.36 on a quiet machine; the rest is for a busy one.
CALLS, LIMIT, RUNS = 500, 1.6, 7

HEAD = """
import Dispatch
import SignalObserver

final class Log: Sendable {
  func clear() {}
  func add(_ score: Int) {}
  func name(_ score: Int, _ team: String) {}
  func write(_ text: String) {}
}

actor Store {
  func add(_ score: Int) {}
  func save(_ score: Int) async {}
}

@MainActor final class View {
  func show(_ score: Int) {}
}

let queue = DispatchQueue(label: "queue")

final class Slots<Payload> {
  func append(_ slot: @escaping @Sendable (Payload) -> Void) {}
}
"""

# Each a call, and the closure that somebody writes who has an array of closures instead.
PAIRS = [
  ("scored.connect { print($0 + N) }", "scores.append { print($0 + N) }"),
  ("scored.connect { score in log.add(score + N) }", "scores.append { score in log.add(score + N) }"),
  ("scored.connect(on: queue) { log.add($0 + N) }", "scores.append { score in queue.async { log.add(score + N) } }"),
  ("scored.connect(on: .inline) { log.write(\"\\($0) N\") }", "scores.append { log.write(\"\\($0) N\") }"),
  ("scored.connect(log, Log.add)", "scores.append { [weak log] in log?.add($0) }"),
  ("scored.connect(log, Log.clear)", "scores.append { [weak log] _ in log?.clear() }"),
  ("scored.connect(log, Log.add, queue)", "scores.append { [weak log] score in queue.async { [log] in log?.add(score) } }"),
  ("scored.connect(view, View.show)", "scores.append { [weak view] score in Task { @MainActor [view] in view?.show(score) } }"),
  ("scored.connect(store, Store.save)", "scores.append { [weak store] score in Task { [store] in await store?.save(score) } }"),
  ("scored.connect(store) { $0.add($1 + N) }", "scores.append { [weak store] score in Task { [store] in await store?.add(score + N) } }"),
  ("scored.connect(log) { $0.add($1 + N) }", "scores.append { [weak log] in log?.add($0 + N) }"),
  ("scored.connect(log, on: queue) { $0.add($1 + N) }", "scores.append { [weak log] score in queue.async { [log] in log?.add(score + N) } }"),
  ("changed.connect(log, Log.name)", "changes.append { [weak log] in log?.name($0, $1) }"),
  ("changed.connect(log) { $0.name($1 + N, $2) }", "changes.append { [weak log] in log?.name($0 + N, $1) }"),
  ("changed.connect { print($0 + N, $1) }", "changes.append { print($0 + N, $1) }"),
  ("scored.map { $0 * N }.connect(log, Log.add)", "scores.append { [weak log] in log?.add($0 * N) }"),
  ("scored.filter { $0 > N }.connect(log, Log.add)", "scores.append { [weak log] in if $0 > N { log?.add($0) } }"),
  ("scored.map(log, Log.write, { \"\\($0) N\" })", "scores.append { [weak log] in log?.write(\"\\($0) N\") }"),
  ("started.connect(log, Log.clear)", "starts.append { [weak log] in log?.clear() }"),
  ("started.connect(log) { $0.add(N) }", "starts.append { [weak log] in log?.add(N) }"),
]


def file(name, sources, column):
  lines = [HEAD]
  for number in range(0, CALLS, 10):
    lines.append(f"func calls{number}({sources}, log: Log, store: Store, view: View) {{")
    for n in range(number, number + 10):
      lines.append("  " + PAIRS[n % len(PAIRS)][column].replace("N", str(n + 1)))
    lines.append("}")
  path = pathlib.Path(scratch, name)
  path.write_text("\n".join(lines) + "\n")
  return path


def seconds(path):
  before = resource.getrusage(resource.RUSAGE_CHILDREN)
  subprocess.run([*compiler, "-c", "-o", "/dev/null", str(path)], check=True)
  after = resource.getrusage(resource.RUSAGE_CHILDREN)
  return after.ru_utime + after.ru_stime - before.ru_utime - before.ru_stime


calls = file("calls.swift", "_ scored: SignalArg<Int>, _ changed: SignalArg2<Int, String>, _ started: SignalVoid", 0)
closures = file("closures.swift", "_ scores: Slots<Int>, _ changes: Slots<(Int, String)>, _ starts: Slots<Void>", 1)
ours = plain = float("inf")
for run in range(RUNS):
  ours, plain = min(ours, seconds(calls)), min(plain, seconds(closures))
  if run > 0 and ours <= LIMIT * plain:
    break
print(f"{CALLS} calls take {ours:.2f} s, plain closures {plain:.2f} s: {ours / plain:.2f} times, at most {LIMIT}")
sys.exit(0 if ours <= LIMIT * plain else 1)
