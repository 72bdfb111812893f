"""Sampled posteriors: what a step costs, how soon chains agree, how far they are from the truth.

``--all`` adds 18 and 20 variables against the exact posterior, about ten minutes.
"""

import json
import sys
import warnings

import numpy as np
from side_by_side import busy_share, data_files, in_own_process, machine, versions, write

import dagwright as dw
from dagwright import _core
from dagwright.mcmc.candidates import choose_candidates
from dagwright.mcmc.starts import start_graphs
from dagwright.run import start_run

SAMPLERS = {
    "partition": dw.PartitionMCMC(),
    "partition, without walks over orders": dw.PartitionMCMC(orders=0),
    "order, not corrected": dw.OrderMCMC(correct=False),
    "structure": dw.StructureMCMC(),
}
SIZES = [10, 13, 16]
LONG_SIZES = [18, 20]


def moves(path: str, variables: str, most: str):
    """Microseconds of a swap in an order, by a bare loop and by the chain: the least of five."""
    table = dw.read(path)
    n, n_candidates = int(variables), int(most)
    scorer = dw.Scorer(table.select(table.names[:n]), dw.BDeu(1))
    names = scorer.source.names
    constraints = dw.Constraints()
    native = constraints.resolve(names, scorer.source.n_states)
    place = {name: i for i, name in enumerate(names)}
    with start_run(0, 2, None, False, None) as run:
        graphs = [
            [[place[parent] for parent in dag.parents(name)] for name in names]
            for dag in start_graphs(scorer, constraints, 2, run)
        ]
        candidates = choose_candidates(scorer, native, graphs, n_candidates, run)
        tables = _core.ParentTable(scorer.native, native, candidates, run.native)
    n_moves = 1_000_000
    times = [_core.time_order_moves(tables, n_moves, seed) for seed in range(5)]
    return [1e6 * min(column) / n_moves for column in zip(*times, strict=True)]


def agreement(path: str, name: str):
    """How four chains from different graphs agree."""
    warnings.simplefilter("ignore")
    posterior = dw.posterior(dw.read(path), sampler=SAMPLERS[name], draws=1000, threads=2)
    edges = posterior.edge_probabilities().values
    unsure = (edges > 0.05) & (edges < 0.95)
    sizes = posterior.effective_sample_size("edges").values[unsure]
    n_steps = 4 * (posterior.n_draws + posterior.info.warmup) * posterior.info.thin
    return {
        "seconds": posterior.info.seconds,
        "steps": n_steps,
        "r_hat": posterior.r_hat(),
        "difference": posterior.max_edge_difference(),
        "worth": float(np.median(sizes)),
        "least": float(sizes.min()),
        "left_out": posterior.info.candidates.get("edges_left_out", 0.0),
        "weights": posterior.info.weights,
    }


def truth(path: str, n: str):
    """The largest error of an edge's probability, against the sum over all DAGs."""
    warnings.simplefilter("ignore")
    rows = dw.networks.load("alarm").sample(1000, seed=2)
    rows = rows.select(rows.names[: int(n)])
    exact = dw.exact_posterior(rows, threads=2, max_bytes=8 * 2**30)
    posterior = dw.posterior(rows, draws=10_000, threads=2)
    errors = posterior.edge_probabilities().values - exact.edge_probabilities().values
    return {
        "exact_seconds": exact.info.seconds,
        "seconds": posterior.info.seconds,
        "error": float(np.abs(errors).max()),
        "left_out": posterior.info.candidates.get("edges_left_out", 0.0),
    }


def run_alone(what: str, path):
    found = in_own_process(__file__, what, path, needs_quiet=False)
    if "failed" in found:
        raise SystemExit(f"{what}: {found['failed']}")
    return found


def main() -> None:
    path = data_files("alarm_10000")[0]
    lines = [
        f"{machine()}; {versions('dagwright')}; BDeu(1), 2 threads.",
        f"{100 * busy_share(2):.0f} % of the machine were busy with other work at the start.",
        "",
        f"## A swap of two variables in an order ({path.stem})",
        "",
        "The bare loop has nothing but bits and one table of sums a variable. The chain also looks "
        "after single parents that are no candidates, where there are any.",
        "",
        "| variables | candidates | bare loop, us | chain, us | ratio |",
        "|---|---|---|---|---|",
    ]
    for n, n_candidates in (37, 12), (13, 12):
        bare, chain = run_alone(f"moves:{n}:{n_candidates}", path)
        lines.append(f"| {n} | {n_candidates} | {bare:.3f} | {chain:.3f} | {chain / bare:.2f} |")
        print(lines[-1], flush=True)
    lines += [
        "",
        f"## Four chains of 1,000 draws ({path.stem})",
        "",
        "The first starts from the best graph that order search finds, the others from where hill "
        "climbing ends from random graphs. Seconds are of all: search, tables, warmup and draws. "
        "Worth: effective draws of the edges between 0.05 and 0.95, median and least. sumu "
        "(Gadget, 16 chains) does 260 steps a second on these data, as measured elsewhere on such "
        "a machine, and has not converged after two minutes.",
        "",
        "| sampler | seconds | steps a second | R-hat of the score | largest difference of an edge "
        "| worth | least | edges left out by candidates |",
        "|---|---|---|---|---|---|---|---|",
    ]
    for name in SAMPLERS:
        found = run_alone(f"agreement:{name}", path)
        lines.append(
            f"| {name} | {found['seconds']:.1f} | {found['steps'] / found['seconds']:,.0f} | "
            f"{found['r_hat']:.3f} | {found['difference']:.3f} | {found['worth']:,.0f} | "
            f"{found['least']:,.0f} | {found['left_out']:.2f} |"
        )
        print(lines[-1], flush=True)
    lines += [
        "",
        "## Against the sum over all DAGs (1,000 rows of the first variables of alarm)",
        "",
        "Four chains of 10,000 draws by partition MCMC.",
        "",
        "| variables | exact, seconds | sampled, seconds | largest error of an edge "
        "| edges left out by candidates |",
        "|---|---|---|---|---|",
    ]
    for n in SIZES + (LONG_SIZES if "--all" in sys.argv else []):
        found = run_alone(f"truth:{n}", path)
        lines.append(
            f"| {n} | {found['exact_seconds']:.1f} | {found['seconds']:.1f} | "
            f"{found['error']:.4f} | {found['left_out']:.3f} |"
        )
        print(lines[-1], flush=True)
    write("posterior.md", "Sampled posteriors", lines)


if __name__ == "__main__":
    if len(sys.argv) == 3:
        kind, *settings = sys.argv[1].split(":")
        measure = {"moves": moves, "agreement": agreement, "truth": truth}[kind]
        print(json.dumps(measure(sys.argv[2], *settings)))
    else:
        main()
