"""Families scored a second, each once: 0 to 3 parents, BIC, one thread, beside PyBNesian.

Both are called from Python: dagwright in one batch, PyBNesian family by family, as it offers.
"""

import json
import sys
import tempfile
import time
from pathlib import Path

import numpy as np
from side_by_side import (
    data_files,
    drawn_alarm,
    in_own_process,
    machine,
    read_categories,
    versions,
    write,
)

import dagwright as dw


def families(names, count):
    rng = np.random.default_rng(0)
    drawn = {}
    for turn in range(count):  # there are few families without parents: those drawn twice go once
        child, *parents = rng.choice(len(names), 1 + turn % 4, replace=False)
        drawn[names[child], tuple(sorted(names[p] for p in parents))] = None
    return list(drawn)


def count_for(n_rows):
    return 4000 if n_rows <= 20_000 else 400 if n_rows <= 200_000 else 100


def best_of_turns(n_families, turn):
    """The best of the turns that fit into some seconds: the first milliseconds are slow."""
    times = []
    end = time.monotonic() + 3
    while time.monotonic() < end or len(times) < 3:
        seconds, total = turn()
        times.append(seconds)
    return {"rate": n_families / min(times), "sum": total}


def run_dagwright(path: Path):
    table = dw.read(path)
    asked = families(table.names, count_for(len(table)))

    def turn():
        scorer = dw.Scorer(table)  # with an empty cache
        start = time.perf_counter()
        scores = scorer.batch(asked)
        return time.perf_counter() - start, float(scores.sum())

    return best_of_turns(len(asked), turn)


def run_pybnesian(path: Path):
    import pybnesian as pbn

    frame = read_categories(path)
    asked = families(list(frame.columns), count_for(len(frame)))
    bic = pbn.BIC(frame)
    network = pbn.DiscreteBN(list(frame.columns))

    def turn():
        start = time.perf_counter()
        scores = [bic.local_score(network, child, list(parents)) for child, parents in asked]
        return time.perf_counter() - start, sum(scores)

    return best_of_turns(len(asked), turn)


TOOLS = {"dagwright": run_dagwright, "PyBNesian": run_pybnesian}


def main() -> None:
    with tempfile.TemporaryDirectory() as folder:
        write_table(Path(folder))


def write_table(folder: Path) -> None:
    paths = data_files("alarm_10000", "alarm_100000")
    paths.append(drawn_alarm(1_000_000, folder))
    lines = [
        f"{machine()}; {versions('dagwright', 'pybnesian')}.",
        "",
        "| data | tool | families a second | ratio | sum of scores |",
        "|---|---|---|---|---|",
    ]
    for path in paths:
        results = {tool: in_own_process(__file__, tool, path) for tool in TOOLS}
        for tool, result in results.items():
            if "failed" in result:
                lines.append(f"| {path.stem} | {tool} | failed: {result['failed']} | | |")
                continue
            ratio = results["dagwright"]["rate"] / result["rate"]
            lines.append(
                f"| {path.stem} | {tool} | {result['rate']:,.0f} | {ratio:.1f} "
                f"| {result['sum']:.3f} |"
            )
    write("families.md", "Families scored a second, uncached", lines)


if __name__ == "__main__":
    if len(sys.argv) == 3:
        print(json.dumps(TOOLS[sys.argv[1]](Path(sys.argv[2]))))
    else:
        main()
