"""clearway-simulate: where it is, and what it says of one point."""

from __future__ import annotations

import json
import subprocess
import threading
from pathlib import Path
from typing import Any

from clearway.base.errors import ClearwayError

PROGRAM = "clearway-simulate"


class Simulations:
    """Those that run at the same time, each asked by a thread of its own."""

    def __init__(self) -> None:
        self._running: set[subprocess.Popen[str]] = set()
        self._over = False
        self._lock = threading.Lock()

    def simulate(self, program: Path, arguments: list[str]) -> dict[str, Any]:
        """Raises ClearwayError with the program's own words where it refuses."""
        try:
            with self._lock:
                asked = subprocess.Popen(
                    [program, *arguments],
                    stdin=subprocess.DEVNULL,
                    stdout=subprocess.PIPE,
                    stderr=subprocess.PIPE,
                    text=True,
                )
                self._running.add(asked)
                if self._over:
                    asked.kill()
        except OSError as error:
            raise ClearwayError(
                f"cannot run {program}: {error.strerror}", "install Clearway again: pip install ."
            ) from None
        with asked:
            answer, complaint = asked.communicate()
        with self._lock:
            self._running.discard(asked)
        if asked.returncode != 0:
            said = complaint.removeprefix("error: ").partition("\n")[0]
            raise ClearwayError(said or f"{PROGRAM} ended with exit code {asked.returncode}", hint_for(said))
        outcome: dict[str, Any] = json.loads(answer)
        return outcome

    def end(self) -> None:
        """All of them, and what a thread is about to start: they leave nothing that is wanted."""
        with self._lock:
            self._over = True
            for each in self._running:
                each.kill()


def hint_for(said: str) -> str:
    if "hangs" in said:
        return (
            "a larger --eager helps where the MPI sends such messages before they are received; collective calls that "
            "several threads make at once cannot be replayed (clearway docs predict)"
        )
    return "clearway schedule list" if "algorithm" in said or "cannot do" in said else "clearway predict --help"
