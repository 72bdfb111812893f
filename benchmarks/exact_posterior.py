"""Exact posteriors by number of variables: time and memory, as forecast and as measured.

``--all`` adds 18 and 20 variables over DAGs and 22 and 25 over orders, about a quarter of an hour.
"""

import json
import resource
import sys

from side_by_side import busy_share, in_own_process, machine, versions, write

import dagwright as dw

# Variables, and the bound on parents if there is one.
SHORT = {
    "dags": ["10", "12", "14", "16", "16:3"],
    "orders": ["10", "12", "14", "16", "18:4", "20:4"],
}
LONG = {"dags": ["18", "20"], "orders": ["18", "22:4", "25:3"]}
GIB = 2**30


def peak() -> float:
    return resource.getrusage(resource.RUSAGE_SELF).ru_maxrss * 1024


def run(over: str, size: str):
    n, _, max_parents = size.partition(":")
    rows = dw.networks.load("alarm").sample(1000, seed=2)
    rows = rows.select(rows.names[: int(n)])
    allowed = dw.Constraints(max_parents=int(max_parents) if max_parents else None)
    before = peak()
    posterior = dw.exact_posterior(
        rows, constraints=allowed, over=over, threads=2, max_bytes=8 * GIB
    )
    return {
        "families": posterior.info.n_families,
        "seconds": posterior.info.seconds,
        "forecast_seconds": posterior.forecast.seconds,
        "bytes": peak() - before,
        "forecast_bytes": posterior.forecast.bytes,
        "error_bound": posterior.error_bound,
    }


def main() -> None:
    lines = [
        f"{machine()}; {versions('dagwright')}; BDeu(1), 1,000 rows of the first variables of "
        "alarm, 2 threads. Scoring is part of the seconds; the peak of memory is beyond what was "
        "in use before.",
        f"{100 * busy_share(2):.0f} % of the machine were busy with other work at the start.",
        "",
        "| over | variables | parents | families | seconds | forecast | GiB | forecast | error |",
        "|---|---|---|---|---|---|---|---|---|",
    ]
    for over in SHORT:
        sizes = SHORT[over] + (LONG[over] if "--all" in sys.argv else [])
        for size in sizes:
            n, _, parents = size.partition(":")
            found = in_own_process(__file__, over, size, needs_quiet=False)
            if "failed" in found:
                lines.append(f"| {over} | {n} | {parents or 'any'} | {found['failed']} |")
                continue
            bound = "" if found["error_bound"] is None else f"{found['error_bound']:.0e}"
            lines.append(
                f"| {over} | {n} | {parents or 'any'} | {found['families']:,} "
                f"| {found['seconds']:.3g} | {found['forecast_seconds']:.3g} "
                f"| {found['bytes'] / GIB:.3f} | {found['forecast_bytes'] / GIB:.3f} | {bound} |"
            )
    write("exact_posterior.md", "Exact posteriors", lines)


if __name__ == "__main__":
    if len(sys.argv) == 3:
        print(json.dumps(run(sys.argv[1], sys.argv[2])))
    else:
        main()
