"""clearway-simulate: where it is, and what it says of one point."""

from __future__ import annotations

import json
import subprocess
from pathlib import Path
from typing import Any

from clearway.base.errors import ClearwayError

PROGRAM = "clearway-simulate"


def simulate(program: Path, arguments: list[str]) -> dict[str, Any]:
    """Raises ClearwayError with the program's own words where it refuses."""
    try:
        answer = subprocess.run([program, *arguments], capture_output=True, text=True, check=False)
    except OSError as error:
        raise ClearwayError(
            f"cannot run {program}: {error.strerror}", "install Clearway again: pip install ."
        ) from None
    if answer.returncode != 0:
        said = answer.stderr.removeprefix("error: ").partition("\n")[0]
        raise ClearwayError(said or f"{PROGRAM} ended with exit code {answer.returncode}", hint_for(said))
    outcome: dict[str, Any] = json.loads(answer.stdout)
    return outcome


def hint_for(said: str) -> str:
    if "hangs" in said:
        return (
            "a larger --eager helps where the MPI sends such messages before they are received; collective calls that "
            "several threads make at once cannot be replayed (clearway docs predict)"
        )
    return "clearway schedule list" if "algorithm" in said or "cannot do" in said else "clearway predict --help"
