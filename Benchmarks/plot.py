#!/usr/bin/env python3
"""Draws the charts of the article "Performance" of Benchmarks/results.json. Needs matplotlib. Usage: Benchmarks/plot.py [RESULTS]"""

import json
import os
import sys
import textwrap

import matplotlib

matplotlib.use("svg")
import matplotlib.pyplot as plt  # noqa: E402
from matplotlib.ticker import NullFormatter  # noqa: E402

HERE = os.path.dirname(os.path.abspath(__file__))
CHARTS = os.path.join(HERE, "../Sources/SignalObserver/Documentation.docc/Resources")
# Readable on white and on black.
GREY, ACCENT, OTHERS = "#808890", "#e4572e", "#7aa0c4"
# In inches, of text of 14 points: shown at half the width, it is as large as a footnote.
WIDTH = 7

plt.rcParams.update({
    "figure.facecolor": "none", "axes.facecolor": "none", "savefig.facecolor": "none", "text.color": GREY,
    "axes.labelcolor": GREY, "xtick.color": GREY, "ytick.color": GREY, "axes.edgecolor": GREY, "font.size": 14,
    "axes.spines.top": False, "axes.spines.right": False, "svg.fonttype": "none", "font.family": "sans-serif",
    # The same data give the same file.
    "svg.hashsalt": "charts"})


def is_ours(peer):
    return peer.startswith("SignalObserver")


def bars(axes, title, figures):
    """Each peer's name stands above its bar, so that the chart is narrow enough to be read at half its width."""
    figures = sorted(figures, key=lambda f: f["median"], reverse=True)
    low, high = figures[-1]["median"], figures[0]["median"]
    places = axes.barh(
        range(len(figures)), [f["median"] for f in figures], height=0.4,
        color=[ACCENT if is_ours(f["peer"]) else OTHERS for f in figures])
    for row, figure in enumerate(figures):
        axes.text(0, row + 0.24, figure["peer"], transform=axes.get_yaxis_transform(), va="bottom",
                  color=ACCENT if is_ours(figure["peer"]) else GREY)
    axes.set_title(title, fontsize=16, loc="left", pad=12)
    axes.bar_label(
        places, [f"{f['median']:,.1f}" if f["median"] < 100 else f"{f['median']:,.0f}" for f in figures], padding=4,
        color=GREY)
    axes.set_yticks([])
    axes.set_ylim(-0.4, len(figures) - 0.25)
    # Only where the shortest bar would otherwise not be seen.
    if high > 40 * max(low, 0.01):
        axes.set_xscale("log")
        axes.xaxis.set_major_formatter("{x:,.0f}")
        axes.set_xlabel("ns, logarithmic")
    else:
        axes.xaxis.set_major_formatter("{x:,.0f}")
        axes.set_xlabel("ns")
    axes.margins(x=0.2)


def save(figure, name, about):
    machine = about["machine"]
    caption = (
        f"{machine['swift']}, {machine['system']}, {machine['processor']}, {machine['cores']} cores; "
        f"{machine['peers']}. {about['command']}: medians of interleaved rounds in one process. "
        "Lower is better; read the ratios, not the times.")
    lines = textwrap.wrap(caption, 74)
    height = figure.get_figheight()
    figure.text(0.015, 0.08 / height, "\n".join(lines), fontsize=11, color=GREY, va="bottom")
    figure.get_layout_engine().set(rect=(0.01, 0.25 * len(lines) / height, 0.98, 1 - 0.25 * len(lines) / height))
    os.makedirs(CHARTS, exist_ok=True)
    figure.savefig(os.path.join(CHARTS, name + ".svg"), metadata={"Date": None})
    plt.close(figure)


def bar_chart(results, name, panels):
    """Panels are (title, work, slots), one below the other."""
    chosen = [
        (title, [f for f in results["times"] if f["work"] == work and f["slots"] == slots])
        for title, work, slots in panels]
    heights = [len(figures) * 0.62 + 1.1 for _, figures in chosen]
    figure, axes = plt.subplots(
        len(panels), 1, figsize=(WIDTH, sum(heights) + 1), height_ratios=heights, squeeze=False, layout="constrained")
    for each, (title, figures) in zip(axes[:, 0], chosen):
        bars(each, title, figures)
    save(figure, name, results)


def growth_chart(results):
    works = ["growth: emit, each slot", "growth: connect", "growth: cancel at random"]
    figure, axes = plt.subplots(len(works), 1, figsize=(WIDTH, 12), layout="constrained")
    styles = ["-o", "--o", ":o"]
    for each, work in zip(axes, works):
        figures = [f for f in results["times"] if f["work"] == work]
        peers = list(dict.fromkeys(f["peer"] for f in figures))
        ours = [peer for peer in peers if is_ours(peer)]
        for peer in peers:
            points = [(f["slots"], f["median"]) for f in figures if f["peer"] == peer]
            group = ours if is_ours(peer) else [p for p in peers if p not in ours]
            each.plot(*zip(*points), styles[group.index(peer) % 3], color=ACCENT if is_ours(peer) else OTHERS,
                      label=peer, markersize=5)
        each.set_xscale("log")
        each.set_yscale("log")
        each.xaxis.set_major_formatter("{x:,.0f}")
        each.yaxis.set_major_formatter("{x:,.0f}")
        each.yaxis.set_minor_formatter(NullFormatter())
        each.set_title(work.removeprefix("growth: ").capitalize() + ", ns a slot", fontsize=16, loc="left", pad=12)
        each.set_xlabel("slots")
    handles, labels = axes[0].get_legend_handles_labels()
    figure.legend(handles, labels, frameon=False, ncols=1, loc="outside upper left", fontsize=13, labelcolor=GREY)
    save(figure, "growth", results)


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
