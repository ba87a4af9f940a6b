"""A rank that comes late to collective calls on a file: who waited for it, and what the file itself took."""

from __future__ import annotations

from pathlib import Path

from harness.mpis import Mpi
from harness.programs import ProgramBuilder
from harness.runs import load_facts, load_page, run_job

from clearway.diagnosis.facts import open_case
from clearway.diagnosis.facts.mpi_io import mpi_io
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
