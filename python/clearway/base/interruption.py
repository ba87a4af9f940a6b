"""What is to happen when a signal ends Clearway: whatever was brought up is taken down first."""

from __future__ import annotations

import contextlib
import signal
import sys
from collections.abc import Callable, Iterator
from typing import NoReturn

INTERRUPTED = 130  # as a shell says of a program that SIGINT ended


def exit_as_told(signal_number: int) -> NoReturn:
    """With the code that a shell gives to a program that this signal ended."""
    sys.exit(128 + signal_number)


def interrupt(_signal_number: int) -> NoReturn:
    """As Ctrl-C does."""
    raise KeyboardInterrupt


@contextlib.contextmanager
def ended_by_signals(end: Callable[[int], NoReturn] = exit_as_told) -> Iterator[None]:
    """Whatever ends a run, what was brought up is taken down; a second Ctrl-C does not keep it from that."""
    ends = (signal.SIGINT, signal.SIGTERM, signal.SIGHUP)

    def leave(number: int, _frame: object) -> NoReturn:
        for each in ends:
            signal.signal(each, signal.SIG_IGN)
        end(number)

    before = {number: signal.signal(number, leave) for number in ends}
    try:
        yield
    finally:
        for number, handler in before.items():
            signal.signal(number, handler)
