"""Where the program `clearway` begins: Ctrl-C ends it quietly from its first line on, while it still imports the rest.

Before that line Python itself starts, and shows a traceback: nothing of ours runs then.
"""

from __future__ import annotations

import os
import signal
from typing import NoReturn

INTERRUPTED = 130  # as base/interruption.py has it, whose import would take as long as this one is there for


def main() -> int:
    """For the command line alone: `clearway.commands.main` changes no handler."""
    is_ours = signal.getsignal(signal.SIGINT) is signal.default_int_handler  # not with `nohup`, nor in the background
    if is_ours:
        signal.signal(signal.SIGINT, _leave)
    from clearway.commands import main as run

    if is_ours:
        signal.signal(signal.SIGINT, signal.default_int_handler)
    return run()


def _leave(_number: int, _frame: object) -> NoReturn:
    """There is nothing to undo yet, and an exception would come up in the middle of somebody's import."""
    os._exit(INTERRUPTED)
