"""A program that ends itself by a signal leaves all that its threads wrote, also what they wrote while it ended."""

from __future__ import annotations

import signal
import struct
from collections.abc import Callable
from pathlib import Path

import pytest
from harness.programs import ProgramBuilder
from harness.runs import Outcome

Cached = Callable[..., Outcome]


@pytest.mark.parametrize("own", [False, True], ids=["shared", "own"])
@pytest.mark.parametrize("end", ["abort", "raise", "kill", "again", "fault"])
def test_another_thread_writes(programs: ProgramBuilder, cached: Cached, tmp_path: Path, end: str, own: bool) -> None:
    program = programs.build_plain("io_ends_beside", "io_ends_beside.c")
    log = tmp_path / "log"
    log.write_bytes(bytes(8))
    outcome = cached(program, tmp_path / "scratch", log, end, own=own)
    assert outcome.exit_code < 0, outcome.says
    (count,) = struct.unpack("q", log.read_bytes())
    numbers = (tmp_path / "scratch" / "numbers").read_bytes()
    assert count > 0
    assert numbers[: 8 * count] == struct.pack(f"{count}q", *range(count)), "what write had returned from is not there"


@pytest.mark.parametrize("own", [False, True], ids=["shared", "own"])
def test_a_signal_that_is_blocked(programs: ProgramBuilder, cached: Cached, tmp_path: Path, own: bool) -> None:
    """It ends the program later."""
    program = programs.build_plain("io_ends", "io_ends.c")
    outcome = cached(program, tmp_path / "scratch" / "file", "unblocks", 1 << 20, own=own)
    assert outcome.exit_code == -signal.SIGTERM, outcome.says
    assert (tmp_path / "scratch" / "file").read_bytes()[1 << 20 :] == b"end"
