"""Runs a launcher's command to its end or to its time limit."""

from __future__ import annotations

import contextlib
import os
import signal
import subprocess
import tempfile
import time
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass

from clearway.testbed.outcome import TIMED_OUT

PATIENCE_S = 3  # between asking a launcher to end and making it


@dataclass(frozen=True, slots=True)
class Ended:
    returncode: int
    timed_out: bool
    stdout: str
    stderr: str
    wall_s: float


def run_job(
    command: Sequence[str],
    environment: Mapping[str, str],
    timeout_s: float | None,
    passes_output: bool,
    kill_rest: Callable[[], None],
) -> Ended:
    """Runs `command` in a process group of its own; `kill_rest` ends what it has started elsewhere.

    Output goes to where ours goes, or into the answer: by way of files, for a rank that outlives the launcher would
    keep a pipe open.
    """
    with contextlib.ExitStack() as stack:
        files = [stack.enter_context(tempfile.TemporaryFile("w+", errors="replace")) for _ in range(2)]
        stdout, stderr = (None, None) if passes_output else files
        begin = time.monotonic()
        job = subprocess.Popen(
            command,
            env=dict(environment),
            stdin=None if passes_output and not os.isatty(0) else subprocess.DEVNULL,
            stdout=stdout,
            stderr=stderr,
            start_new_session=True,
        )
        code, timed_out = TIMED_OUT, False
        try:
            code = job.wait(timeout_s)
        except subprocess.TimeoutExpired:
            timed_out = True
        finally:
            # Also after Ctrl-C.
            if job.poll() is None:
                end_group(job)
                kill_rest()
        wall_s = time.monotonic() - begin
        for file in files:
            file.seek(0)
        return Ended(128 - code if code < 0 else code, timed_out, files[0].read(), files[1].read(), wall_s)


def end_group(job: subprocess.Popen[bytes]) -> None:
    """Ends the process group that `job` leads: asked first, then made to."""
    for kind in (signal.SIGTERM, signal.SIGKILL):
        with contextlib.suppress(ProcessLookupError):
            os.killpg(job.pid, kind)
        with contextlib.suppress(subprocess.TimeoutExpired):
            job.wait(PATIENCE_S)
            return
