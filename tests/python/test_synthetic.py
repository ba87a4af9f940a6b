"""Runs made by clearway-synthesise, that is by the real native writer."""

from __future__ import annotations

import shutil
import subprocess
import sys
from pathlib import Path

import pytest

from clearway.ledger import account
from clearway.page.build import summarise
from clearway.run import load

NATIVE = Path(__file__).parents[2] / "native"
PYTHON = Path(__file__).parents[2] / "python"


@pytest.fixture(scope="module")
def synthesise(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """The generator, built from its sources."""
    compiler = shutil.which("c++") or shutil.which("g++") or shutil.which("clang++")
    if compiler is None:
        pytest.skip("no C++ compiler")
    program = tmp_path_factory.mktemp("synthesise") / "clearway-synthesise"
    sources = [NATIVE / "run_record" / name for name in ("record_file.cpp", "run_file.cpp")]
    sources += [NATIVE / "command_line" / name for name in ("options.cpp", "visible.cpp")]
    sources.append(Path(__file__).parents[1] / "synthesiser" / "main.cpp")
    options = ["-std=c++20", "-O1", "-fno-exceptions", "-fno-rtti", f"-I{NATIVE}", '-DCLEARWAY_VERSION="0"']
    subprocess.run([compiler, *options, *sources, "-o", program], check=True, timeout=100)
    return program


def test_a_synthetic_run_has_a_whole_page(synthesise: Path, tmp_path: Path) -> None:
    options = ["--ranks", "48", "--ranks-per-host", "8", "--steps", "100", "--timeline", "64"]
    subprocess.run([synthesise, *options, tmp_path / "run"], check=True, timeout=60)
    page = summarise(load(tmp_path / "run"))
    assert (page.job.ranks, page.job.ranks_expected, page.job.hosts) == (48, 48, 6)
    assert page.job.complete
    assert page.job.clock_error_s is not None
    assert page.job.clock_error_s < 1e-4
    assert page.ledger.residue_s == pytest.approx(0.0, abs=1e-6)
    assert page.ledger.mpi_stall_s == pytest.approx(2 * 3 * 500e-6, rel=0.01)
    assert page.ledger.mpi_undivided_s == pytest.approx(0.0, abs=1e-3)
    waits = {row.function: row.wait_s for row in page.mpi_calls}
    assert waits["MPI_Waitall"] > 0
    assert waits["MPI_Alltoall"] > 0
    assert len(page.timeline) > 0
    assert len(page.sockets) == 48 * 20
    assert all(socket.peer_rank is not None for socket in page.sockets)
    assert len(page.files) == 3


def test_one_rank(synthesise: Path, tmp_path: Path) -> None:
    subprocess.run([synthesise, "--ranks", "1", "--neighbours", "0", tmp_path / "run"], check=True, timeout=60)
    run = load(tmp_path / "run")
    assert account(run).ledger["mpi_wait_s"].tolist() == [0.0]


def test_usage(synthesise: Path, tmp_path: Path) -> None:
    refused = subprocess.run([synthesise, "--ranks", "x", tmp_path], capture_output=True, text=True, timeout=10)
    assert refused.returncode == 2
    assert refused.stderr.startswith("error: 'x' is not a valid value for --ranks")
    nowhere = subprocess.run([synthesise, tmp_path / "a" / "b"], capture_output=True, text=True, timeout=10)
    assert nowhere.returncode == 1
    assert "error: cannot make" in nowhere.stderr


@pytest.mark.slow
@pytest.mark.timeout(300)
def test_4096_ranks_within_time_and_memory(synthesise: Path, tmp_path: Path) -> None:
    """The page of 4,096 ranks, 8 million events and 82,000 connections: under 15 s of CPU time and 2 GB."""
    options = ["--ranks", "4096", "--steps", "180"]
    subprocess.run([synthesise, *options, tmp_path / "run"], check=True, timeout=120)
    script = (
        "import resource, sys\n"
        "from clearway.run import load\n"
        "from clearway.page.build import summarise\n"
        "page = summarise(load(sys.argv[1]))\n"
        "assert page.job.ranks == 4096\n"
        "usage = resource.getrusage(resource.RUSAGE_SELF)\n"
        "print(usage.ru_utime + usage.ru_stime, usage.ru_maxrss * 1024)\n"
    )
    command = [sys.executable, "-c", script, tmp_path / "run"]
    output = subprocess.run(
        command, check=True, capture_output=True, text=True, timeout=200, env={"PYTHONPATH": str(PYTHON)}
    ).stdout
    cpu_s, memory_bytes = map(float, output.split())
    assert cpu_s < 15
    assert memory_bytes < 2e9
