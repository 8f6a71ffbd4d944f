#!/usr/bin/env python3
"""Writes the figures of the READMEs and the article "Performance", and draws its charts, of Benchmarks/figures.json.

Usage: Benchmarks/plot.py                     writes the blocks of text, and draws the charts (needs matplotlib)
       Benchmarks/plot.py --record [RESULTS]  makes figures.json of Benchmarks/results.json and sizes.json first
       Benchmarks/plot.py --check [--age]     fails if a block or a sentence says something else than the figures;
                                              with --age, also if the figures are of a commit that is too old

The instructions and allocations of the cost model are those of Benchmarks/thresholds.json, which the gate holds.
"""

import argparse
import difflib
import json
import os
import re
import subprocess
import sys
import textwrap

HERE = os.path.dirname(os.path.abspath(__file__))
FIGURES, THRESHOLDS = os.path.join(HERE, "figures.json"), os.path.join(HERE, "thresholds.json")
SIZES = os.path.join(HERE, "sizes.json")
ARTICLE = os.path.join(HERE, "../Sources/SignalObserver/Documentation.docc/Performance.md")
README = os.path.join(HERE, "../README.md")
TABLES = os.path.join(HERE, "README.md")
RATIONALE = os.path.join(os.path.dirname(ARTICLE), "DesignRationale.md")
WORKLIST = os.path.join(HERE, "../Sources/SignalObserver/Support/Worklist.swift")
CHARTS = os.path.join(os.path.dirname(ARTICLE), "Resources")
# All text has a contrast of 4.5 both with white and with black.
GREY, ACCENT, OTHERS = "#757575", "#cf4520", "#4079ae"
# In inches, of text of 14 points: shown at half the width, it is as large as a footnote.
WIDTH = 7
# Each chart has panels (title, work, slots), one below the other.
BARS = {
    "emission": [("An emission to one inline slot", "emit", 1), ("An emission to 100 inline slots", "emit", 100)],
    "queue-delivery": [
        ("A delivery on a queue, in a flood", "flood, queue", 1), ("… on the main actor", "flood, main", 1),
        ("… on an actor", "flood, actor", 1), ("The latency of one delivery on an idle queue", "latency, queue", 1)],
    "connect-cancel": [
        ("Connecting one of 1,000 slots", "connect", 1000), ("Cancelling one of 1,000, at random", "cancel at random", 1000)],
}
GROWTH = ["growth: emit, each slot", "growth: connect", "growth: cancel at random"]
# The rows of the README.
CHOSEN = [
    ("emission, 1 closure", "by hand"), ("emission, 100 closures", "by hand"), ("emission, 100 closures", "OpenCombine"),
    ("emission, 100 methods", "OpenCombine"), ("connect, method", "OpenCombine"), ("flood, method on a queue", "queue.async"),
    ("flood, main slot", "Dispatch")]


# MARK: - The figures

def rounded(value):
    return None if value is None else float(f"{value:.4g}")


def record(path):
    """Of one run, what the blocks and the charts need, and the sizes that were measured last."""
    with open(FIGURES) as file:
        figures = json.load(file)
    if os.path.exists(path):
        with open(path) as file:
            figures.update(chosen(json.load(file)))
    if os.path.exists(SIZES):
        with open(SIZES) as file:
            figures["sizes"] = json.load(file)
    write_figures(figures)


def chosen(results):
    about = {**results["machine"], "command": results["command"]}
    medians = {}
    for panel in (panel for panels in BARS.values() for panel in panels):
        work, slots = panel[1:]
        medians[f"{work}, {slots}"] = {
            f["peer"]: rounded(f["median"]) for f in results["times"] if f["work"] == work and f["slots"] == slots}
    growth = {}
    for f in results["times"]:
        if f["work"] in GROWTH:
            growth.setdefault(f"{f['work']}: {f['peer']}", {})[str(f["slots"])] = rounded(f["median"])
    ratios = [
        [row["work"], row["against"], rounded(row["measured"]), row["limit"], row["unit"]]
        for row in results["ratios"] if row["measured"] is not None]
    return {"about": about, "ratios": ratios, "medians": medians, "growth": growth}


def write_figures(figures):
    """A line for each row, so that a change can be read."""
    def one(value):
        return json.dumps(value, ensure_ascii=False)

    parts = []
    for name, part in figures.items():
        if isinstance(part, list):
            rows, ends = [one(row) for row in part], "[]"
        else:
            rows, ends = [f"{one(key)}: {one(value)}" for key, value in part.items()], "{}"
        parts.append(f"{one(name)}: {ends[0]}\n" + ",\n".join(rows) + f"\n{ends[1]}")
    with open(FIGURES, "w") as file:
        file.write("{\n" + ",\n".join(parts) + "\n}\n")


# MARK: - The blocks of text

def machine(about):
    return (
        f"`{about['command']}` at {about['commit']}: {about['swift']}, {about['system']}, {about['processor']}, "
        f"{about['cores']} cores; {about['peers']}.")


def holds(row):
    return row[2] <= row[3]


def ratio_block(figures, _):
    rows = figures["ratios"]
    lines = [
        f"{machine(figures['about'])} {sum(map(holds, rows))} of {len(rows)} limits are met; figures that miss theirs are "
        "bold.", "", "| work | beside | measured | at most |", "|---|---|--:|--:|"]
    for row in rows:
        work, against, measured, limit, unit = row
        figure = f"{measured:.3g}{'' if unit == '×' else unit}"
        lines.append(f"| {work} | {against or '–'} | {figure if holds(row) else f'**{figure}**'} | {limit:.3g} |")
    return lines


def readme_block(figures, _):
    return [machine(figures["about"]), "", "| | beside | ratio |", "|---|---|--:|"] + [
        f"| {row[0]} | {row[1]} | {row[2]:.2f} |"
        for work, against in CHOSEN for row in figures["ratios"] if row[0] == work and row[1].startswith(against)]


def cost_block(_, counts):
    def instructions(name):
        return counts[name]["instructions"]

    def further(form):
        return (instructions(f"emit-{form}-100") - instructions(f"emit-{form}-1")) / 99

    def allocations(name):
        return counts[name]["allocations"] / counts[name]["times"]

    rows = [
        ("an emission without slots", "emit-nobody"), ("an emission to one inline closure", "emit-closure-1"),
        ("each further inline closure", further("closure")), ("an emission to one inline method", "emit-method-1"),
        ("each further inline method", further("method")),
        ("a slot of the main actor that runs at once", "emit-main-at-once"),
        ("a delivery to a closure on a suspended queue, in a flood", "deliver-queue-closure"),
        ("a delivery to a method on a suspended queue, in a flood", "deliver-queue-method"),
        ("a delivery to an actor that is busy, in a flood", "deliver-actor"),
        ("a value set, with one inline slot", "set-value-1"), ("a value set, with 100 inline slots", "set-value-100"),
        ("an emitter made and destroyed", "construct-signal"),
        ("a connection of a method, made and cancelled, beside 100 others", "connect-and-cancel")]
    lines = ["| work | instructions | allocations |", "|---|--:|--:|"]
    for work, cost in rows:
        if isinstance(cost, str):
            lines.append(f"| {work} | {instructions(cost):,.0f} | {round(allocations(cost), 2):g} |")
        else:
            lines.append(f"| {work} | {cost:,.0f} | 0 |")
    return lines


def operator_block(_, counts):
    """What each adds to an emission."""
    emission = counts["emit-closure-1"]["instructions"]
    adds = {
        name.removeprefix("operator-"): count["instructions"] - emission
        for name, count in counts.items() if name.startswith("operator-")}
    titles = {"prefix-while": "prefix(while:)", "prefix-for": "prefix(for:)"}
    lines = [
        f"Calling a stored closure by hand takes {counts['call-closure']['instructions']:.0f} instructions, and reading a "
        f"clock {counts['read-clock']['instructions']:.0f}.", "",
        "| operator | instructions added |", "|---|--:|"]
    for name, cost in sorted(adds.items(), key=lambda pair: pair[1]):
        lines.append(f"| `{titles.get(name, name)}` | {cost:,.0f} |")
    return lines


def size_block(figures, _):
    sizes = figures["sizes"]
    about, rows, plain, seconds = (sizes[name] for name in ("about", "programs", "plain", "build"))
    lines = [f"{about.format(commit=sizes['commit'])}", "", "| program | standard library | this library | OpenCombine |", "|---|---|--:|--:|"]
    lines += [f"| {program} | {library} | {ours:,} | {theirs:,} |" for program, library, ours, theirs in rows]
    return lines + [
        "", f"A program without either has {plain[0]:,} kB, or {plain[1]:,} kB with the standard library in it. The library "
        f"alone builds from clean in {seconds[0]:.0f} s of a processor in debug, and in {seconds[1]:.0f} s in release."]


BLOCKS = [
    (README, "ratios", readme_block), (TABLES, "ratios", ratio_block), (ARTICLE, "costs", cost_block),
    (ARTICLE, "operators", operator_block), (ARTICLE, "sizes", size_block)]


NUMBERS = {"four": 4, "five": 5, "six": 6, "seven": 7, "eighth": 8, "tenth": 10, "fifteenth": 15, "twentieth": 20}


def sentences(figures, counts):
    """Where a sentence says a number, and the figure that it rounds."""
    def ratio(work, against):
        return next(row[2] for row in figures["ratios"] if row[0] == work and row[1].startswith(against))

    def faster(form):
        return ratio(f"flood, {form} on a queue", "by hand")

    return [
        (README, r"takes an? (\w+) of the time that OpenCombine", 1 / ratio("emission, 100 closures", "OpenCombine")),
        *((page, r"that is ([\w.]+) to [\w.]+ times faster", min(faster("method"), faster("closure")))
          for page in (README, ARTICLE)),
        *((page, r"that is [\w.]+ to ([\w.]+) times faster", max(faster("method"), faster("closure")))
          for page in (README, ARTICLE)),
        (RATIONALE, r"17,000 instructions in\s+place of\s+([\d,]+)", counts["bind-value"]["instructions"]),
        (WORKLIST, r"12,700 instructions for a set of a value, instead of\s+/// ([\d,]+) ", counts["set-value-1"]["instructions"])]


def check_sentences():
    """Each number is at most a tenth away from its figure."""
    with open(FIGURES) as figures, open(THRESHOLDS) as counts:
        said = sentences(json.load(figures), json.load(counts))
    differences = 0
    for path, pattern, figure in said:
        with open(path) as file:
            found = re.findall(pattern, file.read())
        numbers = [NUMBERS.get(number) or float(re.sub(r"[^0-9.]", "", number) or 0) for number in found]
        if len(numbers) != 1 or abs(numbers[0] / figure - 1) > 0.1:
            differences += 1
            print(f"{os.path.relpath(path)}: '{pattern}' finds {found}; the figure is {figure:.4g}")
    print(f"{len(said)} sentences with figures, {differences} differ")
    return 1 if differences else 0


def check_age(fails):
    """Whether each record is of one of the last ten commits, or of sources that have not changed since.

    A push prints the age. Once a week, it fails.
    """
    def count(commit, *paths):
        command = ["git", "-C", HERE, "rev-list", "--count", f"{commit}..HEAD", "--", *paths]
        result = subprocess.run(command, capture_output=True, text=True)
        return int(result.stdout) if result.returncode == 0 else None

    with open(FIGURES) as file:
        figures = json.load(file)
    outcome = 0
    for name, commit in (("ratios", figures["about"]["commit"]), ("sizes", figures["sizes"]["commit"])):
        commits, changes = count(commit), count(commit, "../Sources")
        if commits is None:
            print(f"{name}: commit {commit} is not in this clone")
        else:
            print(f"{name}: of {commit}, {commits} commits ago, {changes} of which changed the sources")
        if commits is None or commits > 10 and changes > 0:
            outcome = 1
    if outcome and fails:
        print("The figures are too old: run Benchmarks/run 11, Benchmarks/size --record, Benchmarks/plot.py --record")
    return outcome if fails else 0


def write_blocks(is_check):
    """Writes, or compares, what stands between the two comments that name a block."""
    with open(FIGURES) as file:
        figures = json.load(file)
    with open(THRESHOLDS) as file:
        counts = json.load(file)
    differences = 0
    for path, name, make in BLOCKS:
        begin, end = f"<!-- Benchmarks/plot.py writes the {name}. -->\n", "<!-- Until here. -->\n"
        with open(path) as file:
            text = file.read()
        block = begin + "\n" + "\n".join(make(figures, counts)) + "\n\n" + end
        found = re.findall(re.escape(begin) + ".*?" + re.escape(end), text, re.S)
        if len(found) != 1:
            sys.exit(f"plot: {os.path.relpath(path)} has {len(found)} places for the {name}")
        if is_check and found[0] != block:
            differences += 1
            print("\n".join(difflib.unified_diff(
                found[0].splitlines(), block.splitlines(), os.path.relpath(path), "figures", lineterm="", n=0)))
        elif not is_check:
            with open(path, "w") as file:
                file.write(text.replace(found[0], block))
    with open(FIGURES) as file:
        lines = len(file.readlines())
    if is_check and lines > 100:
        differences += 1
        print(f"figures.json has {lines} lines, and may have 100")
    print(f"{len(BLOCKS)} blocks of {lines} lines of figures, {differences} differ")
    return 1 if differences else 0


# MARK: - The charts

def is_ours(peer):
    return peer.startswith("SignalObserver")


def shown(value):
    return f"{value:,.1f}" if value < 100 else f"{value:,.0f}"


def panel(axes, title, medians, is_logarithmic):
    """Each peer's name stands above its mark, so that the chart is narrow enough to be read at half its width."""
    peers = sorted(medians, key=medians.get, reverse=True)
    for row, peer in enumerate(peers):
        color = ACCENT if is_ours(peer) else OTHERS
        if is_logarithmic:
            # A bar has no length where the axis has no zero.
            axes.plot(medians[peer], row, "o", color=color, markersize=9)
        else:
            axes.barh(row, medians[peer], height=0.4, color=color)
        axes.text(0, row + 0.24, peer, transform=axes.get_yaxis_transform(), va="bottom",
                  color=ACCENT if is_ours(peer) else GREY)
        axes.annotate(shown(medians[peer]), (medians[peer], row), (8, 0), textcoords="offset points", va="center", color=GREY)
    axes.set_title(title, fontsize=16, loc="left", pad=12)
    axes.set_yticks([])
    axes.set_ylim(-0.4, len(peers) - 0.25)
    axes.margins(x=0.2)
    if is_logarithmic:
        axes.set_xscale("log")
        axes.set_xlim(min(medians.values()) / 2, max(medians.values()) * 4)
    axes.xaxis.set_major_formatter("{x:,.0f}")
    axes.set_xlabel("ns, logarithmic" if is_logarithmic else "ns")


def save(figure, name, about):
    caption = (
        f"{machine(about).replace('`', '')} Medians of interleaved rounds in one process. "
        "Lower is better; read the ratios, not the times.")
    lines = textwrap.wrap(caption, 74)
    height = figure.get_figheight()
    figure.text(0.015, 0.08 / height, "\n".join(lines), fontsize=11, color=GREY, va="bottom")
    figure.get_layout_engine().set(rect=(0.01, 0.25 * len(lines) / height, 0.98, 1 - 0.25 * len(lines) / height))
    os.makedirs(CHARTS, exist_ok=True)
    figure.savefig(os.path.join(CHARTS, name + ".svg"), metadata={"Date": None})
    plt.close(figure)


def bar_chart(figures, name, panels):
    chosen = [(title, figures["medians"][f"{work}, {slots}"]) for title, work, slots in panels]
    # One kind of axis for a chart. Bars, unless the shortest of a panel would not be seen.
    is_logarithmic = any(max(medians.values()) > 40 * min(medians.values()) for _, medians in chosen)
    heights = [len(medians) * 0.62 + 1.1 for _, medians in chosen]
    figure, axes = plt.subplots(
        len(panels), 1, figsize=(WIDTH, sum(heights) + 1), height_ratios=heights, squeeze=False, layout="constrained")
    for each, (title, medians) in zip(axes[:, 0], chosen):
        panel(each, title, medians, is_logarithmic)
    save(figure, name, figures["about"])


def growth_chart(figures):
    figure, axes = plt.subplots(len(GROWTH), 1, figsize=(WIDTH, 12), layout="constrained")
    styles = ["-o", "--o", ":o"]
    for each, work in zip(axes, GROWTH):
        lines = {
            name.removeprefix(work + ": "): medians for name, medians in figures["growth"].items() if name.startswith(work + ": ")}
        ours = [peer for peer in lines if is_ours(peer)]
        for peer, medians in lines.items():
            group = ours if is_ours(peer) else [p for p in lines if p not in ours]
            each.plot([int(slots) for slots in medians], list(medians.values()), styles[group.index(peer) % 3],
                      color=ACCENT if is_ours(peer) else OTHERS, label=peer, markersize=5)
        each.set_xscale("log")
        each.set_yscale("log")
        each.xaxis.set_major_formatter("{x:,.0f}")
        each.yaxis.set_major_formatter("{x:,.0f}")
        each.yaxis.set_minor_formatter(NullFormatter())
        each.set_title(work.removeprefix("growth: ").capitalize() + ", ns a slot", fontsize=16, loc="left", pad=12)
        each.set_xlabel("slots")
    handles, labels = axes[0].get_legend_handles_labels()
    figure.legend(handles, labels, frameon=False, ncols=1, loc="outside upper left", fontsize=13, labelcolor=GREY)
    save(figure, "growth", figures["about"])


def contrast(color, background):
    """As WCAG computes it."""
    def luminance(color):
        parts = [int(color[i:i + 2], 16) / 255 for i in (1, 3, 5)]
        parts = [part / 12.92 if part <= 0.04045 else ((part + 0.055) / 1.055) ** 2.4 for part in parts]
        return 0.2126 * parts[0] + 0.7152 * parts[1] + 0.0722 * parts[2]

    low, high = sorted((luminance(color), luminance(background)))
    return (high + 0.05) / (low + 0.05)


def draw():
    global plt, NullFormatter
    try:
        import matplotlib
    except ImportError:
        sys.exit("plot: the text is written; the charts need matplotlib")

    matplotlib.use("svg")
    import matplotlib.pyplot as plt
    from matplotlib.ticker import NullFormatter

    plt.rcParams.update({
        "figure.facecolor": "none", "axes.facecolor": "none", "savefig.facecolor": "none", "text.color": GREY,
        "axes.labelcolor": GREY, "xtick.color": GREY, "ytick.color": GREY, "axes.edgecolor": GREY, "font.size": 14,
        "axes.spines.top": False, "axes.spines.right": False, "svg.fonttype": "none", "font.family": "sans-serif",
        # The same data give the same file.
        "svg.hashsalt": "charts"})
    with open(FIGURES) as file:
        figures = json.load(file)
    for name, panels in BARS.items():
        bar_chart(figures, name, panels)
    growth_chart(figures)


def main():
    parser = argparse.ArgumentParser()
    parser.add_argument("--check", action="store_true")
    parser.add_argument("--age", action="store_true")
    parser.add_argument("--record", nargs="?", const=os.path.join(HERE, "results.json"))
    arguments = parser.parse_args()
    for color in (GREY, ACCENT, OTHERS):
        for background in ("#ffffff", "#000000"):
            if contrast(color, background) < 4.5:
                sys.exit(f"plot: {color} has too little contrast with {background}")
    if arguments.check:
        sys.exit(check_age(arguments.age) | check_sentences() | write_blocks(is_check=True))
    if arguments.record:
        record(arguments.record)
    write_blocks(is_check=False)
    draw()


main()
