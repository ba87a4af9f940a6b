"""Runs one command of a change. No shell: its words are what was shown."""

from __future__ import annotations

import contextlib
import signal
import subprocess
from collections.abc import Iterator

from clearway.base.errors import ClearwayError
from clearway.cluster.hosts.reader import complaint, find_tool
from clearway.cluster.hosts.settings.model import Command

TIMEOUT_S = 60
ENDS = {signal.SIGINT, signal.SIGTERM, signal.SIGHUP}


def run_command(command: Command) -> str:
    """What the tool complains of though it succeeds. Raises ClearwayError with its own words where it fails."""
    try:
        result = subprocess.run(
            [find_tool(command[0]), *command[1:]],
            stdin=subprocess.DEVNULL,
            capture_output=True,
            text=True,
            errors="replace",
            timeout=TIMEOUT_S,
            check=False,
        )
    except (OSError, subprocess.TimeoutExpired) as error:
        raise ClearwayError(f"cannot run {' '.join(command)}: {error}") from None
    if result.returncode != 0:
        raise ClearwayError(f"{' '.join(command)}: {complaint(result.stderr or result.stdout, result.returncode)}")
    return complaint(result.stderr, 0) if result.stderr.strip() else ""


@contextlib.contextmanager
def undivided() -> Iterator[None]:
    """Ctrl-C waits for the end of the block: commands are not cut in half, nor is the way back."""
    before = signal.pthread_sigmask(signal.SIG_BLOCK, ENDS)
    try:
        yield
    finally:
        signal.pthread_sigmask(signal.SIG_SETMASK, before)
