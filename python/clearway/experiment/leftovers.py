"""What a run that we ended has left behind: processes that left its process group (setsid, a daemon), and run on.

They are known by a variable of the environment that every child inherits, with a number of this run alone. A program
that was started without its parent's environment is not found, nor one on another host: their launchers end those. What
a run that ended by itself leaves is its own affair, and so are jobs that it submitted to Slurm.
"""

from __future__ import annotations

import contextlib
import os
import signal
import time
from collections.abc import Iterator
from pathlib import Path

from clearway.base.whole import is_whole
from clearway.testbed.job import PATIENCE_S

MARK = "CLEARWAY_ATTEMPT"
LOOK_S = 0.05


def end_leftovers(token: str, patience_s: float = PATIENCE_S) -> None:
    """Asks them first, and makes them a little later."""
    left = [*_marked(token)]
    for kind in (signal.SIGTERM, signal.SIGKILL):
        for process in left:
            _send(process, token, kind)
        end = time.monotonic() + patience_s
        while (left := [*_marked(token)]) and time.monotonic() < end:
            time.sleep(LOOK_S)
        if not left:
            return


def _marked(token: str) -> Iterator[int]:
    for folder in Path("/proc").iterdir():
        if is_whole(folder.name) and int(folder.name) != os.getpid() and _is_marked(int(folder.name), token):
            yield int(folder.name)


def _is_marked(process: int, token: str) -> bool:
    """Others' environments cannot be read; that of a zombie is empty."""
    try:
        variables = Path(f"/proc/{process}/environ").read_bytes().split(b"\0")
    except OSError:
        return False
    job = next((each for each in variables if each.startswith(b"SLURM_JOB_ID=")), b"")
    ours = os.environ.get("SLURM_JOB_ID")
    return f"{MARK}={token}".encode() in variables and job in (b"", f"SLURM_JOB_ID={ours}".encode())


def _send(process: int, token: str, kind: signal.Signals) -> None:
    """To this very process: its number may have become another's since it was found."""
    with contextlib.suppress(OSError):
        held = _held(process)
        try:
            if not _is_marked(process, token):
                return
            if held is None:
                os.kill(process, kind)
            else:
                signal.pidfd_send_signal(held, kind)
        finally:
            if held is not None:
                os.close(held)


def _held(process: int) -> int | None:
    """None where the kernel, or this Python, is older than that (Linux 5.3): numbers do not come again so soon."""
    try:
        return os.pidfd_open(process)
    except ProcessLookupError:
        raise
    except (OSError, AttributeError):
        return None
