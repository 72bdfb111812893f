"""Finding the graph again: how often all edges are right, against the number of rows.

Run with `make bench`. Grids, random 3-regular graphs and stars with eight leaves, of 16 and 64
spins, couplings of one size, all attracting or half of them repelling; rows are drawn exactly.
RISE, log-RISE and L1 logistic regression have the penalty of Lokhov et al. (2018), and as there,
and as the full model of matched moments has, a threshold of half the true size. The line with
extended BIC knows nothing of the truth. Matched moments of the full model need exact inference:
16 spins.
"""

import json
import math
import sys
from pathlib import Path

import numpy as np
from side_by_side import RESULTS, in_own_process, machine, versions, write
from spin_models import grid, model_of, regular, star

import dagwright as dw

TRIALS = 16
ROWS = [125 * 2**k for k in range(8)]
SIZE = 0.4
GRAPHS = {
    "grid 16": lambda: grid(4, 4),
    "grid 64": lambda: grid(8, 8),
    "3-regular 16": lambda: regular(16),
    "3-regular 64": lambda: regular(64),
    "star 16": lambda: star(16, 8),
    "star 64": lambda: star(64, 8),
}
BEDS = [f"{name} {kind}" for name in GRAPHS for kind in ("attracting", "mixed")]
SIZES = [0.3, 0.45, 0.6, 0.75]  # of the second table
LOSSES = {"RISE": "rise", "log-RISE": "log-rise", "L1 logistic": "logistic"}
ALL = [*LOSSES, "logistic, extended BIC", "matched moments"]


def found_by(method: str, rows: dw.Table, size: float) -> dw.UndirectedGraph | None:
    if method == "matched moments":
        full = dw.MomentMatching(optimiser="lbfgs", tolerance=1e-6)
        try:
            model = dw.learn_undirected(rows, method=full).model
        except dw.DataError:  # an empty cell: couplings without end
            return None
        strong = np.abs(model.couplings) > size / 2
        return dw.UndirectedGraph.from_adjacency(strong.astype(int), nodes=rows.names)
    if method in LOSSES:
        spec = dw.NeighbourhoodSelection(
            loss=LOSSES[method],
            penalty="scaled",
            threshold=size / 2,
            symmetrisation="mean",
            refit=False,
        )
    else:
        spec = dw.NeighbourhoodSelection(refit=False)
    try:
        return dw.learn_undirected(rows, method=spec).graph
    except dw.DataError:  # a constant spin
        return None


def share_right(model: dw.Ising, method: str, n_rows: int, size: float) -> float:
    right = 0
    for trial in range(TRIALS):
        rows = model.sample(n_rows, seed=1000 * trial + 1)
        right += found_by(method, rows, size) == model.graph
    return right / TRIALS


def run_bed(bed: str) -> dict[str, list[float]]:
    """The share of trials with all edges right, by method; once two in a row are 1 the rest is."""
    name, _, kind = bed.rpartition(" ")
    model = model_of(GRAPHS[name](), size=SIZE, mixed=kind == "mixed")
    curves = {}
    for method in ALL:
        if method == "matched moments" and len(model.names) > 16:
            continue
        shares: list[float] = []
        for n_rows in ROWS:
            done = shares[-2:] == [1.0, 1.0]
            shares.append(1.0 if done else share_right(model, method, n_rows, SIZE))
        curves[method] = shares
    return curves


def run_sizes(kind: str) -> dict[str, list[float]]:
    """The fewest rows, in steps of the square root of two, with which all trials are right."""
    needed: dict[str, list[float]] = {method: [] for method in LOSSES}
    for size in SIZES:
        model = model_of(grid(4, 4), size=size, mixed=kind == "mixed")
        for method, found in needed.items():
            n_rows = 125.0
            while n_rows < 2e5 and share_right(model, method, round(n_rows), size) < 1:
                n_rows *= math.sqrt(2)
            found.append(round(n_rows))
    return needed


def enough(shares: list[float]) -> float:
    """The fewest rows from which on all trials are right."""
    last_wrong = max((k for k, share in enumerate(shares) if share < 1), default=-1)
    return ROWS[last_wrong + 1] if last_wrong + 1 < len(ROWS) else math.inf


def draw(curves: dict[str, dict[str, list[float]]]) -> None:
    import matplotlib

    matplotlib.use("svg")
    matplotlib.rcParams["svg.fonttype"] = "none"
    matplotlib.rcParams["svg.hashsalt"] = "recovery"
    import matplotlib.pyplot as plt
    from matplotlib.ticker import NullLocator

    figure, panels = plt.subplots(3, 4, figsize=(14, 8.5), sharex=True, sharey=True)
    for panel, (bed, shares) in zip(panels.ravel(), sorted_beds(curves), strict=True):
        for k, (method, own) in enumerate(shares.items()):
            panel.plot(ROWS, own, marker="osD^v"[k], markersize=4, linewidth=1.3, label=method)
        panel.set_xscale("log")
        panel.xaxis.set_minor_locator(NullLocator())
        panel.set_title(bed, fontsize=10)
        panel.grid(alpha=0.3)
    for panel in panels[-1]:
        panel.set_xlabel("rows")
    for panel in panels[:, 0]:
        panel.set_ylabel("share with all edges right")
    handles, labels = max((p.get_legend_handles_labels() for p in panels.ravel()), key=len)
    figure.legend(handles, labels, loc="lower center", ncols=len(labels), frameon=False)
    figure.tight_layout(rect=(0, 0.04, 1, 1))
    figure.savefig(RESULTS / "recovery.svg", metadata={"Date": None})


def sorted_beds(curves):
    """By graph: 16 and 64 spins, attracting and mixed."""
    order = {bed: k for k, bed in enumerate(BEDS)}
    return sorted(curves.items(), key=lambda item: order[item[0]])


def report(curves, needed) -> None:
    lines = [
        f"{machine()}; {versions('dagwright')}. Couplings of {SIZE}, {TRIALS} trials each.",
        "",
        "![success against rows](recovery.svg)",
        "",
        "The fewest rows (in steps of two) from which on all trials have all edges right. The "
        "scaling of Vuffray et al. (2016) is rows = c(size, degree) log n: what 16 spins need, "
        "times log 64 / log 16 = 1.5, is what it predicts for 64.",
        "",
        "| graph | " + " | ".join(ALL) + " | RISE predicted from 16 spins |",
        "|---|" + "---|" * (len(ALL) + 1),
    ]
    for bed, shares in sorted_beds(curves):
        small = bed.replace(" 64 ", " 16 ")
        predicted = ""
        if small != bed and small in curves:
            predicted = f"{1.5 * enough(curves[small]['RISE']):,.0f}"
        own = [
            "" if method not in shares
            else f"{enough(shares[method]):,}" if enough(shares[method]) < math.inf
            else f"more than {ROWS[-1]:,}"
            for method in ALL
        ]  # fmt: skip
        lines.append(f"| {bed} | {' | '.join(own)} | {predicted} |")
    lines += [
        "",
        "## Stronger couplings",
        "",
        "Grid of 16 spins: the fewest rows (in steps of the square root of two) with which all "
        "trials are right, by the size of the couplings, and the slope of log(rows * size^2) by "
        "size: the proof for RISE allows 6 times the degree, 24.",
        "",
        "| couplings | method | " + " | ".join(map(str, SIZES)) + " | slope |",
        "|---|---|" + "---|" * (len(SIZES) + 1),
    ]
    for kind, by_method in needed.items():
        for method, own in by_method.items():
            logs = np.log(np.array(own) * np.array(SIZES) ** 2)
            slope = np.polyfit(SIZES, logs, 1)[0]
            cells = " | ".join(f"{rows:,}" for rows in own)
            lines.append(f"| {kind} | {method} | {cells} | {slope:.1f} |")
    draw(curves)
    write("recovery.md", "Finding the graph again", lines)


def run_one(tool: str) -> dict[str, list[float]]:
    return run_sizes(tool.removeprefix("sizes ")) if tool.startswith("sizes") else run_bed(tool)


def main() -> None:
    curves = {bed: in_own_process(__file__, bed, Path("-"), needs_quiet=False) for bed in BEDS}
    needed = {
        kind: in_own_process(__file__, f"sizes {kind}", Path("-"), needs_quiet=False)
        for kind in ("attracting", "mixed")
    }
    report(curves, needed)


if __name__ == "__main__":
    if len(sys.argv) == 3:
        print(json.dumps(run_one(sys.argv[1])))
    else:
        main()
