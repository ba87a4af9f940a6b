"""Programs whose answer is known by construction: each line of the ledger is right within 5 %, and all add up.

What was planted is what the programs measured around their own calls, on the clock that all processes of this machine
share; so the tests hold on a busy machine too. Where a nominal figure exists it is checked as well.
"""

from __future__ import annotations

from collections.abc import Mapping
from pathlib import Path
from typing import Any

import pytest
from diagnosis.slow_disk import slow_disk, why_not
from harness.mpis import Mpi
from harness.programs import ProgramBuilder
from harness.runs import load_facts, load_page, run_job
from planted.shaped_link import run_recorded

from clearway.testbed import Shape

LINES = ("compute_s", "core_wait_s", "mpi_wait_s", "mpi_transfer_s", "mpi_stall_s", "io_s", "other_s")


def within(value: float, truth: float, share: float = 0.05, floor_s: float = 0.02) -> bool:
    return abs(value - truth) <= max(share * truth, floor_s)


def assert_adds_up(page: Mapping[str, Any]) -> None:
    """No second is missing and none is in two lines: over all ranks, in each rank, and between the two."""
    ledgers = [page["ledger"], *(rank["ledger"] for rank in page["ranks"])]
    for ledger in ledgers:
        total = sum(ledger[line] for line in LINES)
        assert all(ledger[line] >= 0 for line in LINES), ledger
        assert total + ledger["residue_s"] == pytest.approx(ledger["wall_s"], abs=1e-6 + 1e-6 * ledger["wall_s"])
        assert abs(ledger["residue_s"]) <= 0.01 * ledger["wall_s"], ledger
    for line in ("wall_s", *LINES):
        of_ranks = sum(rank["ledger"][line] for rank in page["ranks"])
        assert of_ranks == pytest.approx(page["ledger"][line], abs=1e-6, rel=1e-6)


def run_planted(mpi: Mpi, command: list[str | Path], tmp_path: Path, ranks: int, **environment: str) -> dict[str, Any]:
    outcome = run_job(
        mpi, command, ranks, tmp_path / "run", environment={"TRUTH": str(tmp_path / "truth"), **environment}
    )
    assert outcome.exit_code == 0, outcome.says
    page = load_page(tmp_path / "run")
    assert_adds_up(page)
    return page


def call(page: Mapping[str, Any], function: str) -> dict[str, Any]:
    row: dict[str, Any] = next(row for row in page["mpi_calls"] if row["function"] == function)
    return row


def waited_s(facts: Mapping[int, Mapping[str, Any]], turns: int) -> float:
    """Time from each rank's own entry to the last one's, summed over ranks and turns."""
    entries = [facts[rank]["entry_s"] for rank in facts]
    return sum(max(entry[i] for entry in entries) - entry[i] for i in range(turns) for entry in entries)


@pytest.mark.timed
@pytest.mark.parametrize("kind", ["spin", "sleep"])
def test_late_rank(debian_mpi: Mpi, kind: str, programs: ProgramBuilder, tmp_path: Path) -> None:
    program = programs.build(debian_mpi, "late_rank", "late_rank.c")
    turns, late_s = 20, 0.1
    page = run_planted(debian_mpi, [program, kind, str(late_s), str(turns)], tmp_path, ranks=2)
    planted_s = waited_s(load_facts(tmp_path / "truth"), turns)
    assert planted_s >= 0.7 * turns * late_s  # the other rank may have been held up as well
    barrier = call(page, "MPI_Barrier")
    # A rank that polls while it waits may itself be put off its core: that share is booked as such, and only there.
    assert within(barrier["wait_s"] + barrier["core_wait_s"], planted_s), barrier
    assert within(page["ledger"]["mpi_wait_s"] + barrier["core_wait_s"], planted_s), page["ledger"]
    late = page["ranks"][0]["ledger"]
    starting_s = page["ranks"][1]["ledger"]["other_s"]  # and stopping MPI: as long on both
    if kind == "sleep":
        assert within(late["other_s"] - starting_s, turns * late_s), late
    else:
        assert within(late["compute_s"], turns * late_s), late
    others = page["collectives"][0]
    assert (others["function"], others["last_rank"]) == ("MPI_Barrier", 0)


@pytest.mark.timed
@pytest.mark.parametrize("kind", ["recv", "waitall"])
def test_late_sender(debian_mpi: Mpi, kind: str, programs: ProgramBuilder, tmp_path: Path) -> None:
    program = programs.build(debian_mpi, "late_sender", "late_sender.c")
    turns, late_s = 20, 0.1
    page = run_planted(debian_mpi, [program, kind, str(late_s), str(turns)], tmp_path, ranks=2)
    facts = load_facts(tmp_path / "truth")
    planted_s = sum(facts[0]["entry_s"][i] - facts[1]["entry_s"][i] for i in range(turns))
    row = call(page, "MPI_Recv" if kind == "recv" else "MPI_Waitall")
    # Rank 0 receives as well: the acknowledgement, late by as much as rank 1 was held up before it sent it.
    answers_s = sum(max(facts[1]["exit_s"][i] - facts[0]["exit_s"][i], 0.0) for i in range(turns))
    assert within(row["wait_s"] + row["core_wait_s"], planted_s + (answers_s if kind == "recv" else 0.0)), row
    receiver = page["ranks"][1]["ledger"]
    assert within(receiver["mpi_wait_s"] + row["core_wait_s"], planted_s, floor_s=0.05), receiver


@pytest.mark.timed
@pytest.mark.parametrize("kind", ["sendrecv", "alltoall"])
def test_slow_link(open_mpi: Mpi, kind: str, programs: ProgramBuilder, tmp_path: Path) -> None:
    """5 MB/s each way: 43 Mbit/s on the wire, less headers and the acknowledgements of the other direction."""
    program = programs.build(open_mpi, "exchange", "exchange.c")
    each_bytes, turns = 60_000, 250  # below the rendezvous threshold: above it the two directions take turns
    outcome = run_recorded(
        Shape(hosts=2, rate_bps=43_000_000, buffer_bytes=1_000_000),
        [program, kind, str(each_bytes), str(turns)],
        tmp_path / "run",
        {"TRUTH": str(tmp_path / "truth")},
    )
    assert outcome.returncode == 0, outcome
    page = load_page(tmp_path / "run")
    assert_adds_up(page)
    assert page["job"]["hosts"] == 2
    facts = load_facts(tmp_path / "truth")
    # The ranks drift apart by the length of a message, and then one waits for the other.
    planted_s = sum(rank["exchange_s"] for rank in facts.values()) - waited_s(facts, turns)
    row = call(page, "MPI_Sendrecv" if kind == "sendrecv" else "MPI_Alltoall")
    moved = row["transfer_s"] + row["core_wait_s"]
    assert within(moved, planted_s), (row, planted_s)
    assert within(moved, 2 * turns * each_bytes / 5e6, share=0.1), row
    sockets = [socket for socket in page["sockets"] if socket["bytes_sent"] > each_bytes * turns]
    assert len(sockets) >= 2, page["sockets"]
    assert {socket["congestion_control"] for socket in sockets} == {"cubic"}


@pytest.mark.timed
def test_slow_disk(open_mpi: Mpi, programs: ProgramBuilder, tmp_path: Path) -> None:
    """200 MB through write and fsync to a disk of 50 MB/s."""
    program = programs.build(open_mpi, "write_and_sync", "write_and_sync.c")
    if why_not():
        pytest.skip(why_not())
    with slow_disk(tmp_path, size_mb=400, limits={"write_bps": 50_000_000}) as disk:
        page = run_planted(open_mpi, [program, "100"], tmp_path, ranks=2, SCRATCH=str(disk))
    facts = load_facts(tmp_path / "truth")
    planted_s = sum(rank["io_s"] for rank in facts.values())
    assert planted_s > 200 / 50  # the disk was slow indeed: both ranks wait for all of it
    in_io = page["ledger"]["io_s"]
    assert within(in_io, planted_s), page["ledger"]
    files = [file for file in page["files"] if file["path"].startswith(str(disk))]
    assert sum(file["bytes_written"] for file in files) == 200_000_000
    assert sum(file["syncs"] for file in files) == 2 * 11
    assert all(file["deleted"] for file in files)


@pytest.mark.timed
def test_four_ranks_on_one_core(open_mpi: Mpi, programs: ProgramBuilder, tmp_path: Path) -> None:
    program = programs.build(open_mpi, "crowded", "crowded.c")
    page = run_planted(open_mpi, ["taskset", "-c", "0", program, "0.2", "5"], tmp_path, ranks=4)
    facts = load_facts(tmp_path / "truth").values()
    core_wait_s = sum(rank["core_wait_s"] for rank in facts)
    compute_s = sum(rank["compute_s"] for rank in facts)
    assert core_wait_s > 0.9 * 4 * 3 * 0.2 * 5  # three of four wait at any time
    # Besides what the ranks read between MPI_Init and the end, the page knows of starting and stopping MPI.
    assert within(page["ledger"]["core_wait_s"], core_wait_s), page["ledger"]
    assert within(page["ledger"]["compute_s"], compute_s, floor_s=0.2), page["ledger"]
    assert {rank["cpus"] for rank in page["ranks"]} == {"0"}


@pytest.mark.timed
def test_loss_stall(open_mpi: Mpi, programs: ProgramBuilder, tmp_path: Path) -> None:
    """Seven senders at once into a port with 6 kB of buffer: packets are lost, and each timeout costs 200 ms."""
    program = programs.build(open_mpi, "many_to_one", "many_to_one.c")
    outcome = run_recorded(
        Shape(hosts=8, rate_bps=20_000_000, buffer_bytes=6000),
        [program, "16000", "12"],
        tmp_path / "run",
        {"TRUTH": str(tmp_path / "truth")},
    )
    assert outcome.returncode == 0, outcome
    page = load_page(tmp_path / "run")
    assert_adds_up(page)
    timeouts = sum(socket["timeouts"] for socket in page["sockets"])
    assert timeouts > 0, page["sockets"]
    stalled_s = sum(socket["stall_s"] for socket in page["sockets"])
    assert 0.5 * 0.2 * timeouts < stalled_s, (stalled_s, timeouts)
    assert page["ledger"]["mpi_stall_s"] > 0.2
    # While one sender stalls all others wait for it, so more rank-seconds stall than sockets do.
    everyone_s = sum(rank["all_s"] for rank in load_facts(tmp_path / "truth").values())
    assert page["ledger"]["mpi_stall_s"] < everyone_s
    assert sum(host["timeouts"] or 0 for host in page["hosts"]) >= 0.9 * timeouts
