"""Score against time for every search, beside the peers: alarm, hepar2, andes; BIC.

Run with `make bench`. A peer that is not installed is a line that says so.
"""

import json
import math
import sys
import time
from pathlib import Path

from side_by_side import (
    RESULTS,
    data_files,
    in_own_process,
    machine,
    read_categories,
    versions,
    write,
)

import dagwright as dw
from dagwright.search import searches

DATA = ["alarm_10000", "hepar2_10000", "andes_10000"]
OWN = {
    "hill-climb": dw.HillClimb(),
    "hill-climb, 20 restarts": dw.HillClimb(restarts=20, perturbation=50),
    "tabu": dw.Tabu(),
    "anneal": dw.Anneal(),
    "perturb": dw.Perturb(),
    "ges": dw.GES(),
    "order-search": dw.OrderSearch(),
    "auto": dw.Auto(),
    "chow-liu": dw.ChowLiu(),
    "k2-search": dw.K2Search(),
}


def run_own(name, path):
    table = dw.read(path)
    result = dw.learn(table, score=dw.BIC(), search=OWN[name], threads=2)
    return {"seconds": result.info.seconds, "edges": list(result.dag.edges)}


def run_pybnesian(path):
    import pybnesian as pbn

    frame = read_categories(path)
    kind = pbn.DiscreteBNType()
    start = time.perf_counter()
    edges = pbn.hc(frame, bn_type=kind, score="bic", operators=["arcs"]).arcs()
    return {"seconds": time.perf_counter() - start, "edges": edges}


def run_pyagrum(path, tabu):
    import pyagrum as gum

    learner = gum.BNLearner(read_categories(path))
    learner.useScoreBIC()
    if tabu:
        learner.useLocalSearchWithTabuList()
    else:
        learner.useGreedyHillClimbing()
    names = [learner.nameFromId(i) for i in range(len(learner.names()))]
    start = time.perf_counter()
    arcs = learner.learnDAG().arcs()
    seconds = time.perf_counter() - start
    return {"seconds": seconds, "edges": [(names[a], names[b]) for a, b in arcs]}


def run_pgmpy(path):
    from pgmpy.estimators import HillClimbSearch

    frame = read_categories(path)
    start = time.perf_counter()
    found = HillClimbSearch(frame).estimate(scoring_method="bic-d", show_progress=False)
    return {"seconds": time.perf_counter() - start, "edges": list(found.edges())}


def run_causal_learn(path):
    """It has no BIC for tables of states: its own score is BDeu. A graph of its class is taken."""
    import numpy as np
    from causallearn.search.ScoreBased.GES import ges

    frame = read_categories(path)
    names = list(frame.columns)
    codes = np.column_stack([frame[name].cat.codes for name in names])
    start = time.perf_counter()
    ends = ges(codes, score_func="local_score_BDeu")["G"].graph
    seconds = time.perf_counter() - start
    pairs = [(i, j) for i, j in np.argwhere(ends == -1) if ends[j, i] == 1 or i < j]
    compelled = [(names[i], names[j]) for i, j in pairs if ends[j, i] == 1]
    reversible = [(names[i], names[j]) for i, j in pairs if ends[j, i] == -1]
    dag = dw.Cpdag(compelled, reversible, names).to_dag()
    return {"seconds": seconds, "edges": list(dag.edges)}


PEERS = {
    "PyBNesian hill climbing": run_pybnesian,
    "pyAgrum greedy": lambda path: run_pyagrum(path, False),
    "pyAgrum tabu": lambda path: run_pyagrum(path, True),
    "pgmpy hill climbing": run_pgmpy,
    "causal-learn GES": run_causal_learn,
}
PACKAGES = ["pybnesian", "pyagrum", "pgmpy", "causal-learn"]
TOOLS = {name: (lambda path, name=name: run_own(name, path)) for name in OWN} | PEERS


def picture(found) -> str:
    """Nats below the best score against seconds, both on log scales, one panel for each table."""
    width, height, left, top, gap = 420, 300, 70, 34, 60
    parts = []
    for panel, (data, results) in enumerate(found.items()):
        best = max(score for _, score in results.values())
        points = {
            name: (math.log10(max(seconds, 1e-4)), math.log10(max(best - score, 0.1)))
            for name, (seconds, score) in results.items()
        }
        low, high = min(x for x, _ in points.values()) - 0.2, max(x for x, _ in points.values()) + 1
        least, most = -1.3, max(y for _, y in points.values()) + 0.3
        x0 = left + panel * (width + gap)

        def place(x, y, x0=x0, low=low, high=high, least=least, most=most):
            return (
                x0 + (x - low) / (high - low) * width,
                top + (most - y) / (most - least) * height,
            )

        parts.append(f'<text x="{x0}" y="20" font-weight="bold">{data}</text>')
        for decade in range(math.ceil(low), math.floor(high) + 1):
            x, _ = place(decade, least)
            parts.append(line(x, top, x, top + height))
            parts.append(label(x, top + height + 16, f"{10.0**decade:g} s", "middle"))
        for decade in range(math.ceil(least), math.floor(most) + 1):
            _, y = place(low, decade)
            parts.append(line(x0, y, x0 + width, y))
            parts.append(label(x0 - 6, y + 4, "0" if decade == -1 else f"{10.0**decade:g}", "end"))
        for name, point in points.items():
            x, y = place(*point)
            parts.append(dot(x, y, name))
    bottom = top + height + 40
    parts.append(label(left, bottom, "across: seconds; up: nats below the best; peers in red"))
    for i, name in enumerate(TOOLS):
        x, y = left + 180 * (i % 8), bottom + 22 * (1 + i // 8)
        parts += [dot(x + 8, y - 4, name), label(x + 20, y, name)]
    bottom += 22 * (1 + (len(TOOLS) - 1) // 8)
    total = left + len(found) * (width + gap)
    return (
        f'<svg xmlns="http://www.w3.org/2000/svg" width="{total}" height="{bottom + 12}" '
        'font-family="sans-serif" font-size="13"><rect width="100%" height="100%" fill="#fff"/>'
        + "".join(parts)
        + "</svg>\n"
    )


def dot(x, y, name):
    colour = "#c33" if name in PEERS else "#36c"
    number = list(TOOLS).index(name) + 1
    return (
        f'<circle cx="{x:.1f}" cy="{y:.1f}" r="8" fill="{colour}" fill-opacity="0.85"/>'
        f'<text x="{x:.1f}" y="{y + 3.5:.1f}" font-size="10" fill="#fff" '
        f'text-anchor="middle">{number}</text>'
    )


def line(x1, y1, x2, y2):
    return f'<path d="M{x1:.1f} {y1:.1f}L{x2:.1f} {y2:.1f}" stroke="#ddd"/>'


def label(x, y, text, anchor="start"):
    return f'<text x="{x:.1f}" y="{y:.1f}" font-size="10" text-anchor="{anchor}">{text}</text>'


def main() -> None:
    covered = {search.name for search in OWN.values()}
    left_out = {kind.name for kind in searches} - covered - {"tree-augmented-naive-bayes"}
    assert not left_out, f"no entry for {left_out}"
    lines = [
        f"{machine()}; {versions('dagwright', *PACKAGES)}. 2 threads; single runs.",
        "",
        "![score against time](search.svg)",
        "",
        "| data | search | seconds | BIC | below the best | edges |",
        "|---|---|---|---|---|---|",
    ]
    found: dict[str, dict[str, tuple[float, float]]] = {}
    for path in data_files(*DATA):
        table = dw.read(path)
        here = found.setdefault(path.stem, {})
        n_edges = {}
        for tool in TOOLS:
            result = in_own_process(__file__, tool, path, most_seconds=200)
            if "failed" in result:
                lines.append(f"| {path.stem} | {tool} | failed: {result['failed']} | | | |")
                continue
            dag = dw.Dag(result["edges"], nodes=table.names)
            here[tool] = (result["seconds"], dw.score(dag, table))
            n_edges[tool] = len(dag.edges)
        best = max(score for _, score in here.values())
        for tool, (seconds, score) in sorted(here.items(), key=lambda item: -item[1][1]):
            lines.append(
                f"| {path.stem} | {tool} | {seconds:.3f} | {score:,.1f} | {best - score:,.1f} "
                f"| {n_edges[tool]} |"
            )
    RESULTS.mkdir(exist_ok=True)
    (RESULTS / "search.svg").write_text(picture(found), encoding="utf-8")
    write("search.md", "Score against time", lines)


if __name__ == "__main__":
    if len(sys.argv) == 3:
        print(json.dumps(TOOLS[sys.argv[1]](Path(sys.argv[2]))))
    else:
        main()
