"""`clearway` commands in this process: to start a Python for each takes longer than most of them."""

from __future__ import annotations

import contextlib
import io
import time
from collections.abc import Mapping
from pathlib import Path

import pytest

from clearway.commands import main
from harness.outcome import Outcome


def run_clearway(
    *words: str | Path | int, environment: Mapping[str, str] | None = None, directory: Path | None = None
) -> Outcome:
    """`clearway WORDS`, for commands whose own words are all that they print: no job of theirs writes here."""
    stdout, stderr = io.StringIO(), io.StringIO()
    begin = time.monotonic()
    with pytest.MonkeyPatch.context() as patch, contextlib.redirect_stdout(stdout), contextlib.redirect_stderr(stderr):
        for name, value in (environment or {}).items():
            patch.setenv(name, value)
        if directory is not None:
            patch.chdir(directory)
        try:
            code = main([str(word) for word in words])
        except SystemExit as end:  # argparse has shown the help
            code = int(end.code or 0)
    return Outcome(stdout.getvalue(), stderr.getvalue(), code, time.monotonic() - begin)
