"""What a second thread gives hill climbing, and how far apart the two cores were meanwhile.

Rented cores are put here and there by those who rent them out: near to each other at one time, far
at another. Threads that share out steps of microseconds feel that, so each round says how long a
cache line took from core to core and back. What two processes on one thread each do at once against
one alone is the most that a second thread could give: cores may be halves of one.
"""

import json
import subprocess
import sys
import tempfile
import time
from pathlib import Path

from side_by_side import (
    data_files,
    drawn_alarm,
    gain_of_two_processes,
    in_own_process,
    machine,
    versions,
    write,
)

import dagwright as dw

DATA = ["alarm_10000", "alarm_100000", "hepar2_10000", "andes_10000", "link_10000"]
N_ROUNDS = 6


def learn_for_a_while(path: Path, threads: int):
    """Learn again and again: the least time of a call, and how often a second."""
    table = dw.read(path)
    dw.learn(table, search=dw.HillClimb(), threads=threads)
    times: list[float] = []
    while sum(times) < 1.5:
        start = time.perf_counter()
        dw.learn(table, search=dw.HillClimb(), threads=threads)
        times.append(time.perf_counter() - start)
    return {"seconds": min(times), "rate": len(times) / sum(times)}


TOOLS = {f"threads {n}": lambda path, n=n: learn_for_a_while(path, n) for n in (1, 2)}


def write_table(paths: list[Path], folder: Path) -> None:
    program = folder / "core_round_trip"
    source = Path(__file__).with_name("core_round_trip.cpp")
    subprocess.run(["c++", "-O2", "-std=c++20", "-pthread", source, "-o", program], check=True)

    def round_trip() -> int:
        return int(subprocess.run([program], capture_output=True, text=True, check=True).stdout)

    lines = [
        f"{machine()}; {versions('dagwright')}.",
        "",
        f"{N_ROUNDS} rounds for each data set, sorted by ratio, with how long a cache line took "
        "from one core to the other and back before the round and after it: where the two differ "
        "the cores were moved meanwhile. Milliseconds of the learning call, the least of 1.5 s.",
        "",
        "| data | cache line, ns | 1 thread | 2 threads | ratio | 2 processes against 1 |",
        "|---|---|---|---|---|---|",
    ]
    for path in paths:
        rounds = []
        for _ in range(N_ROUNDS):
            before = round_trip()
            one, two = (in_own_process(__file__, tool, path)["seconds"] for tool in TOOLS)
            rounds.append((one / two, 1000 * one, 1000 * two, f"{before}, {round_trip()}"))
        at_most = gain_of_two_processes(__file__, "threads 1", path)
        for ratio, one, two, nanoseconds in sorted(rounds):
            lines.append(
                f"| {path.stem} | {nanoseconds} | {one:.2f} | {two:.2f} | {ratio:.2f} "
                f"| {at_most:.2f} |"
            )
    write("threads.md", "Hill climbing with a second thread", lines)


if __name__ == "__main__":
    if len(sys.argv) == 3:
        print(json.dumps(TOOLS[sys.argv[1]](Path(sys.argv[2]))))
    else:
        with tempfile.TemporaryDirectory() as name:
            million = drawn_alarm(1_000_000, Path(name))
            write_table([*data_files(*DATA), million], Path(name))
