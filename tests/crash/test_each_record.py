"""Of a killed process every call that had ended is in its record, as it was; only one that was under way may miss.

The program keeps count in memory that outlives the kill, so the verdict does not depend on when the kill comes.
"""

from __future__ import annotations

import os
import random
import signal
import struct
import subprocess
from itertools import pairwise
from pathlib import Path

import pytest
from harness.mpis import Mpi, clearway_tool
from harness.programs import ProgramBuilder
from harness.runs import kill_all, run_job
from harness.seeds import seeds, trying

from clearway.run import layout
from clearway.run.layout import SegmentKind, text
from clearway.run.reader import Record, open_record

MPI_NAMES = ("MPI_Allreduce", "MPI_Sendrecv")
FILES, MOST_BYTES = 20, 64
KINDS = frozenset(SegmentKind)


def bytes_of_turn(turn: int) -> int:
    return 1 + turn % MOST_BYTES


def truth_of(prefix: Path, rank: int) -> list[tuple[int, int]]:
    """How many calls of each kind have ended and begun."""
    begun_and_ended = struct.unpack("6Q", prefix.with_name(f"{prefix.name}.{rank}").read_bytes())
    return list(zip(begun_and_ended[3:], begun_and_ended[:3], strict=True))


def assert_all_there(record: Record, truth: list[tuple[int, int]], what: str) -> None:
    """Each call, in each of the tables that hold it."""
    rows = record.read(KINDS)
    name_of = {int(row["id"]): text(row["name"]) for row in rows[SegmentKind.FUNCTIONS]}
    paths = [text(row["path"]) for row in rows[SegmentKind.FILES]]
    ours = {index: int(path.rpartition(".")[2]) for index, path in enumerate(paths) if ".file." in path}
    assert sorted(ours.values()) == list(range(FILES)), (what, paths)

    # One by one: what was called, with which bytes, after what. (Short writes are only summed up.)
    line = [row for row in rows[SegmentKind.TIMELINE] if name_of[int(row["function"])] in MPI_NAMES]
    assert [name_of[int(row["function"])] for row in line] == [MPI_NAMES[at % 2] for at in range(len(line))], what
    for at, row in enumerate(line):
        turn, kind = divmod(at, 2)
        assert int(row["bytes"]) == (bytes_of_turn(turn) if kind else 8), (what, at)
        assert int(row["entry_ticks"]) <= int(row["exit_ticks"]), (what, at)
    for row, following in pairwise(line):
        assert int(row["exit_ticks"]) <= int(following["entry_ticks"]), what
    for name, (ended, begun) in zip(MPI_NAMES, truth[:2], strict=True):
        told = sum(name_of[int(row["function"])] == name for row in line)
        assert ended <= told <= begun, (what, name)

    # Summed up.
    for kind in (0, 1):
        ended, begun = truth[kind]
        cells = [row for row in rows[SegmentKind.CALLS] if name_of[int(row["function"])] == MPI_NAMES[kind]]
        assert ended <= sum(int(cell["count"]) for cell in cells) <= begun, (what, MPI_NAMES[kind])
        size = (lambda _: 8) if kind == 0 else bytes_of_turn
        least, most = (sum(map(size, range(count))) for count in (ended, begun))
        assert least <= sum(int(cell["bytes"]) for cell in cells) <= most, (what, MPI_NAMES[kind])
    ended, begun = truth[2]
    for index, number in ours.items():
        file = rows[SegmentKind.FILES][index]
        turns = range(number, begun, FILES)
        certain = [turn for turn in turns if turn < ended]
        assert len(certain) <= int(file["writes"]) <= len(turns), (what, paths[index])
        least, most = sum(map(bytes_of_turn, certain)), sum(map(bytes_of_turn, turns))
        assert least <= int(file["written_bytes"]) <= most, (what, paths[index])

    # The order of the collectives, by which ranks are compared.
    events = [row for row in rows[SegmentKind.EVENTS] if name_of[int(row["function"])] == MPI_NAMES[0]]
    assert all(int(row["commit"]) == layout.EVENT_COMMITTED for row in events), what
    assert truth[0][0] <= len(events) <= truth[0][1], what
    numbers = sorted(int(row["seq"]) for row in events)
    assert numbers == list(range(min(numbers, default=0), min(numbers, default=0) + len(numbers))), what


def records_of(directory: Path) -> dict[int, Record]:
    found = [open_record(path) for path in directory.glob("rank.*.cwr")]
    assert not any(record.cut for record in found)
    return {int(record.header["rank"]): record for record in found}


def assert_ranks(directory: Path, truth: Path, what: str) -> None:
    records = records_of(directory)
    assert sorted(records) == [0, 1], what
    for rank, record in records.items():
        assert int(record.header["state"]) == layout.State.RUNNING, what
        assert_all_there(record, truth_of(truth, rank), f"{what}, rank {rank}")


@pytest.mark.parametrize("turns", [0, 1, 300])
def test_a_rank_that_kills_itself(debian_mpi: Mpi, turns: int, programs: ProgramBuilder, tmp_path: Path) -> None:
    """Between two calls: nothing of it may miss."""
    program = programs.build(debian_mpi, "counted", "counted.c")
    run_job(debian_mpi, [program, "0", str(turns)], 2, tmp_path / "run", ("--timeline",),
            {"TRUTH": str(tmp_path / "truth")})  # fmt: skip
    assert truth_of(tmp_path / "truth", 0) == [(turns, turns)] * 3
    assert_ranks(tmp_path / "run", tmp_path / "truth", f"killed after {turns} turns")


def test_ranks_killed_anywhere(
    open_mpi: Mpi, programs: ProgramBuilder, tmp_path: Path, request: pytest.FixtureRequest
) -> None:
    """Inside a call as well: at any instruction after a number of turns that the seed says."""
    program = programs.build(open_mpi, "counted", "counted.c")
    for seed in seeds(request.node.nodeid, 3):
        with trying(request.node.nodeid, seed):
            killed_after(random.Random(seed).randrange(1, 3000), open_mpi, program, tmp_path / str(seed))


def killed_after(turns: int, mpi: Mpi, program: Path, folder: Path) -> None:
    folder.mkdir()
    recorder = [clearway_tool("clearway-record"), "-o", folder / "run", "--timeline=100000", "--"]
    job = subprocess.Popen(
        mpi.command(2, [*recorder, program, "-1", "0"]),
        env={**os.environ, **mpi.environment, "TRUTH": str(folder / "truth")},
        stdin=subprocess.DEVNULL, stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL, text=True,
    )  # fmt: skip
    try:
        while ended_turns(folder) < turns:
            assert job.poll() is None
        for pid in pids(folder / "run"):
            os.kill(pid, signal.SIGKILL)
        job.wait(timeout=30)
    finally:
        kill_all(job)
        job.wait(timeout=30)
    assert_ranks(folder / "run", folder / "truth", f"killed after {turns} turns")


def ended_turns(folder: Path) -> int:
    try:
        return truth_of(folder / "truth", 0)[2][0]
    except (OSError, struct.error):
        return 0


def pids(directory: Path) -> list[int]:
    return [int(record.header["pid"]) for record in records_of(directory).values()]
