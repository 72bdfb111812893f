"""Maximum likelihood for the alarm network on 1,000,000 rows: dagwright and its peers.

Run with `make bench`. Times are of the call alone, the best of three, data in memory in the form
that each tool takes: dagwright's Table as it was read (its bitmaps are made in the call), a pandas
frame of categories for PyBNesian and pgmpy, pyAgrum's learner with its own codes.
"""

import json
import sys
import tempfile
import time
from pathlib import Path

from side_by_side import drawn_alarm, in_own_process, machine, read_categories, versions, write

import dagwright as dw

N_ROWS = 1_000_000


def timed(fit):
    times = []
    for _ in range(3):
        start = time.perf_counter()
        answer = fit()
        times.append(time.perf_counter() - start)
    return min(times), answer


def alarm() -> dw.Dag:
    return dw.networks.load("alarm").dag


def run_dagwright(path: Path):
    table = dw.read(path)
    # A table keeps its bitmaps; a copy has to make them.
    seconds, _ = timed(lambda: dw.fit(alarm(), table.with_weights(None), "ml"))
    return {"seconds": seconds}


def run_again(path: Path):
    table = dw.read(path)
    dw.fit(alarm(), table, "ml")
    seconds, _ = timed(lambda: dw.fit(alarm(), table, "ml"))
    return {"seconds": seconds}


def run_pybnesian(path: Path):
    import pyarrow as pa
    import pybnesian

    categories = read_categories(path)
    arrays = [  # it knows no texts but Arrow's small ones, which pandas does not make
        pa.DictionaryArray.from_arrays(
            pa.array(own.cat.codes, pa.int8()), pa.array(list(own.cat.categories), pa.string())
        )
        for _, own in categories.items()
    ]
    frame = pa.RecordBatch.from_arrays(arrays, names=list(categories.columns))
    dag = alarm()

    def fit():
        model = pybnesian.DiscreteBN(list(dag.nodes), list(dag.edges))
        model.fit(frame)
        return model

    seconds, _ = timed(fit)
    return {"seconds": seconds}


def run_pyagrum(path: Path):
    import pyagrum as gum

    template = dw.networks.load("alarm").to_pyagrum()
    learner = gum.BNLearner(read_categories(path), template)
    seconds, _ = timed(lambda: learner.learnParameters(template.dag()))
    return {"seconds": seconds}


def run_pgmpy(path: Path):
    from pgmpy.models import DiscreteBayesianNetwork

    frame = read_categories(path)
    dag = alarm()

    def fit():
        model = DiscreteBayesianNetwork(dag.edges)
        model.fit(frame)
        return model

    seconds, _ = timed(fit)
    return {"seconds": seconds}


TOOLS = {
    "dagwright": run_dagwright,
    "dagwright, the table seen before": run_again,
    "PyBNesian": run_pybnesian,
    "pyAgrum": run_pyagrum,
    "pgmpy": run_pgmpy,
}


def main() -> None:
    lines = [
        f"{machine()}; {versions('dagwright', 'pybnesian', 'pyagrum', 'pgmpy')}.",
        "",
        "| tool | seconds | times dagwright |",
        "|---|---|---|",
    ]
    with tempfile.TemporaryDirectory() as folder:
        path = drawn_alarm(N_ROWS, Path(folder))
        results = {tool: in_own_process(__file__, tool, path) for tool in TOOLS}
    ours = results["dagwright"].get("seconds", float("nan"))
    for tool, result in results.items():
        if "failed" in result:
            lines.append(f"| {tool} | failed: {result['failed']} | |")
        else:
            lines.append(f"| {tool} | {result['seconds']:.3f} | {result['seconds'] / ours:.1f} |")
    write("parameters.md", "Parameters by maximum likelihood, alarm, 1,000,000 rows", lines)


if __name__ == "__main__":
    if len(sys.argv) == 3:
        print(json.dumps(TOOLS[sys.argv[1]](Path(sys.argv[2]))))
    else:
        main()
