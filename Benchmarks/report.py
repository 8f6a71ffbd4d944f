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
CANCELS = ["cancel in order", "cancel in reverse", "cancel at random"]
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
    """Slots that run elsewhere, beside a mailbox by hand."""
    rows, time, ratio = Rows(), figures.times, figures.ratio
    row = rows.row
    for ours, limit in zip(QUEUES, (1.5, 2)):
        form = ours.split(", ")[1]
        row(f"flood, {form}", MAILBOX, ratio("flood, queue", ours, MAILBOX, 1), limit)
        for threads in ("1 thread", "2 threads", "4 threads"):
            row(f"flood by {threads}, {form}", MAILBOX, ratio(f"flood by {threads}", ours, MAILBOX, 1), limit)
    row("flood, ten slots of one signal on one queue", TEN_BY_HAND,
        ratio("flood, ten slots of one queue", TEN, TEN_BY_HAND, 10), 0.5)
    row("flood, two signals in turn to one queue", TWO_BY_HAND,
        ratio("flood, two signals in turn to one queue", TWO, TWO_BY_HAND, 1), 2)
    row("flood, main slot", MAIN_ASYNC, ratio("flood, main", MAIN, MAIN_ASYNC, 1), 0.5)
    for ours in QUEUES:
        form = ours.split(", ")[1]
        for work in ("emitting thread in a flood", "emitting thread, queue suspended"):
            row(f"{work}, {form}", "", time[work, ours, 1], 40, unit=" ns")
        row(f"latency to an idle queue, {form}", QUEUE_ASYNC, ratio("latency, queue", ours, QUEUE_ASYNC, 1), 1.05)
    for rate in (1000, 10_000, 100_000):
        row(f"99th percentile of latency at {rate:,} events a second", QUEUE_ASYNC,
            ratio(f"latency, 99th percentile at {rate} a second", QUEUES[0], QUEUE_ASYNC, 1), 1)
    for ours in QUEUES:
        row(f"queue slot, flood ({ours.split(', ')[1]})", "queue.async for each event",
            ratio("flood, queue", ours, "queue.async for each event", 1), 0.2, 0.1)
        row(f"queue slot, flood ({ours.split(', ')[1]})", "OpenCombine receive(on: queue)",
            ratio("flood, queue", ours, "OpenCombine receive(on: queue)", 1), 0.15)
    row("main slot, flood", "a Task on the main actor for each event",
        ratio("flood, main", MAIN, "a Task on the main actor for each event", 1), 0.3, 0.15)
    row("main slot, flood", "AsyncStream, for await on the main actor",
        ratio("flood, main", MAIN, "AsyncStream, for await on the main actor", 1), 0.3, 0.15)
    for ours in ACTORS:
        for other in ("a Task on an actor for each event", "AsyncStream, for await calls an actor"):
            row(f"actor slot, flood ({ours.split(', ')[1]})", other, ratio("flood, actor", ours, other, 1), 0.3, 0.15)
    return rows


def ratios(figures, counts):
    """Every row of what is to be reached."""
    rows, time, ratio = Rows(), figures.times, figures.ratio
    row = rows.row
    row("no slots", LOCKED, ratio("emit", CLOSURE, LOCKED, 0), 1.0)
    row("closure slot inline, 100 slots", LOCKED, ratio("emit", CLOSURE, LOCKED, 100), 0.5, 0.25)
    row("closure slot inline, 100 slots", COMBINE, ratio("emit", CLOSURE, COMBINE, 100), 0.06)
    row("closure slot inline, 100 slots", "RxSwift", None, 0.1)
    row("closure slot inline, 1 slot", LOCKED, ratio("emit", CLOSURE, LOCKED, 1), 1.0, 0.5)
    row("method slot inline, 100 slots", WEAK, ratio("emit", METHOD, WEAK, 100), 1.05, 0.4)
    row("method slot inline, 100 slots", COMBINE_WEAK, ratio("emit", METHOD, COMBINE_WEAK, 100), 0.35)
    row("method slot inline, 100 slots", "our ancestor", None, 0.15)
    row("method slot inline, 1 slot", WEAK, ratio("emit", METHOD, WEAK, 1), 1.2, 1.0)
    for ours, other in ((CLOSURE, COMBINE), (METHOD, COMBINE_WEAK)):
        row(f"connect 100 ({ours.split(', ')[1]})", other, ratio("connect", ours, other, 100), 0.35)
    row("connect 100 (method)", WEAK, ratio("connect", METHOD, WEAK, 100), 2.0)
    for ours, other in ((CLOSURE, COMBINE), (METHOD, COMBINE_WEAK)):
        form = ours.split(", ")[1]
        row(f"cancel, worst order and count ({form})", other,
            max(ratio(work, ours, other, n) for work in CANCELS for n in (10, 100, 1000)), 0.2)
        row(f"cancel, one of 1000, worst order ({form})", "the same, one of 10",
            max(time[work, ours, 1000] / time[work, ours, 10] for work in CANCELS), 1.3)
    for ours, other in ((CLOSURE, COMBINE), (METHOD, COMBINE_WEAK)):
        row(f"two threads emitting, 1 slot ({ours.split(', ')[1]})", other,
            ratio("two threads emit", ours, other, 1), 0.5, 0.2)
    row("emission with 1000 dead slots before it", "the same without",
        time["emit after 1000 targets died", METHOD, 10]
        / time["emit after 1000 targets died", METHOD + ", none died", 10], 1.1)
    memory = figures.memory
    if memory:
        for ours in (CLOSURE, METHOD):
            form = ours.split(", ")[1]
            row(f"heap per inline emission ({form})", "", memory["emission to 1000 slots", ours]["allocations"], 0,
                unit=" allocations")
        for ours in (CLOSURE, METHOD):
            form = ours.split(", ")[1]
            # The observer is one allocation; what the arrays grow by is shared by all.
            row(f"heap per connection beside the handle ({form})", "",
                int(memory["connection", ours]["allocations"]) - 1, 2, unit=" allocations")
            row(f"heap per connection with the handle ({form})", "", memory["connection", ours]["bytes"], 200, 120,
                unit=" bytes")
    # Of the gate: there the queue is busy while all is emitted, as a flood is; where it keeps up instead, each
    # emission wakes it.
    for form in ("closure", "method") if counts else ():
        count = counts[f"deliver-queue-{form}"]
        row(f"heap per queued delivery ({form} on a queue)", "", count["allocations"] / count["times"], 0.05,
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
    print(f"{sum(row['holds'] for row in measured)} of {len(measured)} limits hold.")
    if len(measured) < len(rows):
        print("RxSwift and our ancestor are not available as packages here, so those rows are not measured.")
    print()


def main():
    directory, results, command = sys.argv[1:]
    only_floods = "--only" in command
    times, memory = load(directory, "times.json"), load(directory, "memory.json")
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
