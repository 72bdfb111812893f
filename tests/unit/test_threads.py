"""Threads: errors reach the caller, forked processes do not wait for them, and none is needed."""

import os
import resource
import subprocess
import sys
import textwrap
import threading
import time

import numpy as np
import pytest

import dagwright as dw
from dagwright import _core

COMMON = """
import os, signal, sys, time
import numpy as np
import dagwright as dw
from dagwright import _core

def table():
    return dw.Table.from_codes(np.random.default_rng(0).integers(0, 3, (2000, 30)))

def learn(threads=2):
    return dw.learn(table(), threads=threads).dag.edges

def child_says(work):
    '''Fork; return the exit code of the child, which is killed when it hangs.'''
    process = os.fork()
    if process == 0:
        code = 1
        try:
            signal.alarm(20)
            work()
            code = 0
        finally:
            os._exit(code)
    return os.waitstatus_to_exitcode(os.waitpid(process, 0)[1])
"""


def run(script, tmp_path, **options):
    path = tmp_path / "script.py"
    path.write_text(COMMON + textwrap.dedent(script))
    done = subprocess.run(
        [sys.executable, path], capture_output=True, text=True, timeout=120, check=False, **options
    )
    assert done.returncode == 0, done.stderr
    return done.stdout.split()


@pytest.fixture(scope="module")
def scorer():
    codes = np.random.default_rng(0).integers(0, 3, (500, 12))
    return dw.Scorer(dw.Table.from_codes(codes), FailsFor("x3", "x7", "x9"))


class FailsFor:
    """A score that cannot score some children, each in its own words."""

    def __init__(self, *children):
        self.children = children

    def local(self, family):
        time.sleep(0.002 if family.child == "x3" else 0)
        if family.child in self.children:
            raise LookupError(f"no score for {family.child}")
        return 0.0


@pytest.mark.parametrize("threads", [1, 2, 3, 16])
def test_the_first_error_in_the_order_of_the_families_comes_out(scorer, threads):
    for _ in range(10):
        with pytest.raises(LookupError, match="no score for x3"):
            scorer.batch([(name, []) for name in scorer.names], threads=threads)
        with pytest.raises(LookupError, match="no score for x9"):
            scorer.batch([(name, []) for name in ["x1", "x2", "x9", "x3"]], threads=threads)


def test_a_run_goes_on_after_an_error(scorer):
    run = _core.Run(4)
    number = scorer.source.number()
    good = [(number[name], []) for name in ("x1", "x2", "x4")]
    for _ in range(50):
        with pytest.raises(LookupError):
            scorer.native.local(
                _core.Families([(number[name], []) for name in ("x1", "x3", "x2")]), run
            )
        assert list(scorer.native.local(_core.Families(good), run)) == [0.0] * 3


def test_the_caller_polls_while_the_others_work():
    """One long family among short ones: who is done looks at the clock for those who are not."""
    rng = np.random.default_rng(0)
    rows = [rng.integers(0, 200, 2_000_000, dtype=np.uint8) for _ in range(4)]
    scorer = dw.Scorer(
        dw.Table.from_codes([*rows, rows[0] % 2], states=[range(200)] * 4 + [(0, 1)])
    )
    long, short = (0, [1, 2, 3]), (scorer.source.number()["x5"], [])
    for families in [[short, long], [long, short]]:  # whoever takes the long one
        times = []
        native = _core.Run(2, float("inf"), lambda progress, times=times: times.append(time.time()))
        begun = time.time()
        dw.Scorer(scorer.data).native.local(_core.Families(families), native)
        seconds = time.time() - begun
        assert len(times) >= 2
        assert max(np.diff([begun, *times])) < max(0.3, seconds / 2)


def test_runs_in_many_threads_at_once():
    table = dw.Table.from_codes(np.random.default_rng(0).integers(0, 3, (500, 12)))
    expected = dw.learn(table, threads=1).dag
    found = []
    workers = [
        threading.Thread(target=lambda: found.append(dw.learn(table, threads=3).dag))
        for _ in range(8)
    ]
    for worker in workers:
        worker.start()
    for worker in workers:
        worker.join()
    assert found == [expected] * 8


@pytest.mark.skipif(not sys.platform.startswith("linux"), reason="looks into /proc")
def test_the_threads_of_a_run_are_used_by_the_next(tmp_path):
    script = """
    def tasks():
        return set(os.listdir("/proc/self/task"))

    learn(1)
    alone = tasks()
    expected = learn(3)
    kept = tasks()
    for _ in range(20):
        assert learn(3) == expected
    assert tasks() == kept, "others were started"

    def more_than_alone(expected):  # threads that have ended are listed for a moment longer
        for _ in range(1000):
            if len(tasks() - alone) == expected:
                break
            time.sleep(0.001)
        return len(tasks() - alone)

    print(len(kept - alone))
    learn(5)
    print(more_than_alone(4))  # of threads that nobody uses, only those of the last run stay
    child_says(lambda: None)
    print(more_than_alone(0))  # Python warns of forks where others are going on
    assert learn(3) == expected
    """
    environment = {**os.environ, "OPENBLAS_NUM_THREADS": "1"}
    assert run(script, tmp_path, env=environment) == ["2", "4", "0"]


needs_fork = pytest.mark.skipif(not hasattr(os, "fork"), reason="no fork")


@needs_fork
def test_a_forked_process_learns_the_same(tmp_path):
    script = """
    expected = learn()
    def work():
        assert learn(2) == expected
        assert learn(1) == expected
        assert child_says(lambda: learn(2)) == 0  # and a child of its own
    print(child_says(work))
    """
    assert run(script, tmp_path) == ["0"]


@needs_fork
@pytest.mark.parametrize("threads", [1, 4])
def test_a_forked_process_can_use_and_end_the_run_of_its_parent(tmp_path, threads):
    """None of the run's threads is there: waiting for them would not end."""
    script = f"""
    scorer = dw.Scorer(table())
    families = _core.Families([(i, [(i + 1) % 30]) for i in range(30)])
    run = _core.Run({threads})
    expected = list(scorer.native.local(families, run))
    def work():
        global run
        assert list(dw.Scorer(table()).native.local(families, run)) == expected
        del run
    print(*[child_says(work) for _ in range(20)])
    assert list(dw.Scorer(table()).native.local(families, run)) == expected
    """
    assert run(script, tmp_path) == ["0"] * 20


@needs_fork
@pytest.mark.parametrize(
    "search",
    ["Tabu(patience=5000)", "HillClimb(restarts=8)"],
    ids=["one walk", "walks side by side"],
)
def test_a_process_forked_inside_a_run_goes_on_alone_or_is_told_to_start_its_own(tmp_path, search):
    """Work that another thread had taken is lost to the child, which must not go on without it."""
    script = f"""
    climb = dw.{search}
    rng = np.random.default_rng(0)
    table = dw.Table.from_codes(rng.integers(0, 4, (20_000, 100), dtype=np.uint8))
    expected = dw.learn(table, search=climb).dag
    parent = os.getpid()
    children = []

    def fork(progress):
        if os.getpid() == parent and len(children) < 5:
            child = os.fork()
            children.append(child)
            if child == 0:
                signal.alarm(30)

    try:
        dag = dw.learn(table, callback=fork, threads=2, search=climb).dag
        code = 10 if dag == expected else 1
    except RuntimeError as error:
        code = 11 if "forked inside a run" in str(error) else 2
    if os.getpid() != parent:
        os._exit(code)
    assert children
    codes = set(os.waitstatus_to_exitcode(os.waitpid(child, 0)[1]) for child in children)
    print(code, codes <= set([10, 11]), codes)
    """
    code, as_wanted, *codes = run(script, tmp_path)
    assert (code, as_wanted) == ("10", "True"), codes


@pytest.mark.parametrize("method", ["fork", "spawn", "forkserver"])
def test_multiprocessing(tmp_path, method):
    import multiprocessing

    if method not in multiprocessing.get_all_start_methods():
        pytest.skip("not on this system")
    script = f"""
    import multiprocessing
    if __name__ == "__main__":
        expected = learn()
        with multiprocessing.get_context({method!r}).Pool(2) as pool:
            assert pool.map(learn, [1, 2, 3]) == [expected] * 3
        print("same")
    """
    assert run(script, tmp_path) == ["same"]


@pytest.mark.skipif(not sys.platform.startswith("linux"), reason="limits of Linux")
def test_without_any_thread_the_caller_does_the_work(tmp_path):
    """The size of a thread's stack is set beyond all memory, so that no thread starts."""

    def no_threads():
        resource.setrlimit(resource.RLIMIT_STACK, (1 << 47, resource.RLIM_INFINITY))

    script = """
    import threading
    try:
        threading.Thread(target=print).start()
    except RuntimeError:
        print("none", len(os.listdir("/proc/self/task")))
    print(hash(learn(threads=1)) == hash(learn(threads=8)))
    """
    environment = {**os.environ, "OPENBLAS_NUM_THREADS": "1", "PYTHONHASHSEED": "0"}
    if resource.getrlimit(resource.RLIMIT_STACK)[1] != resource.RLIM_INFINITY:
        pytest.skip("the stack has a hard limit")
    out = run(script, tmp_path, preexec_fn=no_threads, env=environment)
    assert out == ["none", "1", "True"]
