"""Asks the compiler, for every connect form with a target, whether the target may leave the actor that connects it.

    table.py Sound.txt SCRATCH [--accept] swiftc ARGUMENT…

Each cell of the table is a form, a kind of target, and a way to send the target elsewhere. A cell is `refused` if its
method does not compile, by its types or by its regions, and else `compiles`. The table is compared with Sound.txt. A
class that is not Sendable has no cell that compiles, whatever Sound.txt says, except what a closure captures: the
compiler does not count that to the actor whose isolation the closure inherits, with a parameter for it or without.
"""
import pathlib
import re
import subprocess
import sys

record, scratch, *compiler = sys.argv[1:]
accept = compiler[0] == "--accept"
compiler = compiler[1:] if accept else compiler

PRELUDE = """
import Dispatch
import SignalObserver
import Synchronization

final class Plain {
  var sum = 0
  func zero() { sum += 1 }
  func one(_ number: Int) { sum += number }
  func two(_ number: Int, _ text: String) { sum += number }
  nonisolated(nonsending) func stays(_ number: Int) async { sum += number }
  @MainActor func onMain(_ number: Int) { sum += number }
}

final class Shared: Sendable {
  let sum = Mutex(0)
  func zero() { one(1) }
  func one(_ number: Int) { sum.withLock { $0 += number } }
  func two(_ number: Int, _ text: String) { one(number) }
  nonisolated(nonsending) func stays(_ number: Int) async { one(number) }
  @MainActor func onMain(_ number: Int) { one(number) }
}

actor Act {
  var sum = 0
  func zero() async { sum += 1 }
  func one(_ number: Int) async { sum += number }
  func two(_ number: Int, _ text: String) async { sum += number }
  func stays(_ number: Int) async { sum += number }
  @MainActor func onMain(_ number: Int) {}
}

let queue = DispatchQueue(label: "queue")
func take<T>(_ target: sending T) { Task.detached { withExtendedLifetime(target) {} } }
actor Vault<T> {
  var content: T?
  func keep(_ target: T) { content = target }
}

actor Home {
  let nothing = EmitterVoid()
  let single = EmitterArg<Int>()
  let pair = EmitterArg2<Int, String>()
"""

FORMS = {
  "method": "single.signal.connect(target, {T}.one)",
  "method of two": "pair.signal.connect(target, {T}.two)",
  "method without parameters": "single.signal.connect(target, {T}.zero)",
  "main actor method": "single.signal.connect(target, {T}.onMain)",
  "async method": "single.signal.connect(target, {T}.stays)",
  "method, queue": "single.signal.connect(target, {T}.one, queue)",
  "method, inline": "single.signal.connect(target, {T}.one, .inline)",
  "map": "single.signal.map(target, {T}.one, {{ $0 }})",
  "map, queue": "single.signal.map(target, {T}.one, {{ $0 }}, queue)",
  "closure": "single.signal.connect(target) {{ target, number in {A}target.one(number) }}",
  "closure of two": "pair.signal.connect(target) {{ target, number, _ in {A}target.one(number) }}",
  "closure of nothing": "nothing.signal.connect(target) {{ target in {A}target.zero() }}",
  "async closure": "single.signal.connect(target) {{ target, number async in {A}target.one(number) }}",
  "closure, queue": "single.signal.connect(target, on: queue) {{ target, number in target.one(number) }}",
  "closure of two, queue": "pair.signal.connect(target, on: queue) {{ target, number, _ in target.one(number) }}",
  "closure of nothing, queue": "nothing.signal.connect(target, on: queue) {{ target in target.zero() }}",
  "capture": "single.signal.connect {{ number in {A}target.one(number) }}",
  "async capture": "single.signal.connect {{ number async in {A}target.one(number) }}",
  "capture, queue": "single.signal.connect(on: queue) {{ number in target.one(number) }}",
  "function value": "single.signal.connect(keeping: target.one)",
  "operator, method": "single.signal.filter {{ $0 > 0 }}.connect(target, {T}.one)",
  "operator, closure": "single.signal.filter {{ $0 > 0 }}.connect(target) {{ target, number in {A}target.one(number) }}",
}
KINDS = {"class": "Plain", "Sendable class": "Shared", "actor": "Act"}
# What the compiler lets through in any function that takes such a closure.
OPEN = {"capture", "async capture"}
USES = {
  "returned": ("-> sending {T} ", "return target"),
  "passed": ("", "take(target)"),
  "captured": ("", "Task.detached {{ withExtendedLifetime(target) {{}} }}"),
  "stored": ("async ", "await Vault<{T}>().keep(target)"),
}

cells = [(form, kind, use) for form in FORMS for kind in KINDS for use in USES]


def method(cell):
  form, kind, use = cell
  words = {"T": KINDS[kind], "A": "await " if kind == "actor" else ""}
  result, end = USES[use]
  name = f"cell{cells.index(cell)}"
  lines = ["let target = {T}()", FORMS[form], end]
  return [f"func {name}() {result.format(**words)}{{"] + [line.format(**words) for line in lines] + ["}"]


def refused(some, *mode):
  """The cells of some in which the compiler finds an error, and the errors."""
  text = PRELUDE.strip("\n").split("\n")
  owners = {}
  for cell in some:
    for line in method(cell):
      text.append("  " + line)
      owners[len(text)] = cell
  text.append("}")
  source = pathlib.Path(scratch) / "Sound.swift"
  source.write_text("\n".join(text) + "\n")
  output = subprocess.run([*compiler, *mode, str(source)], capture_output=True, text=True)
  found = {}
  for match in re.finditer(rf"^{re.escape(str(source))}:(\d+):\d+: error: (.*)$", output.stderr, re.M):
    if int(match[1]) not in owners:
      sys.exit(f"the table itself does not compile\n{output.stderr}")
    found.setdefault(owners[int(match[1])], match[2])
  if output.returncode != 0 and not found:
    sys.exit(f"the compiler failed\n{output.stderr}")
  return found


# Regions are checked only where the types are right.
wrong = refused(cells, "-typecheck")
while again := refused([cell for cell in cells if cell not in wrong], "-emit-sil", "-o", "/dev/null"):
  wrong |= again

lines = []
for form in FORMS:
  for kind in KINDS:
    row = [f"{use} {'refused' if (form, kind, use) in wrong else 'compiles'}" for use in USES]
    lines.append(f"{form} | {kind} | {', '.join(row)}")
table = "\n".join(lines) + "\n"
if accept:
  pathlib.Path(record).write_text(table)
failures = 0
if table != pathlib.Path(record).read_text():
  failures += 1
  print(f"the table is another than {record}:\n{table}")
for cell in cells:
  if cell[1] == "class" and cell[0] not in OPEN and cell not in wrong:
    failures += 1
    print(f"a target leaves the actor that connects it: {cell}: {' '.join(method(cell))}")
print(f"{len(cells)} cells, {len(wrong)} refused, {failures} failures")
sys.exit(1 if failures or not wrong or len(wrong) == len(cells) else 0)
