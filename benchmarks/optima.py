"""What `dw.learn` reaches on data whose best score is proven, and on the reference data.

The proven optima are those of the repository alisterl/eBNSL; without its files, nothing is run.
"""

import csv
import json
import sys
from pathlib import Path

from side_by_side import ROOT, in_own_process, machine, versions, write

import dagwright as dw

OPTIMA = ROOT.parent / "shared" / "optima"
DATA = ROOT.parent / "shared" / "data"
BEST = {
    ("iris", "bic"): -465.435,
    ("tic-tac-toe", "bic"): -9396.376,
    ("insurance1000", "bic"): -14350.47,
    ("water1000", "bic"): -13290.11,
    ("mildew1000", "bic"): -57238.02,
    ("barley1000", "bic"): -67699.73,
    ("hailfinder500", "bic"): -27777.55,
    ("iris", "bdeu"): -452.214,
    ("tic-tac-toe", "bdeu"): -9423.068,
    ("insurance1000", "bdeu"): -13872.33,
}
# The best peer's BIC and seconds, and the generating graph's BIC, measured on a like machine.
PEERS = {
    "alarm_10000": (-106068.3, 118, -106258.4),
    "alarm_100000": (-1045509.3, 4.6, -1044646.3),
    "hepar2_10000": (-326621.5, 3.5, -330698.1),
    "andes_10000": (-932484.3, 21, -932824.8),
    "link_10000": (-2445036.4, 139, -2166263.1),
}


def table_of(path: Path):
    if path.suffix == ".parquet":
        return dw.read(path)
    rows = list(csv.reader(path.open(encoding="utf-8")))
    return dw.Table({f"v{i}": list(c) for i, c in enumerate(zip(*rows, strict=True))})


def run(score: str, path: Path):
    table = table_of(path)
    result = dw.learn(table, score=dw.BIC() if score == "bic" else dw.BDeu(1), threads=2)
    return {"score": result.score, "seconds": result.info.seconds}


def main() -> None:
    lines = [
        f"{machine()}; {versions('dagwright')}; `dw.learn` with default settings, 2 threads.",
        "",
        "| data | score | reached | proven best | difference | seconds |",
        "|---|---|---|---|---|---|",
    ]
    for (name, score), best in BEST.items():
        path = OPTIMA / f"{name}.csv"
        if not path.exists():
            continue
        found = in_own_process(__file__, score, path)
        lines.append(
            f"| {name} | {score} | {found['score']:.3f} | {best} | {found['score'] - best:.3f} "
            f"| {found['seconds']:.2f} |"
        )
    lines += [
        "",
        "| data | BIC | seconds | best peer | its seconds | generating graph |",
        "|---|---|---|---|---|---|",
    ]
    for name, (peer, peer_seconds, truth) in PEERS.items():
        path = DATA / f"{name}.parquet"
        if not path.exists() or (name.startswith("link") and "--all" not in sys.argv):
            continue
        found = in_own_process(__file__, "bic", path)
        lines.append(
            f"| {name} | {found['score']:,.1f} | {found['seconds']:.2f} | {peer:,.1f} "
            f"| {peer_seconds} | {truth:,.1f} |"
        )
    write("optima.md", "What learn reaches", lines)


if __name__ == "__main__":
    if len(sys.argv) == 3:
        print(json.dumps(run(sys.argv[1], Path(sys.argv[2]))))
    else:
        main()
