"""The hosts that a launcher reaches, each asked what it is."""

from __future__ import annotations

import subprocess
import sys
from collections.abc import Mapping, Sequence

from clearway.base.errors import ClearwayError
from clearway.cluster.describe_host import clusters_in
from clearway.cluster.model import Cluster
from clearway.cluster.this_machine import put_together, this_machine

ANSWER_LIMIT_S = 120


def discover(launcher: Sequence[str], environment: Mapping[str, str]) -> Cluster:
    """Runs a program of ours under `launcher`; without one, looks at this machine. Raises ClearwayError."""
    if not launcher:
        return put_together([this_machine()])
    command = [*launcher, sys.executable, "-m", "clearway.cluster.describe_host"]
    try:
        answer = subprocess.run(
            command,
            stdin=subprocess.DEVNULL,
            capture_output=True,
            text=True,
            errors="replace",
            env=dict(environment),
            timeout=ANSWER_LIMIT_S,
            check=False,
        )
    except OSError as error:
        raise ClearwayError(f"cannot run '{launcher[0]}': {error.strerror}") from None
    except subprocess.TimeoutExpired:
        raise ClearwayError(
            f"'{' '.join(launcher)}' did not end within {ANSWER_LIMIT_S} s", "try it with `hostname`"
        ) from None
    found = list(clusters_in(answer.stdout))
    if answer.returncode != 0 or not found:
        said = "\n".join((answer.stderr or answer.stdout).strip().splitlines()[-5:])
        raise ClearwayError(
            f"'{' '.join(launcher)}' ended with {answer.returncode}, {len(found)} hosts answered: {said}",
            f"{' '.join(launcher)} hostname",
        )
    return put_together(found)
