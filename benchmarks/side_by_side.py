"""Run tools in processes of their own and write a table of times and ratios."""

import gzip
import json
import os
import platform
import subprocess
import sys
import time
from importlib.metadata import PackageNotFoundError, version
from pathlib import Path

ROOT = Path(__file__).parents[1]
SHARED = ROOT.parent / "shared" / "data"
RESULTS = ROOT / "benchmarks" / "results"


def data_files(*names: str) -> list[Path]:
    """The named data where they are at hand, else the bundled rows."""
    found = [path for name in names if (path := SHARED / f"{name}.parquet").exists()]
    return found or [ROOT / "tests" / "data" / "alarm_1000.csv.gz"]


def drawn_alarm(n_rows: int, folder: Path) -> Path:
    """Rows drawn from the alarm network where it is at hand, else the bundled rows many times."""
    import duckdb

    out = folder / f"alarm_{n_rows}.parquet"
    network = SHARED.parent / "networks" / "alarm.bif.gz"
    rows = folder / "rows.csv"
    if network.exists():
        import pyagrum as gum

        (folder / "alarm.bif").write_bytes(gzip.decompress(network.read_bytes()))
        gum.initRandom(1)
        alarm = gum.loadBN(str(folder / "alarm.bif"))  # the generator does not keep it alive
        generator = gum.BNDatabaseGenerator(alarm)
        generator.drawSamples(n_rows)
        generator.toCSV(str(rows))
        source = f"FROM read_csv('{rows}', all_varchar=true)"
    else:
        source = f"FROM '{data_files()[0]}', range({-(-n_rows // 1000)})"
    with duckdb.connect() as connection:
        connection.execute(f"COPY (SELECT * {source} LIMIT {n_rows}) TO '{out}'")
    return out


def read_categories(path: Path):
    """A pandas frame of categories, which is what the peers want."""
    import pandas as pd

    frame = pd.read_parquet(path) if path.suffix == ".parquet" else pd.read_csv(path)
    return frame.astype(str).astype("category")


def busy_share(seconds: float = 0.5) -> float:
    """The share of all cores that was busy for a while, or 0 where the system does not say."""

    def ticks():
        numbers = [int(x) for x in Path("/proc/stat").read_text().splitlines()[0].split()[1:]]
        return sum(numbers), numbers[3] + numbers[4]  # all; idle and waiting for disks

    if not Path("/proc/stat").exists():
        return 0.0
    total, idle = ticks()
    time.sleep(seconds)
    total_after, idle_after = ticks()
    return 1 - (idle_after - idle) / max(1, total_after - total)


def wait_for_quiet(most_seconds: float = 120) -> bool:
    """Wait until nothing else runs. A tool with as many threads as cores may take seventy times as
    long when another process holds one of them: such a ratio would say nothing.
    """
    end = time.monotonic() + most_seconds
    while time.monotonic() < end:
        if busy_share() < 0.1:
            return True
    return False


def in_own_process(
    script: str, tool: str, path: Path, *, needs_quiet: bool = True, most_seconds: float = 3600
):
    if needs_quiet and not wait_for_quiet():
        return {"failed": "the machine was busy"}
    command = [sys.executable, script, tool, str(path)]
    try:
        run = subprocess.run(
            command, capture_output=True, text=True, check=False, timeout=most_seconds
        )
    except subprocess.TimeoutExpired:
        return {"failed": f"not done after {most_seconds:.0f} s"}
    if run.returncode != 0:
        return {"failed": run.stderr.strip().splitlines()[-1][:80]}
    return json.loads(run.stdout.splitlines()[-1])


def gain_of_two_processes(script: str, tool: str, path: Path) -> float:
    """How much more two processes do at once than one alone, by the rates that the tool reports.

    More than that no second thread can give. It is 2 where each core is one, and far less where the
    two are halves of one core, or share it with others.
    """
    wait_for_quiet()
    command = [sys.executable, script, tool, str(path)]

    def rates(n: int) -> list[float]:
        runs = [subprocess.Popen(command, stdout=subprocess.PIPE, text=True) for _ in range(n)]
        return [json.loads(run.communicate()[0].splitlines()[-1])["rate"] for run in runs]

    return sum(rates(2)) / max(rates(1) + rates(1))


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
