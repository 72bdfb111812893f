"""Work in a process of its own: its peak of memory, and how soon it answers Ctrl-C."""

import ast
import subprocess
import sys
import textwrap

PREAMBLE = """
import signal, sys, threading, time
import numpy as np
import dagwright as dw

def status(key):
    with open("/proc/self/status") as lines:
        return next(int(line.split()[1]) / 1024 for line in lines if line.startswith(key + ":"))

def begin():
    '''Forget the peak of memory so far; return what is in use, in MiB.'''
    with open("/proc/self/clear_refs", "w") as file:
        file.write("5")
    return status("VmRSS")

def grown(before):
    '''The peak of memory since begin(), in MiB beyond what was in use then.'''
    return status("VmHWM") - before

def ctrl_c(after, work):
    '''Seconds from Ctrl-C, sent so long after the start, to its answer; None if done before.'''
    sent = []
    def send():
        sent.append(time.monotonic())
        signal.raise_signal(signal.SIGINT)
    timer = threading.Timer(after, send)
    timer.start()
    try:
        work()
    except KeyboardInterrupt:
        return time.monotonic() - sent[0]
    if not sent:
        timer.cancel()
        return None
    raise AssertionError("Ctrl-C was not seen")
"""


def in_child(script, *args, timeout=600):
    """Run a script that prints its answer on one line; return that as a Python value."""
    code = PREAMBLE + textwrap.dedent(script)
    done = subprocess.run(
        [sys.executable, "-c", code, *map(str, args)],
        capture_output=True,
        text=True,
        check=False,
        timeout=timeout,
    )
    assert done.returncode == 0, done.stderr
    return ast.literal_eval(done.stdout)


def command_line(*args, timeout=120):
    """Run the command line; return its exit code, stdout and stderr."""
    code = "from dagwright.cli.main import main; main()"
    done = subprocess.run(
        [sys.executable, "-c", code, *map(str, args)],
        capture_output=True,
        text=True,
        check=False,
        timeout=timeout,
    )
    assert "Traceback" not in done.stderr
    return done.returncode, done.stdout, done.stderr
