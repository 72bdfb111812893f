"""Score against time for every search, beside the peers: alarm, hepar2, andes; BIC.

Run with `make bench`. A peer that is not installed is a line that says so.
"""

import json
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
TOOLS = {name: (lambda path, name=name: run_own(name, path)) for name in OWN} | PEERS


def picture(found) -> str:
    """Distance to the best score against time, both on log scales, one panel for each table."""
    import math

    width, height, left, top = 420, 300, 60, 30
    parts = []
    for panel, (data, results) in enumerate(found.items()):
        best = max(score for _, score in results.values())
        x0 = left + panel * (width + left)
        seconds = [math.log10(max(s, 1e-4)) for s, _ in results.values()]
        low, high = min(seconds) - 0.2, max(seconds) + 0.6
        gaps = [math.log10(max(best - score, 0.1)) for _, score in results.values()]
        least, most = -1.2, max(gaps) + 0.3
        parts.append(f'<text x="{x0}" y="18" font-weight="bold">{data}</text>')
        parts.append(
            f'<rect x="{x0}" y="{top}" width="{width}" height="{height}" fill="none" '
            'stroke="#888"/>'
        )
        for name, (s, gap) in zip(results, zip(seconds, gaps, strict=True), strict=True):
            x = x0 + (s - low) / (high - low) * width
            y = top + height - (gap - least) / (most - least) * height
            colour = "#c33" if name in PEERS else "#36c"
            parts.append(f'<circle cx="{x:.1f}" cy="{y:.1f}" r="4" fill="{colour}"/>')
            parts.append(f'<text x="{x + 6:.1f}" y="{y + 4:.1f}" font-size="10">{name}</text>')
        parts.append(
            f'<text x="{x0}" y="{top + height + 18}" font-size="11">seconds, 1e{low:.1f} to '
            f"1e{high:.1f}; up: nats below the best, 1e{least:.1f} to 1e{most:.1f}</text>"
        )
    total = left + len(found) * (width + left)
    return (
        f'<svg xmlns="http://www.w3.org/2000/svg" width="{total}" height="{height + 70}" '
        f'font-family="sans-serif" font-size="13"><rect width="100%" height="100%" fill="#fff"/>'
        + "".join(parts)
        + "</svg>\n"
    )


def main() -> None:
    covered = {search.name for search in OWN.values()}
    left_out = {kind.name for kind in searches} - covered - {"tree-augmented-naive-bayes"}
    assert not left_out, f"no entry for {left_out}"
    lines = [
        f"{machine()}; {versions('dagwright', 'pybnesian', 'pyagrum')}. 2 threads; single runs.",
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
