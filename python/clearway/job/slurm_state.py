"""What Slurm itself says of a job that has ended: asked for by `scontrol`, and where it has forgotten, by `sacct`."""

from __future__ import annotations

import re
import subprocess
from collections.abc import Sequence

from clearway.base.errors import ClearwayError
from clearway.job.batch import BatchJob

PATIENCE_S = 30
BY_SIGNAL = 128  # shells add it to the signal's number


def slurm_state(job: BatchJob | None) -> str:
    """ "TIMEOUT", "NODE_FAIL", "FAILED 15" (by that signal) … of this start of the job; empty where Slurm does not tell
    of this one. "REQUEUED" where it was started again since, and no accounting says why.

    Raises ClearwayError where it is no job of Slurm's, or Slurm does not know it.
    """
    if job is None or job.system != "Slurm":
        raise ClearwayError("this Run does not belong to a Slurm job", "leave out --ask-slurm")
    told = asked(["scontrol", "show", "job", "--oneliner", job.id])
    state = re.search(r"\bJobState=([A-Z_]+)", told)
    start = job.restarts or 0
    if state is not None:
        restarts, code = re.search(r"\bRestarts=(\d+)", told), re.search(r"\bExitCode=(\d+:\d+)", told)
        again = int(restarts[1] if restarts else 0) - start
        if again == 0:
            return _with_signal(state[1], code[1] if code else "")
    starts = _accounted(job.id)
    if not starts and state is not None and again > 0:
        return "REQUEUED"
    if not starts and state is None:
        raise ClearwayError(f"Slurm does not know job {job.id} any more", "leave out --ask-slurm")
    return starts[start] if start < len(starts) else ""


def _accounted(number: str) -> list[str]:
    """The state of each start of the job, the first one first. "CANCELLED by 1000|0:15" """
    lines = asked(["sacct", "--duplicates", "-n", "-X", "-P", "-o", "State,ExitCode", "-j", number]).splitlines()
    found = [re.fullmatch(r"([A-Z_]+)(?: by \d+)?(?:\|(\d+:\d+))?", line.strip()) for line in lines]
    return [_with_signal(each[1], each[2] or "") for each in found if each is not None]


def _with_signal(state: str, code: str) -> str:
    """ "138:0" and "0:10" of a job that failed: the one as shells have it, the other the signal itself."""
    exit_code, _, number = code.partition(":")
    told = int(number or 0) or max(int(exit_code or 0) - BY_SIGNAL, 0)
    return f"{state} {told}" if state == "FAILED" and told else state


def asked(command: Sequence[str]) -> str:
    """Nothing where it cannot be asked: the one or the other may be missing here."""
    try:
        answer = subprocess.run(
            command, capture_output=True, text=True, errors="replace", timeout=PATIENCE_S, stdin=subprocess.DEVNULL
        )
    except (OSError, subprocess.TimeoutExpired):
        return ""
    return answer.stdout if answer.returncode == 0 else ""
