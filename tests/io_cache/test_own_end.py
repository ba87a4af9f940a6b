"""A program that ends itself by a signal leaves all that its threads wrote, also what they wrote while it ended."""

from __future__ import annotations

import struct
from collections.abc import Callable
from pathlib import Path

import pytest
from harness.programs import ProgramBuilder
from harness.runs import Outcome

from clearway.run import load

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


def test_a_signal_that_is_waited_for(programs: ProgramBuilder, cached: Cached, tmp_path: Path) -> None:
    """It ends nobody: what is written afterwards is the cache's, too."""
    program = programs.build_plain("io_ends", "io_ends.c")
    outcome = cached(program, tmp_path / "scratch" / "file", "waits", 1 << 20, own=True)
    assert outcome.exit_code == 0, outcome.says
    assert [int(cell["written_bytes"]) for cell in load(tmp_path / "run").io_cache.data] == [(1 << 20) + len("end")]
