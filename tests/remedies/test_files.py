"""Scratch files, and the MPI's own."""

from __future__ import annotations

from dataclasses import replace
from pathlib import Path

import pytest
from remedies.made_cases import INTEL, MPICH, OPEN_MPI, OPEN_MPI_5, made_case, offer

from clearway.diagnosis.diagnose import with_remedies
from clearway.diagnosis.finding import Finding
from clearway.job.change import Change
from clearway.page.model import File

ROOM = {"shm.size_bytes": str(8 << 30)}
SCRATCH = File("/nfs/home/water.aoints.0", 1, 8.0, 4000, 600_000_000, 400_000_000, 0, 1.0, 1.5, 0, deleted=True)
RESULT = File("/nfs/home/water.out", 1, 2.0, 100, 0, 10_000, 0, 1.0, None, 0, deleted=False)


def test_scratch_goes_where_the_program_is_told(tmp_path: Path) -> None:
    # 1 GB of scratch takes 8 of the 10 s in files; in memory, 1 s.
    case = made_case(tmp_path, command_line="nwchem water.nw", host=ROOM, files=(SCRATCH, RESULT))
    found = offer("local-scratch", case, "file-wait")
    assert found is not None
    assert found.change == Change(environment=(("SCRATCH_DIR", "/dev/shm"),))
    assert found.gain == pytest.approx(0.7)


@pytest.mark.parametrize(
    ("host", "file"),
    [
        ({"shm.size_bytes": str(64 << 20)}, SCRATCH),  # no room
        (ROOM, replace(SCRATCH, deleted=False)),  # no scratch
        (ROOM, replace(SCRATCH, path="/dev/shm/water.aoints.0")),  # there already
        (ROOM, replace(SCRATCH, time_s=0.5)),  # as fast as memory
    ],
)
def test_scratch_stays(tmp_path: Path, host: dict[str, str], file: File) -> None:
    case = made_case(tmp_path, command_line="nwchem water.nw", host=host, files=(file, RESULT))
    assert offer("local-scratch", case, "file-wait") is None


@pytest.mark.parametrize(("scratch_s", "offered"), [(1.0, True), (0.05, False)])
def test_what_gives_back_next_to_nothing_is_not_offered(tmp_path: Path, scratch_s: float, offered: bool) -> None:
    scratch = replace(SCRATCH, time_s=scratch_s, bytes_read=0, bytes_written=1000)
    result = replace(RESULT, time_s=10.0 - scratch_s)
    case = made_case(tmp_path, command_line="nwchem water.nw", host=ROOM, files=(scratch, result))
    assert offer("local-scratch", case, "file-wait") is not None
    finding = Finding("file-wait", "Ranks wait for files", "They do.", 10.0, 0.5, (), (), 0.9)
    made = with_remedies(case, finding, ["local-scratch"])
    assert ([one.id for one in made.finding.remedies] == ["local-scratch"]) == offered


def test_a_program_without_a_word_for_it_is_asked_by_tmpdir_if_that_is_where_it_writes(tmp_path: Path) -> None:
    elsewhere = made_case(tmp_path / "else", host=ROOM, files=(SCRATCH,), environment={"TMPDIR": "/tmp"})
    there = made_case(tmp_path / "there", host=ROOM, files=(SCRATCH,), environment={"TMPDIR": "/nfs/home"})
    assert offer("local-scratch", elsewhere, "file-wait") is None
    assert offer("local-scratch", there, "file-wait") is not None


@pytest.mark.parametrize(
    ("folder", "name"),
    [
        pytest.param("/nfs/home/run", "water.tmp", id="the job works in a folder below TMPDIR"),
        pytest.param("/nfs", "results.db-journal", id="SQLite's journal is beside its database"),
    ],
)
def test_tmpdir_does_not_move_what_is_not_there_for_it(tmp_path: Path, folder: str, name: str) -> None:
    file = replace(SCRATCH, path=f"/nfs/home/run/{name}")
    facts, environment = {"process.cwd": folder}, {"TMPDIR": "/nfs/home"}
    case = made_case(tmp_path, host=ROOM, files=(file,), facts=facts, environment=environment)
    assert offer("local-scratch", case, "sync-storm") is None


@pytest.mark.parametrize(
    ("library", "names"),
    [
        (OPEN_MPI, {"btl_vader_backing_directory", "shmem_mmap_backing_file_base_dir"}),
        (OPEN_MPI_5, {"btl_sm_backing_directory", "shmem_mmap_backing_file_base_dir"}),
        (MPICH, {"UCX_POSIX_DIR"}),
        (INTEL, None),
    ],
)
def test_the_mpis_shared_memory_elsewhere(tmp_path: Path, library: str, names: set[str] | None) -> None:
    found = offer("shm-size", made_case(tmp_path, library=library, facts={"mpi.device": "ch4:ucx"}), "small-shm")
    if names is None:
        assert found is None
    else:
        assert found is not None and found.change is not None
        assert {name for name, _ in (*found.change.parameters, *found.change.environment)} == names
