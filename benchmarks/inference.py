"""All posteriors of a network, without evidence and with 5 findings: dagwright and pyAgrum.

Run with `make bench`; `python benchmarks/inference.py --all` adds networks that take pyAgrum
minutes and gigabytes. A time is that of making the engine and asking for all posteriors, the
network in memory; the best of as many calls as fit in two seconds (at least one). Findings are 5
states of one row drawn from the network, the same for all tools. The largest difference is against
dagwright.
"""

import json
import resource
import sys
import time
from pathlib import Path

import numpy as np
from side_by_side import SHARED, in_own_process, machine, versions, write

import dagwright as dw

NETWORKS = ["child", "insurance", "alarm", "hailfinder", "hepar2", "win95pts", "andes", "pigs"]
LARGE = ["water", "mildew", "barley", "diabetes", "munin", "munin1", "link"]
MOST_SECONDS = 300  # of a peer
MOST_BYTES = 12 << 30  # of a peer: beyond it the machine would swap or kill it


def load(name: str) -> dw.BayesNet:
    path = SHARED.parent / "networks" / f"{name}.bif.gz"
    return dw.BayesNet.load(path) if path.exists() else dw.networks.load(name)


def findings(model: dw.BayesNet) -> dict[str, object]:
    row = model.sample(1, seed=5)
    chosen = np.random.default_rng(5).choice(len(row.names), 5, replace=False)
    return {row.names[v]: row.states[row.names[v]][row.codes[v][0]] for v in chosen}


def timed(ask):
    times, answer = [], None
    while sum(times) < 2:
        start = time.perf_counter()
        answer = ask()
        times.append(time.perf_counter() - start)
    return min(times), answer


def run(name: str, engine):
    model = load(name)
    out = {}
    for label, given in (("none", {}), ("five", findings(model))):
        out[label], answer = timed(lambda given=given: engine(model, given))
        out[f"{label} answers"] = [list(map(float, values)) for values in answer]
    out["megabytes"] = resource.getrusage(resource.RUSAGE_SELF).ru_maxrss / 1024
    return out


def dagwright_engine(model, given):
    found = model.marginals(given)
    return [found[name].probabilities for name in model.names]


def pyagrum_engine(kind):
    import pyagrum as gum

    resource.setrlimit(resource.RLIMIT_AS, (MOST_BYTES, MOST_BYTES))
    made = {}

    def engine(model, given):
        if not made:
            made["net"] = model.to_pyagrum()
        inference = getattr(gum, kind)(made["net"])
        inference.setEvidence({name: str(state) for name, state in given.items()})
        inference.makeInference()
        return [inference.posterior(name).toarray() for name in model.names]

    return engine


TOOLS = {
    "dagwright": lambda name: run(name, dagwright_engine),
    "pyAgrum Lazy": lambda name: run(name, pyagrum_engine("LazyPropagation")),
    "pyAgrum Shafer-Shenoy": lambda name: run(name, pyagrum_engine("ShaferShenoyInference")),
}


def main(names: list[str]) -> None:
    lines = [
        f"{machine()}; {versions('dagwright', 'pyagrum')}.",
        "",
        "| network | tool | no evidence, ms | times dagwright | 5 findings, ms | times dagwright "
        "| peak MB | largest difference |",
        "|---|---|---|---|---|---|---|---|",
    ]
    for name in names:
        results = {
            tool: in_own_process(__file__, tool, Path(name), most_seconds=MOST_SECONDS)
            for tool in TOOLS
        }
        ours = results["dagwright"]
        for tool, result in results.items():
            if "failed" in result:
                lines.append(f"| {name} | {tool} | failed: {result['failed']} | | | | | |")
                continue
            off = max(
                float(np.abs(np.array(a) - np.array(b)).max())
                for label in ("none answers", "five answers")
                for a, b in zip(result[label], ours[label], strict=True)
            )
            none, five = result["none"], result["five"]
            lines.append(
                f"| {name} | {tool} | {none * 1e3:.2f} | {none / ours['none']:.1f} "
                f"| {five * 1e3:.2f} | {five / ours['five']:.1f} | {result['megabytes']:.0f} "
                f"| {off:.1e} |"
            )
    write("inference.md", "All posteriors", lines)


if __name__ == "__main__":
    if len(sys.argv) == 3:
        print(json.dumps(TOOLS[sys.argv[1]](sys.argv[2])))
    else:
        at_hand = NETWORKS if SHARED.exists() else ["child", "insurance", "alarm"]
        main(at_hand + (LARGE if "--all" in sys.argv and SHARED.exists() else []))
