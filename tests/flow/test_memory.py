"""What a job leaves to the next one, in the user's cache directory."""

from __future__ import annotations

from pathlib import Path

import pytest
from flow.conftest import RANKS, Flowing
from flow.test_choice import TITLE
from harness.mpis import Mpi, clearway_tool
from harness.runs import own_words

# Calls enough to pay for a look at other ways, even if a look meets a machine that is busy for some milliseconds.
LOOP = ("alltoall", "3000", "3000")


def only_file(folder: Path) -> Path:
    [file] = folder.iterdir()
    return file


def test_the_next_job_begins_where_this_one_ended(any_mpi: Mpi, flowing: Flowing, tmp_path: Path) -> None:
    memory = tmp_path / "not yet" / "there"
    outcome, [row] = flowing(any_mpi, *LOOP, CLEARWAY_FLOW_MEMORY=str(memory))
    assert outcome.exit_code == 0, outcome.says
    assert row["remembered"] == 0
    title, about, line = only_file(memory).read_text().splitlines()
    assert title == TITLE
    assert about.startswith("# hosts ")
    words = line.split()
    assert words[:5] == ["alltoall", str(RANKS), str(RANKS), "3000", row["chosen"]]
    measured = {way["candidate"] for way in row["ways"] if way["time_s"]} - {row["chosen"]}
    assert {word.partition("=")[0] for word in words[5:]} == measured


def test_what_rank_0_remembers_all_ranks_follow(open_mpi: Mpi, flowing: Flowing, tmp_path: Path) -> None:
    """Nodes may see different files: only the one of rank 0 counts, and nobody waits for the others for ever."""
    memory = tmp_path / "0"
    flowing(open_mpi, *LOOP, CLEARWAY_FLOW_MEMORY=str(memory))
    name = only_file(memory).name
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
def test_a_broken_memory_is_as_good_as_none(
    open_mpi: Mpi, flowing: Flowing, run_directory: Path, tmp_path: Path, text: str
) -> None:
    memory = tmp_path / "memory"
    flowing(open_mpi, *LOOP, CLEARWAY_FLOW_MEMORY=str(memory))
    file = only_file(memory)
    file.write_text(text)
    run_directory.rename(tmp_path / "first")
    outcome, [row] = flowing(open_mpi, *LOOP, CLEARWAY_FLOW_MEMORY=str(memory))
    assert outcome.exit_code == 0, outcome.says
    assert own_words(outcome.stderr) == []
    assert row["remembered"] == 0
    assert only_file(memory).read_text().startswith(TITLE)  # written anew


@pytest.mark.parametrize("place", ["off", "/dev/null/nowhere", "/proc/nowhere"])
def test_without_a_place_nothing_is_said(open_mpi: Mpi, flowing: Flowing, place: str) -> None:
    outcome, [row] = flowing(open_mpi, *LOOP, CLEARWAY_FLOW_MEMORY=place)
    assert outcome.exit_code == 0, outcome.says
    assert own_words(outcome.stderr) == []
    assert row["remembered"] == 0


def test_it_lies_in_the_cache_directory(open_mpi: Mpi, flowing: Flowing, tmp_path: Path) -> None:
    flowing(open_mpi, *LOOP, CLEARWAY_FLOW_MEMORY="", XDG_CACHE_HOME=str(tmp_path / "cache"))
    assert only_file(tmp_path / "cache/clearway/flow").suffix == ".table"
