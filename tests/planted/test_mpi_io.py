"""MPI-IO: who waited for a rank that came late, what the file itself took, and in what requests."""

from __future__ import annotations

from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest
from harness.mpis import Mpi
from harness.programs import ProgramBuilder
from harness.runs import load_facts, load_page, run_job

from clearway.diagnosis.diagnose import diagnose
from clearway.diagnosis.facts import Case, open_case
from clearway.diagnosis.facts.mpi_io import mpi_io
from clearway.diagnosis.facts.mpi_requests import advice, costly_requests
from clearway.run import load

RANKS, TURNS, LATE_S, BYTES = 2, 5, 0.1, 1_000_000
TOGETHER = "MPI_File_write_at_all"


def test_waiting_is_told_from_the_file(debian_mpi: Mpi, programs: ProgramBuilder, tmp_path: Path) -> None:
    program = programs.build(debian_mpi, "mpi_files", "mpi_files.c")
    words = [str(program), str(tmp_path / "file"), str(TURNS), str(LATE_S), str(BYTES)]
    outcome = run_job(debian_mpi, words, RANKS, tmp_path / "run", environment={"TRUTH": str(tmp_path / "truth")})
    assert outcome.exit_code == 0, outcome.says
    truth, page = load_facts(tmp_path / "truth"), load_page(tmp_path / "run")
    row = next(row for row in page["mpi_calls"] if row["function"] == TOGETHER)
    waited_s = sum(truth[rank]["waited_s"] for rank in truth)
    # Open MPI's OMPIO lets a rank go that has written its own part: then nobody waited, and the record says so.
    went_on = sum(truth[rank]["together_s"] for rank in truth) < TURNS * LATE_S
    expected_s = 0.0 if went_on else waited_s
    assert abs(row["wait_s"] - expected_s) < 0.02 + 0.05 * expected_s
    if debian_mpi.family == "mpich":
        assert expected_s > 0.9 * TURNS * LATE_S  # ROMIO's ranks tell each other first what they will write
    ledger = page["ledger"]
    assert ledger["mpi_wait_s"] >= 0.9 * expected_s
    assert ledger["io_s"] + ledger["mpi_wait_s"] + ledger["core_wait_s"] > expected_s

    told = mpi_io(open_case(load(tmp_path / "run")))
    assert told is not None
    assert (told.collective, told.independent) == (RANKS * TURNS, RANKS * TURNS)
    assert told.waited_s >= row["wait_s"]
    assert told.in_files_s > 0
    cells = load(tmp_path / "run").mpi_files.data
    assert int(cells["written_bytes"].sum()) == 2 * RANKS * TURNS * BYTES
    assert (cells["independent_file_ticks"] <= cells["independent_ticks"]).all()
    assert (cells["collective_file_ticks"] <= cells["collective_ticks"]).all()


MANY, SMALL_BYTES, BLOCK_BYTES = 100_000, 100, 4096
KINDS = ("small_requests", "backward_requests", "misaligned_requests")
Wrote = Callable[..., tuple[Case, dict[int, dict[str, Any]]]]


@pytest.fixture
def wrote(debian_mpi: Mpi, programs: ProgramBuilder, tmp_path: Path) -> Wrote:
    """Two ranks write a file, request by request, and compute; the job as it is diagnosed, and what they measured."""

    def run(requests: int, nbytes: int, first: int = 0, backwards: bool = False, compute_s: float = 0.0) -> Any:
        program = programs.build(debian_mpi, "mpi_requests", "mpi_requests.c")
        words = [program, tmp_path / "file", requests, nbytes, first, int(backwards), compute_s]
        environment = {"TRUTH": str(tmp_path / "truth")}
        outcome = run_job(debian_mpi, [*map(str, words)], RANKS, tmp_path / "run", environment=environment)
        assert outcome.exit_code == 0, outcome.says
        return open_case(load(tmp_path / "run")), load_facts(tmp_path / "truth")

    return run


def counted(case: Case) -> tuple[int, ...]:
    """Requests in all, and of each kind."""
    data = case.run.mpi_files.data
    return tuple(int(data[kind][:, 0].sum()) for kind in ("requests", *KINDS))


def test_small_requests_are_told_with_their_seconds(wrote: Wrote) -> None:
    many = 3 * MANY  # to cost more than a finding must, on a fast machine too
    case, truth = wrote(many, SMALL_BYTES)
    every = RANKS * many
    in_order = many * SMALL_BYTES // BLOCK_BYTES  # of one rank's begin at a block's begin, at most
    requests, small, backwards, misaligned = counted(case)
    assert (requests, small, backwards) == (every, every, 0)
    assert every - RANKS * (in_order + 1) <= misaligned < every
    [told] = [made for made in costly_requests(case) if made.kind.field == "small_requests"]
    assert told.bytes == every * SMALL_BYTES
    assert 0.05 * sum(truth[rank]["written_s"] for rank in truth) < told.seconds
    assert told.seconds < sum(truth[rank]["written_s"] for rank in truth)
    assert "collective calls" in advice(case)
    found = next(one.finding for one in diagnose(case) if one.finding.rule in ("file-wait", "ompio"))
    assert told.kind.what in [each.what for each in found.evidence]


def test_the_same_requests_beside_much_else_are_not_worth_a_word(wrote: Wrote) -> None:
    case, _ = wrote(MANY // 10, SMALL_BYTES, compute_s=2.0)
    assert counted(case)[:2] == (RANKS * MANY // 10,) * 2
    assert costly_requests(case) == []
    assert advice(case) == ""


def test_requests_that_go_back(wrote: Wrote) -> None:
    case, _ = wrote(MANY // 10, BLOCK_BYTES, backwards=True)
    requests, small, backwards, misaligned = counted(case)
    assert (requests, small, misaligned) == (RANKS * MANY // 10, RANKS * MANY // 10, 0)
    assert backwards == requests - RANKS  # but for the first of each


def test_large_requests_in_order_from_the_begin_of_a_block_have_no_sign(wrote: Wrote) -> None:
    case, _ = wrote(8, 1 << 20)
    requests, small, backwards, misaligned = counted(case)
    assert (requests >= RANKS * 8, small, backwards, misaligned) == (True, 0, 0, 0)
