"""Checkpoints less often, in the words of the engine that wrote them; files of MPI-IO, and scratch on a file server."""

from __future__ import annotations

from dataclasses import replace
from pathlib import Path
from typing import Any

import pytest
from python.made_runs import Rank
from remedies.made_cases import INTEL, MPICH, OPEN_MPI, call, finding, made_case, offer

from clearway.diagnosis.facts import Case, open_case
from clearway.diagnosis.remedies import Offer, remedies
from clearway.diagnosis.remedies.checkpoint_interval import rounded
from clearway.engines import Engine
from clearway.job.change import Change
from clearway.page.model import File
from clearway.run import load
from clearway.run.layout import FILE_WRITTEN, SegmentKind

OTHER = ("/w/traj.xtc", {"opens": 1, "written_bytes": 100, "write_ticks": 1})


def job(folder: Path, line: str, *files: tuple[str, dict[str, int]], steps: int | None = None) -> Case:
    """One rank that wrote `files`; their times are in seconds."""
    rank = Rank(0, 1)
    rank.fact("process.command_line", line).fact("process.program", line.split(" ")[0])
    for path, fields in files:
        timed = {name: value * 10**9 if name.endswith("ticks") else value
                 for name, value in fields.items()}  # fmt: skip
        rank.add(SegmentKind.FILES, path=path.encode(), flags=FILE_WRITTEN, **timed)
    folder.mkdir(exist_ok=True)
    rank.write(folder)
    case = open_case(load(folder))
    engine = Engine("made", "log", None, 0.1, steps) if steps else None
    return replace(case, tables=replace(case.tables, engine=engine))


def offered(case: Case, share: float = 0.3) -> Offer | None:
    said = replace(finding("file-wait"), share=share)
    return remedies()["checkpoint-interval"].offer(case, said)


def wrote(opens: int, seconds: int = 3, over: int = 1) -> dict[str, int]:
    return {"opens": opens, "written_bytes": 1000 * over, "extent_bytes": 1000, "write_ticks": seconds}


def test_gromacs_is_told_by_its_option(tmp_path: Path) -> None:
    case = job(tmp_path, "gmx_mpi mdrun -s a.tpr -cpt 0.5", ("/w/state.cpt", wrote(20)), OTHER)
    found = offered(case)
    assert found is not None
    assert found.change == Change(program_options=("-cpt", "15"))
    assert found.gain == pytest.approx(3 / 4 * (1 - 0.5 / 15))


@pytest.mark.parametrize("line", ["gmx_mpi mdrun -s a.tpr", "gmx_mpi mdrun -cpt 30", "gmx_mpi mdrun -cpt x"])
def test_gromacs_that_writes_as_seldom_is_not_told(tmp_path: Path, line: str) -> None:
    assert offered(job(tmp_path, line, ("/w/state.cpt", wrote(1)), OTHER)) is None


@pytest.mark.parametrize(
    ("line", "names", "opens", "command"),
    [
        # 1,000 steps, of which each tenth was written; a third of the wall-clock is to become a hundredth: times 23.
        ("lmp -in melt.in", ("melt.restart.a", "melt.restart.b"), 50, "restart 500 melt.restart.a melt.restart.b"),
        ("namd2 apoa1.namd", ("apoa1.restart.coor", "apoa1.restart.vel"), 100, "restartfreq 500"),
        ("pmemd.MPI -O", ("restrt",), 100, "ntwr = 500"),
    ],
)
def test_other_engines_by_a_line_of_their_input(
    tmp_path: Path, line: str, names: tuple[str, ...], opens: int, command: str
) -> None:
    files = [(f"/w/{name}", wrote(opens, over=9)) for name in names]
    case = job(tmp_path, line, *files, OTHER, steps=1000)
    found = offered(case)
    assert found is not None
    assert (found.command, found.change) == (command, None)
    assert found.gain is not None and 0.5 < found.gain < 1


def test_files_with_the_number_of_their_step(tmp_path: Path) -> None:
    files = [(f"/w/melt.restart.{step}", wrote(1, seconds=1)) for step in range(100, 1100, 100)]
    found = offered(job(tmp_path, "lmp -in melt.in", *files, steps=1000))
    assert found is not None
    assert found.command.startswith("restart ") and found.command.endswith(" melt.restart.*")
    assert "10 were written, one every 100 steps" in found.why


def test_wavefunctions_are_kept_in_memory(tmp_path: Path) -> None:
    again = job(tmp_path / "again", "pw.x -in scf.in", ("/w/si.wfc1", wrote(1, over=12)))
    once = job(tmp_path / "once", "pw.x -in scf.in", ("/w/si.wfc1", wrote(1)))
    found = offered(again)
    assert found is not None and found.command == "disk_io = 'low'"
    assert offered(once) is None


@pytest.mark.parametrize(
    ("line", "file"),
    [
        ("./a.out", ("/w/state.cpt", wrote(100))),  # nobody knows its words
        ("lmp -in a", ("/w/dump.lammpstrj", wrote(100))),  # no checkpoint
        ("lmp -in a", ("/w/a.restart.1000", wrote(1))),  # one, at the end
        ("lmp -in a", ("/w/a.restart.1", wrote(100, seconds=0))),  # at no cost
    ],
)
def test_what_is_no_matter_of_checkpoints(tmp_path: Path, line: str, file: tuple[str, dict[str, Any]]) -> None:
    assert offered(job(tmp_path, line, file, OTHER, steps=1000)) is None


def test_numbers_that_people_choose() -> None:
    assert [rounded(steps) for steps in (1, 3, 10, 11, 230, 501, 999)] == [1, 5, 10, 20, 500, 1000, 1000]


@pytest.mark.parametrize(
    ("told", "value"),
    [({}, "^ompio"), ({"OMPI_MCA_io": "romio321"}, "ompio"), ({"OMPI_MCA_io": "^ompio"}, "ompio")],
)
def test_the_other_way_of_mpi_io(tmp_path: Path, told: dict[str, str], value: str) -> None:
    row = replace(call("MPI_File_write_at_all", transfer_s=5.0), function_class="mpi_io")
    case = made_case(tmp_path, environment=told, mpi_calls=(row,))
    found = offer("mpi-io", case, "file-wait")
    assert found is not None
    assert (found.change, found.gain) == (Change(parameters=(("io", value),)), None)


def test_only_open_mpi_has_two(tmp_path: Path) -> None:
    row = replace(call("MPI_File_write_at_all", transfer_s=5.0), function_class="mpi_io")
    for library in (MPICH, INTEL):
        assert offer("mpi-io", made_case(tmp_path / library[:3], library=library, mpi_calls=(row,))) is None
    assert offer("mpi-io", made_case(tmp_path / "none", library=OPEN_MPI)) is None


SCRATCH = File("/nfs/home/water.aoints.0", 1, 8.0, 4000, 600_000_000, 400_000_000, 0, 1.0, 1.5, 0, deleted=True)
MOUNTS = {"mount.0": "ext4 / /dev/vda1", "mount.1": "nfs4 /nfs server:/home", "shm.size_bytes": str(64 << 20)}


def test_scratch_on_a_file_server_goes_to_the_hosts_disk_where_memory_is_too_small(tmp_path: Path) -> None:
    case = made_case(tmp_path / "a", command_line="nwchem water.nw", host=MOUNTS, files=(SCRATCH,))
    found = offer("local-scratch", case, "file-wait")
    assert found is not None
    assert (found.change, found.gain) == (Change(environment=(("SCRATCH_DIR", "/tmp"),)), None)
    assert "nfs4 (server:/home)" in found.why
    here = replace(SCRATCH, path="/scratch/water.aoints.0")
    assert offer("local-scratch", made_case(tmp_path / "b", command_line="nwchem", host=MOUNTS, files=(here,))) is None
    shared = {**MOUNTS, "mount.2": "lustre /tmp mds:/tmp"}
    case = made_case(tmp_path / "c", command_line="nwchem water.nw", host=shared, files=(SCRATCH,))
    assert offer("local-scratch", case, "file-wait") is None
