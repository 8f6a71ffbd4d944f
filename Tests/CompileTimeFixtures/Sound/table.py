"""Asks the compiler, for every connect form, whether its target may leave the actor that connects it.

    table.py Sound.txt SCRATCH [--accept] swiftc ARGUMENT…
    table.py Sound.txt --program FILE
    table.py Sound.txt --races FILE

Each cell of the table is a form, a kind of target, and a way to send the target elsewhere. A cell is `refused` if its
method does not compile, by its types or by its regions, `warned` if the form is deprecated, and else `compiles`. The
table is compared with Sound.txt. A class that is not Sendable has no cell that compiles, whatever Sound.txt says,
except what a closure captures: the compiler does not count that to the actor whose isolation the closure inherits,
with a parameter for it or without.

The table is complete: the compiler says which declaration each row picks, and a declaration in
Sources/SignalObserver/Connect that no row picks is a failure.

--program writes a program that runs the cells of Sound.txt that compile, and that uses their targets meanwhile. --races
writes one that runs what a closure captures. Scripts/check-sound runs both under ThreadSanitizer, which must report
the second.
"""
import pathlib
import re
import subprocess
import sys

SOURCES = pathlib.Path(__file__).resolve().parents[3] / "Sources/SignalObserver/Connect"
PARAMETERS = {
  "zero": "", "one": "_ number: Int", "two": "_ number: Int, _ text: String", "note": "_ note: Note",
  "notes": "_ note: Note, _ number: Int",
}
# The methods that each kind of target has once for each list of parameters.
VARIANTS = {
  "": "", "onMain": "@MainActor ", "onArchive": "@Archive ", "stays": "nonisolated(nonsending) ",
  "away": "@concurrent ", "mainTask": "@MainActor ",
}


def name(variant, parameters):
  return variant + parameters.capitalize() if variant else parameters


def methods(body, isActor=False):
  lines = []
  for variant, attributes in VARIANTS.items():
    isAsync = variant in ("stays", "away", "mainTask") or isActor and not variant
    if isActor and variant == "away": attributes += "nonisolated "
    if isActor and variant == "stays": attributes = ""
    does = body if not isActor or variant in ("", "stays") else "{}"
    # Swift makes one function of two methods of a class that differ in their global actor alone. A result tells
    # them apart.
    if variant == "onArchive": does = f"{{ {does[1:-1].strip() or '()'}; return true }}"
    for parameters, types in PARAMETERS.items():
      effect = "async " if isAsync else "-> Bool " if variant == "onArchive" else ""
      lines.append(f"  {attributes}func {name(variant, parameters)}({types}) {effect}{does}")
  # What code on an actor calls without `await`.
  lines.append(f"  func touch() {body}")
  return "\n".join(lines)


PRELUDE = f"""
import Dispatch
import SignalObserver
import Synchronization

// Public, because the compiler fails on an internal one (CompilerBugs).
@globalActor public actor Archive {{
  public static let shared = Archive()
}}

final class Note {{}}

final class Plain {{
  var sum = 0
{methods("{ sum += 1 }")}
}}

final class Shared: Sendable {{
  let sum = Mutex(0)
{methods("{ sum.withLock { $0 += 1 } }")}
}}

actor Act {{
  var sum = 0
{methods("{ sum += 1 }", isActor=True)}
}}

let queue = DispatchQueue(label: "queue")
func use<T>(_ target: T) {{
  (target as? Shared)?.one(1)
  guard let plain = target as? Plain else {{ return }}
  // Long enough to meet a slot.
  for _ in 1...10_000_000 {{ plain.touch() }}
}}
func take<T>(_ target: sending T) {{ Task.detached {{ use(target) }} }}
actor Vault<T> {{
  var content: T?
  func keep(_ target: T) {{ content = target }}
}}
"""
# The code that connects, and that owns the signals.
HOMES = {"Home": "actor", "MainHome": "@MainActor final class", "ArchiveHome": "@Archive final class"}
SIGNALS = """
  let nothing = EmitterVoid()
  let single = EmitterArg<Int>()
  let pair = EmitterArg2<Int, String>()
  let notes = EmitterArg<Note>()
  let notePairs = EmitterArg2<Note, Int>()
"""

ENDS = {"": ("single", "one"), " of two": ("pair", "two"), " without parameters": ("single", "zero")}
CONFINED = {"": ("notes", "note"), " of two": ("notePairs", "notes"), " without parameters": ("notes", "zero")}
FORMS = {}


def add(form, text, home="Home"):
  FORMS[form] = (home, text)


for kind, variant in {
  "method": "", "main actor method": "onMain", "global actor method": "onArchive", "method that stays": "stays",
  "concurrent method": "away", "async method of the main actor": "mainTask",
}.items():
  for end, (signal, parameters) in ENDS.items():
    call = f"{signal}.signal.connect(target, {{T}}.{name(variant, parameters)}"
    add(kind + end, call + ")")
    if variant in ("", "onMain"): add(kind + end + ", queue", call + ", queue)")
add("method, inline", "single.signal.connect(target, {T}.one, .inline)")
for kind, variant in {"map": "", "map to the main actor": "onMain"}.items():
  for end, parameters, result in (("", "one", "$0"), (" of two", "two", '($0, "")')):
    call = f"single.signal.map(target, {{T}}.{name(variant, parameters)}, {{{{ {result} }}}}"
    add(kind + end, call + ")")
    add(kind + end + ", queue", call + ", queue)")
for end, signal, parameters, call in (
  ("", "single", "target, number", "one(number)"), (" of two", "pair", "target, number, text", "two(number, text)"),
  (" of nothing", "nothing", "target", "zero()"),
):
  body = f"{{{{ {parameters} in {{A}}target.{call} }}}}"
  add("closure" + end, f"{signal}.signal.connect(target) {body}")
  add("async closure" + end, f"{signal}.signal.connect(target) {body.replace(' in', ' async in')}")
  add("closure" + end + ", queue", f"{signal}.signal.connect(target, on: queue) {body.replace('{A}', '')}")
  add("synchronous closure" + end, f"{signal}.signal.connect(target) {{{{ {parameters} in target.touch() }}}}")
  underscores = ", ".join("_" * (parameters.count(",") + 1))
  types = {"": "{T}, Int", " of two": "{T}, Int, String", " of nothing": "{T}"}[end]
  add("function value with a target" + end,
      f"let function: ({types}) -> Void = {{{{ {underscores} in }}}}; {signal}.signal.connect(target, function)")
stays = "let function: nonisolated(nonsending) @Sendable"
add("async function value with a target",
    stays + " ({T}, Int) async -> Void = {{ _, _ in }}; single.signal.connect(target, function)")
add("async function value",
    stays + " (Int) async -> Void = {{ number in {A}target.one(number) }}; single.signal.connect(function)")
add("capture", "single.signal.connect {{ number in {A}target.one(number) }}")
add("async capture", "single.signal.connect {{ number async in {A}target.one(number) }}")
add("capture, queue", "single.signal.connect(on: queue) {{ number in target.one(number) }}")
add("function value", "single.signal.connect(keeping: target.one)")
add("function value without its label", "single.signal.connect(target.one)")
add("operator, method", "single.signal.filter {{ $0 > 0 }}.connect(target, {T}.one)")
add("operator, closure",
    "single.signal.filter {{ $0 > 0 }}.connect(target) {{ target, number in {A}target.one(number) }}")
for kind, variant, home in (
  ("confined method", "", "Home"), ("confined main actor method", "onMain", "MainHome"),
  ("confined global actor method", "onArchive", "ArchiveHome"),
):
  for end, (signal, parameters) in CONFINED.items():
    add(kind + end, f"{signal}.signal.connect(target, {{T}}.{name(variant, parameters)})", home)
add("confined closure", "notes.signal.connect(target) {{ target, note in target.note(note) }}")
add("confined closure of two", "notePairs.signal.connect(target) {{ target, note, number in target.notes(note, number) }}")
add("confined capture", "notes.signal.connect {{ note in target.note(note) }}")

KINDS = {"class": "Plain", "Sendable class": "Shared", "actor": "Act"}
# What the compiler lets through in any function that takes such a closure.
OPEN = {"capture", "async capture"}
USES = {
  "returned": ("-> sending {T} ", "return target"),
  "passed": ("", "take(target)"),
  "captured": ("", "Task.detached {{ use(target) }}"),
  "stored": ("async ", "await Vault<{T}>().keep(target)"),
}

cells = [(form, kind, use) for form in FORMS for kind in KINDS for use in USES]


def method(cell, first):
  """The method of a cell, and what it does first."""
  form, kind, use = cell
  words = {"T": KINDS[kind], "A": "await " if kind == "actor" else ""}
  result, end = USES[use]
  lines = ["let target = {T}()", *first, FORMS[form][1], end]
  return ([f"func cell{cells.index(cell)}() {result.format(**words)}{{"]
          + [line.format(**words) for line in lines] + ["}"])


def program(some, *first, tail=""):
  """The lines of a program with the methods of some cells, and whose each line is."""
  text, owners = PRELUDE.strip("\n").split("\n"), {}
  for home, keywords in HOMES.items():
    text += [f"{keywords} {home} {{", *SIGNALS.strip("\n").split("\n")]
    for cell in some:
      if FORMS[cell[0]][0] != home: continue
      for line in method(cell, first):
        text.append("  " + line)
        owners[len(text)] = cell
    text += [*tail.strip("\n").split("\n"), "}"]
  return text, owners


if sys.argv[2] in ("--program", "--races"):
  races, compiled = sys.argv[2] == "--races", []
  for line in pathlib.Path(sys.argv[1]).read_text().splitlines():
    form, kind, row = line.split(" | ")
    compiled += [(form, kind, use) for use in USES if f"{use} compiles" in row and races == (kind == "class")]
  # One task uses its target all the time, and leaves threads for the emissions.
  if races: compiled = [("capture", "class", "captured")]
  first = [] if races else ["kept.withLock {{ $0.append(target) }}"]
  text, _ = program(compiled, *first, tail="""
  func emit() {
    for number in 1...20 {
      nothing.invoke()
      single.invoke(number)
      pair.invoke(number, "text")
      notes.invoke(Note())
      notePairs.invoke(Note(), number)
    }
  }
""")
  text += ["let kept = Mutex<[any AnyObject & Sendable]>([])", "@main struct Program {", "  static func main() async {"]
  for home in HOMES:
    text.append(f"    let {home.lower()} = await {home}()")
    text += [f"    _ = await {home.lower()}.cell{cells.index(cell)}()"
             for cell in compiled if FORMS[cell[0]][0] == home]
  text.append("    await withTaskGroup { group in")
  for home in map(str.lower, HOMES):
    text += [f"      group.addTask {{ await {home}.emit() }}",
             f"      group.addTask {{ for number in 1...20 {{ {home}.single.invoke(number); {home}.nothing.invoke() }} }}",
             f'      group.addTask {{ for number in 1...20 {{ {home}.pair.invoke(number, "text") }} }}']
  text += ["      group.addTask { for target in kept.withLock({ $0 }) { use(target) } }", "    }"]
  for home in map(str.lower, HOMES):
    text += [f"    await {home}.single.invokeAndWait(0)", f'    await {home}.pair.invokeAndWait(0, "")',
             f"    await {home}.nothing.invokeAndWait()"]
  text += [f'    print("{len(compiled)} cells have run")', "  }", "}"]
  pathlib.Path(sys.argv[3]).write_text("\n".join(text) + "\n")
  sys.exit()

record, scratch, *compiler = sys.argv[1:]
accept = compiler[0] == "--accept"
compiler = compiler[1:] if accept else compiler
source = pathlib.Path(scratch) / "Sound.swift"


def compiled(some, *mode):
  """Compiles some cells, and returns whose each line is, and what the compiler says and prints."""
  text, owners = program(some)
  source.write_text("\n".join(text) + "\n")
  return owners, subprocess.run([*compiler, *mode, str(source)], capture_output=True, text=True)


def refused(some, *mode):
  """The cells of some in which the compiler finds an error, and those of a deprecated form."""
  owners, output = compiled(some, *mode)
  found, warned = set(), set()
  for match in re.finditer(rf"^{re.escape(str(source))}:(\d+):\d+: (error|warning): (.*)$", output.stderr, re.M):
    if match[2] == "error":
      if int(match[1]) not in owners:
        sys.exit(f"the table itself does not compile\n{match[0]}")
      found.add(owners[int(match[1])])
    elif "is deprecated" in match[3]:
      warned.add(owners[int(match[1])])
  if output.returncode != 0 and not found:
    sys.exit(f"the compiler failed\n{output.stderr}")
  return found, warned


def picked(some):
  """The declarations that some cells pick, each by its file and line."""
  _, output = compiled(some, "-dump-ast")
  return {(match[1], int(match[2])) for match in re.finditer(
    r'decl="SignalObserver\.[^"]*@[^"]*/Connect/([^"/]*\.swift):(\d+):\d+[^"]*" function_ref=single', output.stdout)}


def declared():
  """The declarations of connect forms that can be called, each by its file and line."""
  found = {}
  for file in SOURCES.glob("*.swift"):
    lines = file.read_text().splitlines()
    for index, line in enumerate(lines):
      if not re.match(r"  public func (connect|map)\b", line): continue
      start = index
      while lines[start - 1].strip(): start -= 1
      text = "\n".join(lines[start:index + 8])
      # The target of the last is a queue, and no object of the caller's.
      if "unavailable" in text.split("public func")[0] or "Target: QueueTarget" in line: continue
      found[file.name, index + 1] = line
  return found


# Regions are checked only where the types are right.
wrong, _ = refused(cells, "-typecheck")
picks = picked([cell for cell in cells if cell not in wrong])
warned = set()
while True:
  again, warnings = refused([cell for cell in cells if cell not in wrong], "-emit-sil", "-o", "/dev/null")
  warned |= warnings
  wrong |= again
  if not again: break

lines = []
for form in FORMS:
  for kind in KINDS:
    state = {use: "refused" if (form, kind, use) in wrong else "warned" if (form, kind, use) in warned else "compiles"
             for use in USES}
    lines.append(f"{form} | {kind} | {', '.join(f'{use} {state[use]}' for use in USES)}")
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
    print(f"a target leaves the actor that connects it: {cell}: {' '.join(method(cell, []))}")
forms = declared()
for (file, line), text in sorted(forms.items()):
  if (file, line) not in picks:
    failures += 1
    print(f"no row picks this form: {file}:{line}: {text.strip()}")
print(f"{len(forms)} forms, {len(cells)} cells, {len(wrong)} refused, {failures} failures")
sys.exit(1 if failures or not forms or not wrong or len(wrong) == len(cells) else 0)
