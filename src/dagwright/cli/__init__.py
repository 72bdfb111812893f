"""The command line."""

import os
import signal
from collections.abc import Iterator
from contextlib import contextmanager

__all__ = ["leaving_at_once", "start"]


def start() -> None:
    """Run the command ``dagwright``."""
    with leaving_at_once():
        from dagwright.cli.main import main
    main()


@contextmanager
def leaving_at_once() -> Iterator[None]:
    """Let Ctrl-C end the process without a word while modules are being loaded.

    A KeyboardInterrupt would show where, and abort the process from within a native module.
    """
    if signal.getsignal(signal.SIGINT) is not signal.default_int_handler:  # such as: ignored
        yield
        return
    signal.signal(signal.SIGINT, lambda *_: os._exit(130))
    try:
        yield
    finally:
        signal.signal(signal.SIGINT, signal.default_int_handler)
