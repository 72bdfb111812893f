"""Run tools in processes of their own and write a table of times and ratios."""

import json
import os
import platform
import subprocess
import sys
from importlib.metadata import PackageNotFoundError, version
from pathlib import Path

ROOT = Path(__file__).parents[1]
SHARED = ROOT.parent / "shared" / "data"
RESULTS = ROOT / "benchmarks" / "results"


def data_files(*names: str) -> list[Path]:
    """The named data where they are at hand, else the bundled rows."""
    found = [path for name in names if (path := SHARED / f"{name}.parquet").exists()]
    return found or [ROOT / "tests" / "data" / "alarm_1000.csv.gz"]


def read_categories(path: Path):
    """A pandas frame of categories, which is what the peers want."""
    import pandas as pd

    frame = pd.read_parquet(path) if path.suffix == ".parquet" else pd.read_csv(path)
    return frame.astype(str).astype("category")


def in_own_process(script: str, tool: str, path: Path):
    command = [sys.executable, script, tool, str(path)]
    run = subprocess.run(command, capture_output=True, text=True, check=False)
    if run.returncode != 0:
        return {"failed": run.stderr.strip().splitlines()[-1][:80]}
    return json.loads(run.stdout.splitlines()[-1])


def machine() -> str:
    described = subprocess.run(["lscpu"], capture_output=True, text=True, check=True).stdout
    model = next(line for line in described.splitlines() if line.startswith("Model name"))
    cores = len(os.sched_getaffinity(0))
    return f"{model.partition(':')[2].strip()}, {cores} cores, Python {platform.python_version()}"


def versions(*packages: str) -> str:
    known = []
    for package in packages:
        try:
            known.append(f"{package} {version(package)}")
        except PackageNotFoundError:
            known.append(f"{package} not installed")
    return ", ".join(known)


def write(name: str, title: str, lines: list[str]) -> None:
    text = "\n".join([f"# {title}", "", *lines, ""])
    print(text)
    RESULTS.mkdir(exist_ok=True)
    (RESULTS / name).write_text(text, encoding="utf-8")
