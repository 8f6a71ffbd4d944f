#!/usr/bin/env python3
"""Makes results.json and the Markdown tables of what Benchmarks/run measured: report.py DIRECTORY RESULTS COMMAND."""

import json
import os
import platform
import subprocess
import sys

OURS = "SignalObserver"
CLOSURE, METHOD = "SignalObserver, closure", "SignalObserver, method"
LOCKED, WEAK = "by hand, closures and Mutex", "by hand, weak list"
CENTER = "NotificationCenter, [weak] closure"
COMBINE, COMBINE_WEAK = "OpenCombine PassthroughSubject, closure", "OpenCombine PassthroughSubject, [weak] closure"
QUEUES = ["SignalObserver, closure on a queue", "SignalObserver, method on a queue"]
MAIN = "SignalObserver, method of the main actor"
ACTORS = [
    "SignalObserver, closure on an actor", "SignalObserver, method of a global actor",
    "SignalObserver, async method of an actor"]
QUEUE_ASYNC, MAILBOX = "queue.async for each event", "by hand, array and one block"
MAIN_ASYNC = "DispatchQueue.main.async for each event"
TEN, TEN_BY_HAND = "SignalObserver, ten closures on a queue", "by hand, ten arrays and one block each"
TWO, TWO_BY_HAND = "SignalObserver, closures of two signals on a queue", "by hand, array and one block for both"
ABSENT = "not measured here"


def load(directory, name):
    path = os.path.join(directory, name)
    return json.load(open(path)) if os.path.exists(path) else []


def first_line(*command):
    try:
        lines = subprocess.run(command, capture_output=True, text=True).stdout.splitlines()
    except FileNotFoundError:
        return ""
    return lines[0] if lines else ""


def machine():
    processor = platform.processor() or platform.machine()
    if os.path.exists("/proc/cpuinfo"):
        for line in open("/proc/cpuinfo"):
            if line.startswith("model name"):
                processor = line.split(":", 1)[1].strip()
                break
    return {
        "processor": processor, "cores": os.cpu_count(), "system": f"{platform.system()} {platform.machine()}",
        "swift": first_line("swift", "--version"),
        "commit": first_line("git", "-C", os.path.dirname(os.path.abspath(__file__)), "describe", "--always", "--dirty"),
        "peers": "OpenCombine 0.14.0, swift-async-algorithms 1.1.4"}


class Figures:
    def __init__(self, times, memory):
        self.times = {(f["work"], f["peer"], f["slots"]): f["median"] for f in times}
        self.memory = {(f["work"], f["peer"]): f for f in memory}

    def ratio(self, work, ours, other, slots):
        return self.times[work, ours, slots] / self.times[work, other, slots]


class Rows(list):
    """What is to be reached: work, what it is compared with, measured, limit, stretch."""

    def row(self, work, against, measured, limit, stretch=None, unit="×"):
        holds = ABSENT if measured is None or limit is None else bool(measured <= limit)
        self.append({
            "work": work, "against": against, "measured": measured, "limit": limit, "stretch": stretch, "unit": unit,
            "holds": holds, "reaches_stretch": bool(measured <= stretch) if stretch and measured is not None else None})


def floods(figures):
    """Slots that run elsewhere."""
    rows, ratio = Rows(), figures.ratio
    row = rows.row
    for ours in QUEUES:
        form = ours.split(", ")[1]
        row(f"flood, {form}", QUEUE_ASYNC, ratio("flood, queue", ours, QUEUE_ASYNC, 1), 0.3)
        row(f"flood, {form}", MAILBOX, ratio("flood, queue", ours, MAILBOX, 1), 3.5, 3)
        row(f"flood, {form}", "OpenCombine receive(on: queue)",
            ratio("flood, queue", ours, "OpenCombine receive(on: queue)", 1), 0.3)
    row("flood, ten slots of one signal on one queue", TEN_BY_HAND,
        ratio("flood, ten slots of one queue", TEN, TEN_BY_HAND, 10), 1)
    row("flood, two signals in turn to one queue", QUEUE_ASYNC,
        figures.times["flood, two signals in turn to one queue", TWO, 1] / figures.times["flood, queue", QUEUE_ASYNC, 1],
        0.5)
    row("flood, main slot", MAIN_ASYNC, ratio("flood, main", MAIN, MAIN_ASYNC, 1), 0.5)
    for ours in ACTORS:
        row(f"flood, {ours.split(', ')[1]}", "a Task on an actor for each event",
            ratio("flood, actor", ours, "a Task on an actor for each event", 1), 0.3)
    for ours in QUEUES:
        row(f"latency to an idle queue, {ours.split(', ')[1]}", QUEUE_ASYNC,
            ratio("latency, queue", ours, QUEUE_ASYNC, 1), 1.1)
    return rows


def ratios(figures, counts):
    """Every row of what is to be reached."""
    rows, time, ratio = Rows(), figures.times, figures.ratio
    row = rows.row
    row("emission, no slot", LOCKED, ratio("emit", CLOSURE, LOCKED, 0), 0.4)
    for ours, other, limit in ((CLOSURE, LOCKED, 1.15), (METHOD, WEAK, 1.3)):
        for n in (1, 10, 100):
            form = ours.split(", ")[1] + ("s" if n > 1 else "")
            row(f"emission, {n} {form}", other, ratio("emit", ours, other, n), limit)
    for ours, others, limit in ((CLOSURE, (COMBINE,), 0.45), (METHOD, (COMBINE_WEAK, CENTER), 0.75)):
        for other in others:
            row(f"emission, 100 {ours.split(', ')[1]}s", other, ratio("emit", ours, other, 100), limit)
    for other in (COMBINE_WEAK, CENTER):
        row("connect, method", other, ratio("connect", METHOD, other, 100), 0.45)
    row("connect and cancel, method", COMBINE_WEAK, ratio("connect and cancel", METHOD, COMBINE_WEAK, 100), 0.25)
    row("two threads, 1 closure", COMBINE, ratio("two threads emit", CLOSURE, COMBINE, 1), 0.7)
    row("two threads, 10 methods", COMBINE_WEAK, ratio("two threads emit", METHOD, COMBINE_WEAK, 10), 0.5)
    row("emission with 1,000 dead slots before it", "the same without",
        time["emit after 1000 targets died", METHOD, 10]
        / time["emit after 1000 targets died", METHOD + ", none died", 10], 1.1)
    memory = figures.memory
    if memory:
        row("heap of an inline emission", "", memory["emission to 1000 slots", METHOD]["allocations"], 0,
            unit=" allocations")
        for work, limit in (("connection", 200), ("connection that waits", 450), ("idle after a flood", 656)):
            row(f"heap, {work}", "", memory[work, OURS]["bytes"], limit, unit=" bytes")
    for form in ("closure", "method") if counts else ():
        count = counts[f"deliver-queue-{form}"]
        row(f"heap of a delivery in a flood, {form}", "", count["allocations"] / count["times"], 0.05,
            unit=" allocations")
    return rows + floods(figures)


def number(value):
    if value is None:
        return "–"
    return f"{value:.1f}" if abs(value) < 1000 else f"{value:,.0f}"


def table(header, rows, alignment):
    print("| " + " | ".join(header) + " |")
    print("|" + "|".join(alignment) + "|")
    for row in rows:
        print("| " + " | ".join(row) + " |")
    print()


def print_times(times):
    for work in dict.fromkeys(f["work"] for f in times):
        figures = [f for f in times if f["work"] == work]
        sizes = list(dict.fromkeys(f["slots"] for f in figures))
        peers = list(dict.fromkeys(f["peer"] for f in figures))
        cells = {(f["peer"], f["slots"]): f["median"] for f in figures}
        print(f"### {work} (ns)\n")
        table(["peer", *(f"{n} slot{'' if n == 1 else 's'}" for n in sizes)],
              [[peer, *(number(cells.get((peer, n))) for n in sizes)] for peer in peers],
              ["---", *("--:" for _ in sizes)])


def print_counts(memory, counts):
    if memory:
        print("### Heap (a signal, a connection; an emission to 1000 slots; a delivery in a flood)\n")
        table(["", "peer", "allocations", "bytes"],
              [[f["work"], f["peer"], f"{f['allocations']:.2f}", number(f["bytes"])] for f in memory],
              ["---", "---", "--:", "--:"])
    if counts:
        print("### Instructions (callgrind) and allocations of this library\n")
        table(["work", "instructions", "allocations", "per"],
              [[name, number(c.get("instructions")), f"{c['allocations'] / c['times']:.3g}", c["unit"]]
               for name, c in counts.items()], ["---", "--:", "--:", "---"])


def print_ratios(rows):
    print("### What to reach\n")

    def shown(value, unit):
        return "" if value is None else f"{value:.3g}{'×' if unit == '×' else ''}"

    def verdict(row):
        if row["holds"] == ABSENT:
            return ABSENT
        if not row["holds"]:
            return "**no**"
        return "yes, stretch too" if row["reaches_stretch"] else "yes"

    table(["work", "against", "measured", "at most", "stretch", "holds"],
          [[row["work"] + (f",{row['unit']}" if row["unit"] != "×" else ""), row["against"],
            shown(row["measured"], row["unit"]), shown(row["limit"], row["unit"]),
            shown(row["stretch"], row["unit"]), verdict(row)] for row in rows],
          ["---", "---", "--:", "--:", "--:", "---"])
    measured = [row for row in rows if row["holds"] != ABSENT]
    print(f"{sum(row['holds'] for row in measured)} of {len(measured)} limits are met.")
    if len(measured) < len(rows):
        print("RxSwift and our ancestor are not available as packages here, so those rows are not measured.")
    print()


def medians(directory):
    """What three processes measured of memory, which depends on how their threads took turns."""
    return [{**each[0], **{key: sorted(one[key] for one in each)[1] for key in ("allocations", "bytes")}}
            for each in zip(*(load(directory, f"memory{process}.json") for process in (1, 2, 3)))]


def main():
    directory, results, command = sys.argv[1:]
    only_floods = "--only" in command
    times, memory = load(directory, "times.json"), medians(directory)
    counts = load(directory, "counts.json") or {}
    about = machine()
    figures = Figures(times, memory)
    if only_floods:
        print_ratios(floods(figures))
        return print_times(times)
    rows = ratios(figures, counts)
    with open(results, "w") as file:
        json.dump({"machine": about, "command": command, "ratios": rows, "times": times, "memory": memory,
                   "counts": counts}, file, indent=1, ensure_ascii=False)
        file.write("\n")
    print(f"{about['swift']}, {about['system']}, {about['processor']}, {about['cores']} cores; {about['peers']}\n")
    print_ratios(rows)
    print_times(times)
    print_counts(memory, counts)


main()
