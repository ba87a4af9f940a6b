"""Runs clearway-bench under a launcher and reads its lines as they come."""

from __future__ import annotations

import subprocess
import sys
from collections.abc import Callable, Mapping, Sequence

from clearway.base.errors import ClearwayError
from clearway.bench.figures import RawPoint
from clearway.bench.printed import Printed

PATIENCE_S = 20  # after the last line; some MPIs hang when they end

Watch = Callable[[Printed, RawPoint | None], None]


def run_job(command: Sequence[str], environment: Mapping[str, str], watch: Watch) -> Printed:
    """Runs `command` to its end; `watch` is told of each point. Other lines of the job go to stderr.

    Raises ClearwayError where it ended before all was measured.
    """
    try:
        job = subprocess.Popen(
            command,
            env=dict(environment),
            stdin=subprocess.DEVNULL,
            stdout=subprocess.PIPE,
            text=True,
            errors="replace",
        )
    except OSError as error:
        raise ClearwayError(
            f"cannot run '{command[0]}': {error.strerror}", "is it spelled right, and its module loaded?"
        ) from None
    printed = Printed()
    try:
        assert job.stdout is not None
        for line in job.stdout:
            if printed.take(line):
                watch(printed, printed.points[-1] if printed.points else None)
            else:
                print(line, end="", file=sys.stderr)
            if printed.ended:
                break
        code = end_of(job, printed.ended)
    except KeyboardInterrupt:
        end_of(job, ended=True)  # the terminal has told the launcher as well
        raise
    if not printed.ended:
        raise ClearwayError(
            f"{' '.join(command[:3])} … ended with exit code {code} before everything was measured",
            "see the job's own messages above; a shorter --sizes or a smaller --budget-s may help",
        )
    return printed


def end_of(job: subprocess.Popen[str], ended: bool) -> int:
    """Waits for the launcher; one that has told everything and does not end is ended."""
    try:
        return job.wait(PATIENCE_S if ended else None)
    except subprocess.TimeoutExpired:
        job.terminate()
        try:
            return job.wait(PATIENCE_S)
        except subprocess.TimeoutExpired:
            job.kill()
            return job.wait()
