"""Compares what the compiler says of Mistakes.swift, and how long it takes, with what it says of the same
lines where a method with one overload stands in place of each connect form.

    compare.py Mistakes.swift SCRATCH swiftc ARGUMENT…

Times are the compiler's own. A line passes if it takes at most 40 ms, or twice the time of one overload. While a
line does not pass, its file is compiled again, up to ten times in all; the least time of a line counts.
"""
import pathlib
import re
import sys

from diagnose import diagnose, least

source, scratch, *compiler = sys.argv[1:]
lines = pathlib.Path(source).read_text()
stand_ins = [
  (r"\.connect\((\w+), on: ", r".deliver(\1, on: "),
  (r"\.connect\(on: ", ".enqueue(on: "),
  (r"\.connect\((\w+)\) \{", r".perform(\1) {"),
  (r"\.connect \{", ".receive {"),
]
alone = lines
for form, stand_in in stand_ins:
  alone = re.sub(form, stand_in, alone)


FLOOR, RUNS = 40, 10

forms, form_times = diagnose(compiler, scratch, "forms.swift", lines)
singles, single_times = diagnose(compiler, scratch, "alone.swift", alone)


def is_slow(line):
  return form_times.get(line, 0) > max(FLOOR, 2 * single_times.get(line, 0))


for _ in range(RUNS - 1):
  if not any(map(is_slow, form_times)):
    break
  form_times = least(form_times, diagnose(compiler, scratch, "forms.swift", lines)[1])
failures = compared = 0
for number, (line, other) in enumerate(zip(lines.splitlines(), alone.splitlines()), 1):
  if line == other or line.lstrip().startswith("///") or ".connect" not in line:
    continue
  compared += 1
  if number not in forms or forms[number] != singles.get(number):
    failures += 1
    print(f"{source}:{number}: {line.strip()}")
    print(f"    connect: {sorted(forms.get(number, []))}")
    print(f"    alone:   {sorted(singles.get(number, []))}")
  if is_slow(number):
    failures += 1
    least = single_times.get(number, 0)
    print(f"{source}:{number}: takes {form_times[number]} ms, {least} with one overload: {line.strip()}")
print(f"{compared} mistakes compared with one overload, {failures} differ")
sys.exit(1 if failures or compared < 50 else 0)
