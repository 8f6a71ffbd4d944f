"""Compares how long the compiler takes for each line of Lines.swift with a limit.

    natural.py Lines.swift SCRATCH swiftc ARGUMENT…

Times are the compiler's own. The limit is 100 ms on a machine that needs 25 ms for a line of the standard library,
and longer on a slower one. While a line is over it, the file is compiled again, up to twelve times; the least time of
a line counts.
"""
import pathlib
import sys

from diagnose import diagnose, least

source, scratch, *compiler = sys.argv[1:]
LIMIT, RUNS = 100, 12
YARDSTICK, YARDSTICK_TIME = "print(temperatures.map { ($0 - 32) * 5 / 9 }.filter { $0 > -3.5 && $0 * 2 < 100 })", 25

lines = pathlib.Path(source).read_text().splitlines()
text = "\n".join([*lines, f"func measure(_ temperatures: [Double]) {{ {YARDSTICK} }}\n"])


def measure():
  """The time of each line; the yardstick is the last."""
  said, took = diagnose(compiler, scratch, "natural.swift", text)
  for number, words in said.items():
    sys.exit(f"{source}:{number}: {words}")
  if len(lines) + 1 not in took:
    sys.exit("the yardstick was not measured: the file does not compile")
  return took


def limit():
  return LIMIT * max(1, times[len(lines) + 1] / YARDSTICK_TIME)


times = measure()
for _ in range(RUNS - 1):
  if max(times.values()) <= limit():
    break
  times = least(times, measure())
slow = {number: time for number, time in times.items() if number <= len(lines) and time > limit()}
for number, time in slow.items():
  print(f"{source}:{number}: takes {time} ms: {lines[number - 1].strip()}")
slowest = max(time for number, time in times.items() if number <= len(lines))
print(f"the slowest line takes {slowest} ms of {limit():.0f}, the yardstick {times[len(lines) + 1]}; {len(slow)} are slow")
sys.exit(1 if slow else 0)
