#!/usr/bin/env python3
"""Draws the charts of the article "Performance" of Benchmarks/results.json. Needs matplotlib. Usage: Benchmarks/plot.py [RESULTS]"""

import json
import os
import sys

import matplotlib

matplotlib.use("svg")
import matplotlib.pyplot as plt  # noqa: E402

HERE = os.path.dirname(os.path.abspath(__file__))
CHARTS = os.path.join(HERE, "../Sources/SignalObserver/Documentation.docc/Resources")
# Readable on white and on black.
GREY, ACCENT, OTHERS = "#808890", "#e4572e", "#7aa0c4"

plt.rcParams.update({
    "figure.facecolor": "none", "axes.facecolor": "none", "savefig.facecolor": "none", "text.color": GREY,
    "axes.labelcolor": GREY, "xtick.color": GREY, "ytick.color": GREY, "axes.edgecolor": GREY, "font.size": 10,
    "axes.spines.top": False, "axes.spines.right": False, "svg.fonttype": "none", "font.family": "sans-serif",
    # The same data give the same file.
    "svg.hashsalt": "charts"})


def is_ours(peer):
    return peer.startswith("SignalObserver")


def bars(axes, title, figures):
    figures = sorted(figures, key=lambda f: f["median"], reverse=True)
    low, high = figures[-1]["median"], figures[0]["median"]
    places = axes.barh(
        [f["peer"] for f in figures], [f["median"] for f in figures],
        color=[ACCENT if is_ours(f["peer"]) else OTHERS for f in figures])
    axes.set_title(title, fontsize=11, loc="left")
    axes.bar_label(
        places, [f"{f['median']:,.1f}" if f["median"] < 100 else f"{f['median']:,.0f}" for f in figures], padding=3,
        color=GREY, fontsize=9)
    # Only where the shortest bar would otherwise not be seen.
    if high > 40 * max(low, 0.01):
        axes.set_xscale("log")
        axes.set_xlabel("ns, logarithmic")
    else:
        axes.set_xlabel("ns")
    axes.margins(x=0.15)


def save(figure, name, about):
    machine = about["machine"]
    caption = (
        f"{machine['swift']}, {machine['system']}, {machine['processor']}, {machine['cores']} cores; "
        f"{machine['peers']}.\n{about['command']}: medians of interleaved rounds in one process. "
        "Lower is better; read the ratios, not the times.")
    figure.text(0.01, 0.005, caption, fontsize=8, color=GREY, va="bottom")
    figure.tight_layout(rect=(0, 0.07, 1, 1))
    os.makedirs(CHARTS, exist_ok=True)
    figure.savefig(os.path.join(CHARTS, name + ".svg"), metadata={"Date": None})
    plt.close(figure)


def bar_chart(results, name, panels):
    """Panels are (title, work, slots), one below the other."""
    chosen = [
        (title, [f for f in results["times"] if f["work"] == work and f["slots"] == slots])
        for title, work, slots in panels]
    heights = [len(figures) + 1.5 for _, figures in chosen]
    figure, axes = plt.subplots(
        len(panels), 1, figsize=(9, sum(heights) * 0.3 + 1), height_ratios=heights, squeeze=False)
    for each, (title, figures) in zip(axes[:, 0], chosen):
        bars(each, title, figures)
    save(figure, name, results)


def growth_chart(results):
    works = ["growth: emit, each slot", "growth: connect", "growth: cancel at random"]
    figure, axes = plt.subplots(1, 3, figsize=(12, 4.5))
    styles = ["-o", "--o", ":o"]
    for each, work in zip(axes, works):
        figures = [f for f in results["times"] if f["work"] == work]
        peers = list(dict.fromkeys(f["peer"] for f in figures))
        ours = [peer for peer in peers if is_ours(peer)]
        for peer in peers:
            points = [(f["slots"], f["median"]) for f in figures if f["peer"] == peer]
            group = ours if is_ours(peer) else [p for p in peers if p not in ours]
            each.plot(*zip(*points), styles[group.index(peer) % 3], color=ACCENT if is_ours(peer) else OTHERS,
                      label=peer, markersize=4)
        each.set_xscale("log")
        each.set_yscale("log")
        each.set_title(work.removeprefix("growth: "), fontsize=11, loc="left")
        each.set_xlabel("slots")
        each.set_ylabel("ns a slot")
    handles, labels = axes[0].get_legend_handles_labels()
    figure.legend(handles, labels, frameon=False, ncols=2, loc="upper center", bbox_to_anchor=(0.5, 1.0), fontsize=9,
                  labelcolor=GREY)
    figure.subplots_adjust(top=0.75)
    machine = results["machine"]
    figure.text(
        0.01, 0.005,
        f"{machine['swift']}, {machine['system']}, {machine['processor']}, {machine['cores']} cores; {machine['peers']}. "
        f"{results['command']}", fontsize=8, color=GREY, va="bottom")
    figure.tight_layout(rect=(0, 0.05, 1, 0.86))
    figure.savefig(os.path.join(CHARTS, "growth.svg"), metadata={"Date": None})
    plt.close(figure)


def main():
    path = sys.argv[1] if len(sys.argv) > 1 else os.path.join(HERE, "results.json")
    with open(path) as file:
        results = json.load(file)
    bar_chart(results, "emission", [
        ("An emission to one inline slot", "emit", 1), ("An emission to 100 inline slots", "emit", 100)])
    bar_chart(results, "queue-delivery", [
        ("A delivery on a queue, in a flood", "flood, queue", 1), ("… on the main actor", "flood, main", 1),
        ("… on an actor", "flood, actor", 1), ("The latency of one delivery on an idle queue", "latency, queue", 1)])
    bar_chart(results, "connect-cancel", [
        ("Connecting one of 1,000 slots", "connect", 1000), ("Cancelling one of 1,000, at random", "cancel at random", 1000)])
    growth_chart(results)


main()
