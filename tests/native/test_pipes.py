"""Who is at the other end of a pipe that a rank waits for: the program that it started, not the shell in between."""

from __future__ import annotations

import sys

import pytest

from clearway.run.layout import Activity, text

WRITES = """
import signal, subprocess
signal.signal(signal.SIGPIPE, signal.SIG_DFL)
child = subprocess.Popen({command!r}, shell={shell}, stdin=subprocess.PIPE)
child.stdin.write(b"x" * (1 << 20))
"""


@pytest.mark.parametrize("command", [["sleep", "1.5"], "sleep 1.5 > /dev/null; true"], ids=["itself", "by a shell"])
def test_the_reader_of_a_full_pipe_is_named(command: list[str] | str, record) -> None:  # type: ignore[no-untyped-def]
    found = record(sys.executable, "-c", WRITES.format(command=command, shell=isinstance(command, str)))
    rows = [row for row in found.run.activities.data if row["activity"] == Activity.FULL_PIPE]
    assert "sleep" in {text(row["object"]) for row in rows}
