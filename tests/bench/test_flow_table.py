"""The table for the flow library: what is best, and what is kept."""

from __future__ import annotations

from pathlib import Path

import pytest

from clearway.base.errors import ClearwayError
from clearway.bench.assemble import assemble
from clearway.bench.figures import Job, RawPoint
from clearway.bench.flow_table import best_of, save_table
from clearway.bench.printed import Printed
from clearway.bench.sweep import Sweep
from clearway.job.flow_table import read_table

CHUNKED = "pairwise+token:12000,chunk:8000"


def sweep_of(times_ns: dict[tuple[str, int], int], operation: str = "alltoall", ranks: int = 4) -> Sweep:
    """A sweep in which each call of (candidate, block) takes so long."""
    job = Job(operation, ranks, hosts=4, ranks_per_host=1, mpi="", mpi_library="", interleaved=False)
    points = [RawPoint(name, size, (each,) * 3, 0, 0, "") for (name, size), each in times_ns.items()]
    return assemble(Printed(job, points, ended=True))


def chosen(sweep: Sweep) -> dict[int, str]:
    return {key.block_bytes: entry.candidate for key, entry in best_of(sweep).items()}


def test_the_fastest_is_chosen_at_each_size() -> None:
    sweep = sweep_of({("own", 64): 10, (CHUNKED, 64): 20, ("own", 4096): 900, (CHUNKED, 4096): 400})
    assert chosen(sweep) == {64: "own", 4096: CHUNKED}


def test_the_mpis_own_keeps_its_place_unless_clearly_slower() -> None:
    assert chosen(sweep_of({("ordered", 64): 1000, ("own", 64): 1009})) == {64: "own"}
    assert chosen(sweep_of({("ordered", 64): 1000, ("own", 64): 1011})) == {64: "ordered"}


def points_of(name: str, calls_ns: tuple[int, ...], retransmits: int) -> RawPoint:
    return RawPoint(name, 64, calls_ns, retransmits, 0, "")


@pytest.mark.parametrize(("retransmits", "best"), [(0, "ordered"), (3, "own")])
def test_a_slow_call_counts_where_packets_were_lost(retransmits: int, best: str) -> None:
    job = Job("alltoall", 4, 4, 1, "", "", interleaved=False)
    points = [points_of("ordered", (10, 10, 100), retransmits), points_of("own", (20, 20, 20), 0)]
    assert chosen(assemble(Printed(job, points, ended=True))) == {64: best}


def test_the_librarys_own_choice_is_no_entry() -> None:
    assert chosen(sweep_of({("flow", 64): 1, ("ordered", 64): 5, ("own", 64): 9})) == {64: "ordered"}


def test_what_failed_is_not_chosen() -> None:
    job = Job("alltoall", 4, 4, 1, "", "", interleaved=False)
    points = [RawPoint("ring", 64, (), 0, 0, "not served"), RawPoint("own", 64, (5,), 0, 0, "")]
    assert chosen(assemble(Printed(job, points, ended=True))) == {64: "own"}


def test_tables_grow_and_are_renewed(tmp_path: Path) -> None:
    path = tmp_path / "flow.table"
    save_table(sweep_of({("own", 64): 10, ("own", 128): 10}), path)
    save_table(sweep_of({(CHUNKED, 128): 5, ("own", 128): 10}), path)
    save_table(sweep_of({("ordered", 128): 5}, "allgather", ranks=8), path)
    lines = [line for line in path.read_text().splitlines() if not line.startswith("#")]
    assert lines == ["allgather 8 4 128 ordered", "alltoall 4 4 64 own", f"alltoall 4 4 128 {CHUNKED}"]
    assert path.read_text().startswith("# clearway flow table 1\n")
    assert {key.block_bytes: entry.candidate for key, entry in read_table(path).items() if key.ranks == 4} == {
        64: "own",
        128: CHUNKED,
    }


@pytest.mark.parametrize("text", ["", "alltoall 4 4 64 own\n", "# clearway flow table 1\nalltoall 4 x 64 own\n"])
def test_another_file_is_not_overwritten(tmp_path: Path, text: str) -> None:
    path = tmp_path / "precious"
    path.write_text(text)
    with pytest.raises(ClearwayError):
        save_table(sweep_of({("own", 64): 10}), path)
    assert path.read_text() == text
