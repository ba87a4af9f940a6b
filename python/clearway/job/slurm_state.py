"""What Slurm itself says of a job that has ended: asked for by `scontrol`, and where it has forgotten, by `sacct`."""

from __future__ import annotations

import re
import subprocess
from collections.abc import Sequence

from clearway.base.errors import ClearwayError
from clearway.job.batch import BatchJob

PATIENCE_S = 30


def slurm_state(job: BatchJob | None) -> str:
    """ "TIMEOUT", "NODE_FAIL" … of this start of the job; empty where it was started again since.

    Raises ClearwayError where it is no job of Slurm's, or Slurm does not know it.
    """
    if job is None or job.system != "Slurm":
        raise ClearwayError("this Run does not belong to a Slurm job", "leave out --ask-slurm")
    told = asked(["scontrol", "show", "job", "--oneliner", job.id])
    state = re.search(r"\bJobState=([A-Z_]+)", told)
    if state is not None:
        restarts = re.search(r"\bRestarts=(\d+)", told)
        return state[1] if int(restarts[1] if restarts else 0) == (job.restarts or 0) else ""
    # The newest start is told last. "CANCELLED by 1000"
    lines = asked(["sacct", "-n", "-X", "-P", "-o", "State", "-j", job.id]).split("\n")
    states = [line.split()[0] for line in lines if re.fullmatch(r"[A-Z_]+( by \d+)?", line.strip())]
    if not states:
        raise ClearwayError(f"Slurm does not know job {job.id} any more", "leave out --ask-slurm")
    return states[-1]


def asked(command: Sequence[str]) -> str:
    """Nothing where it cannot be asked: the one or the other may be missing here."""
    try:
        answer = subprocess.run(
            command, capture_output=True, text=True, errors="replace", timeout=PATIENCE_S, stdin=subprocess.DEVNULL
        )
    except (OSError, subprocess.TimeoutExpired):
        return ""
    return answer.stdout if answer.returncode == 0 else ""
