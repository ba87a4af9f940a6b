"""What a job leaves to the next one, in the user's cache directory."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import pytest
from flow.conftest import RANKS, Flowing
from flow.test_choice import TITLE
from harness.mpis import Mpi, all_mpis, clearway_tool
from harness.runs import own_words

# Under MPICH the first jobs may take long to learn something.
MPIS = [pytest.param(each, marks=pytest.mark.slow if each.family == "mpich" else ()) for each in all_mpis()]
LOOP = ("alltoall", "3000", "3000")


def only_file(folder: Path) -> Path:
    [file] = folder.iterdir()
    return file


def learnt(flowing: Flowing, mpi: Mpi, folder: Path, **environment: str) -> tuple[Path, dict[str, Any]]:
    """The file that a job left in `folder`, and what the job's page says.

    A job leaves nothing before it has compared two ways. Calls that a busy machine held up make that look dear, so how
    many calls it takes is the machine's to say.
    """
    for calls in ("3000", "15000", "60000"):
        outcome, [row] = flowing(mpi, "alltoall", "3000", calls, **environment)
        assert outcome.exit_code == 0, outcome.says
        if folder.exists():
            return only_file(folder), row
    raise AssertionError(f"no job learnt anything; the last one: {row}")


@pytest.mark.parametrize("any_mpi", MPIS, indirect=True, ids=str)
def test_the_next_job_begins_where_this_one_ended(any_mpi: Mpi, flowing: Flowing, tmp_path: Path) -> None:
    memory = tmp_path / "not yet" / "there"
    file, row = learnt(flowing, any_mpi, memory, CLEARWAY_FLOW_MEMORY=str(memory))
    assert row["remembered"] == 0
    title, about, line = file.read_text().splitlines()
    assert title == TITLE
    assert about.startswith("# hosts ")
    words = line.split()
    assert words[:5] == ["alltoall", str(RANKS), str(RANKS), "3000", row["chosen"]]
    measured = {way["candidate"] for way in row["ways"] if way["time_s"]} - {row["chosen"]}
    assert {word.partition("=")[0] for word in words[5:]} == measured


def test_what_rank_0_remembers_all_ranks_follow(open_mpi: Mpi, flowing: Flowing, tmp_path: Path) -> None:
    """Nodes may see different files: only the one of rank 0 counts, and nobody waits for the others for ever."""
    memory = tmp_path / "0"
    name = learnt(flowing, open_mpi, memory, CLEARWAY_FLOW_MEMORY=str(memory))[0].name
    for rank, way in enumerate(("ordered+barrier", "bruck", "pairwise", "ordered")):
        folder = tmp_path / str(rank)
        folder.mkdir(exist_ok=True)
        (folder / name).write_text(f"{TITLE}\nalltoall {RANKS} {RANKS} 3000 {way} own=300 ordered=400\n")
    wrapper = tmp_path / "clearway-record"
    recorder = clearway_tool("clearway-record")
    variable = f"CLEARWAY_FLOW_MEMORY={tmp_path}/$OMPI_COMM_WORLD_RANK"
    wrapper.write_text(f'#!/bin/sh\n{variable} exec "{recorder}" "$@"\n')
    wrapper.chmod(0o755)
    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(
            "harness.runs.clearway_tool", lambda name: wrapper if name == wrapper.name else clearway_tool(name)
        )
        outcome, [row] = flowing(open_mpi, "alltoall", "3000", "8")
    assert outcome.exit_code == 0, outcome.says
    assert own_words(outcome.stderr) == []
    assert row["remembered"] == 1
    assert {way["candidate"]: way["calls"] for way in row["ways"]}["ordered+barrier"] >= 5


@pytest.mark.parametrize("text", ["", "no table", f"{TITLE}\nalltoall 4 4 3000 sorted\n", "\0" * 9000])
def test_a_broken_memory_is_as_good_as_none(open_mpi: Mpi, flowing: Flowing, tmp_path: Path, text: str) -> None:
    memory = tmp_path / "memory"
    file, _ = learnt(flowing, open_mpi, memory, CLEARWAY_FLOW_MEMORY=str(memory))
    file.write_text(text)
    for calls in ("3000", "15000", "60000"):
        outcome, [row] = flowing(open_mpi, "alltoall", "3000", calls, CLEARWAY_FLOW_MEMORY=str(memory))
        assert outcome.exit_code == 0, outcome.says
        assert own_words(outcome.stderr) == []
        assert row["remembered"] == 0
        if file.read_text() != text:
            break
    assert only_file(memory).read_text().startswith(TITLE)  # written anew


@pytest.mark.parametrize("place", ["off", "/dev/null/nowhere", "/proc/nowhere"])
def test_without_a_place_nothing_is_said(open_mpi: Mpi, flowing: Flowing, place: str) -> None:
    outcome, [row] = flowing(open_mpi, *LOOP, CLEARWAY_FLOW_MEMORY=place)
    assert outcome.exit_code == 0, outcome.says
    assert own_words(outcome.stderr) == []
    assert row["remembered"] == 0


def test_it_lies_in_the_cache_directory(open_mpi: Mpi, flowing: Flowing, tmp_path: Path) -> None:
    folder = tmp_path / "cache/clearway/flow"
    file, _ = learnt(flowing, open_mpi, folder, CLEARWAY_FLOW_MEMORY="", XDG_CACHE_HOME=str(tmp_path / "cache"))
    assert file.suffix == ".table"
