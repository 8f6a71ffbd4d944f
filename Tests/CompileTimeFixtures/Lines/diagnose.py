"""What the compiler says of the lines of a file, and how long it takes for them, by its own clock."""
import pathlib
import re
import subprocess


def diagnose(compiler, scratch, name, text):
  """The places and words of each line's diagnostics, and the milliseconds of each line's slowest expression."""
  file = pathlib.Path(scratch) / name
  file.write_text(text)
  said, took = {}, {}
  threshold = "-warn-long-expression-type-checking=1"
  output = subprocess.run(
    [*compiler, "-typecheck", "-Xfrontend", threshold, str(file)], capture_output=True, text=True)
  for match in re.finditer(rf"^{re.escape(str(file))}:(\d+):(\d+): (\w+): (.*)$", output.stderr, re.M):
    line, column, _, words = int(match[1]), int(match[2]), match[3], match[4]
    time = re.match(r"expression took (\d+)ms", words)
    if time:
      took[line] = max(took.get(line, 0), int(time[1]))
    else:
      # The types of closures say where they run, which is what the forms are about.
      said.setdefault(line, set()).add((column, words))
  return said, took


def least(times, again):
  return {line: min(time, again.get(line, 0)) for line, time in times.items()}
