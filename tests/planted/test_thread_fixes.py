"""Faults of threads, mended by what `clearway fix` offers for them: the time comes back."""

from __future__ import annotations

import contextlib
import json
import os
import shutil
import subprocess
import time
from collections.abc import Iterator, Sequence
from pathlib import Path
from typing import Any

import pytest
from diagnosis.faults.hyper_threads import SAID
from harness.mpis import Mpi, clearway_tool
from harness.programs import ProgramBuilder
from harness.runs import load_page, run_command, run_job

pytestmark = [pytest.mark.slow, pytest.mark.timed, pytest.mark.timeout(300)]
SHARED_WORK = "../../benchmarks/diagnosis/workload/shared_work.c"
CGROUP = Path("/sys/fs/cgroup/cpu")


def build(programs: ProgramBuilder, mpi: Mpi, source: str, name: str, *flags: str) -> str:
    planted = f"-I{Path(__file__).parents[1] / 'programs'}"
    return str(programs.build(mpi, name, source, flags=("-fopenmp", planted, *flags)))


def fixed(mpi: Mpi, remedy: str, command: Sequence[str], folder: Path, **environment: str) -> dict[str, Any]:
    """The row of the job with the remedy."""
    options = ["--remedy", remedy, *(["--same-work"] if "threads" in remedy else [])]
    rows = rows_of(mpi, options, command, folder, **environment)
    assert set(rows) == {"unchanged", remedy}
    return rows[remedy]


def rows_of(
    mpi: Mpi, options: Sequence[str], command: Sequence[str], folder: Path, **environment: str
) -> dict[str, dict[str, Any]]:
    """What `clearway fix` tried, by name."""
    proof = folder / "proof.json"
    words = [clearway_tool("clearway"), "fix", *options, "--rounds", "5", "--time-figure", "ranks: # ms a step"]
    words += ["-o", folder / "fix", "--json", proof, "--", *command]
    outcome = run_command(words, {**mpi.environment, **environment}, 250)
    assert outcome.exit_code == 0, outcome.says
    assert proof.exists(), outcome.says
    return {row["name"]: row for row in json.loads(proof.read_text())["rows"]}


def launched(mpi: Mpi, ranks: int, *options: str) -> list[str]:
    return [*map(str, mpi.launcher), *options, "-np", str(ranks)]


def test_threads_that_were_stacked_get_cores(open_mpi: Mpi, programs: ProgramBuilder, tmp_path: Path) -> None:
    program = build(programs, open_mpi, "teams.c", "teams-gcc-fix")
    command = [*launched(open_mpi, 1, "--bind-to", "core"), program, "gcc", "60", "0.02", "0.02", "0"]
    row = fixed(open_mpi, "cores-for-threads", command, tmp_path, OMP_NUM_THREADS="2", OMP_WAIT_POLICY="passive")
    assert row["verdict"] == "faster", row


def test_fewer_threads_hold_each_other_up_less(open_mpi: Mpi, programs: ProgramBuilder, tmp_path: Path) -> None:
    """Four threads on two cores that meet every tenth of a millisecond."""
    program = build(programs, open_mpi, SHARED_WORK, "shared-work-fix")
    command = [*launched(open_mpi, 2, "--bind-to", "none"), program, "10", "100", "0.0001"]
    row = fixed(open_mpi, "fewer-threads", command, tmp_path, OMP_NUM_THREADS="2")
    assert row["verdict"] == "faster", row


def test_cores_that_were_granted_get_threads(open_mpi: Mpi, programs: ProgramBuilder, tmp_path: Path) -> None:
    program = build(programs, open_mpi, SHARED_WORK, "shared-work-fix")
    command = [*launched(open_mpi, 1, "--bind-to", "none"), program, "30", "4", "0.02"]
    environment = {"OMP_NUM_THREADS": "1", "OMP_WAIT_POLICY": "passive", "SLURM_JOB_CPUS_PER_NODE": "2"}
    row = fixed(open_mpi, "more-threads", command, tmp_path, **environment)
    assert row["verdict"] == "faster", row


@pytest.mark.parametrize("place", ["combined", "inside"])
def test_loops_that_the_environment_divides(
    place: str, open_mpi: Mpi, programs: ProgramBuilder, tmp_path: Path
) -> None:
    """The second of two threads gets the iterations that take longer."""
    flags = ("-DINSIDE",) if place == "inside" else ()
    program = build(programs, open_mpi, "uneven_loop.c", f"uneven-loop-{place}", *flags)
    command = [*launched(open_mpi, 1, "--bind-to", "none"), program, "60", "32", "0.002"]
    environment = {"OMP_NUM_THREADS": "2", "OMP_WAIT_POLICY": "passive", "OMP_SCHEDULE": "static"}
    row = fixed(open_mpi, "dynamic-schedule", command, tmp_path, **environment)
    assert row["verdict"] == "faster", row


def test_what_one_thread_does_alone_is_divided_among_ranks(
    open_mpi: Mpi, programs: ProgramBuilder, tmp_path: Path
) -> None:
    """Half of a step of 30 ms: two ranks of one thread take 20."""
    program = build(programs, open_mpi, "serial_part.c", "serial-part")
    command = [*launched(open_mpi, 1, "--bind-to", "none"), program, "60", "0.02", "0.02"]
    row = fixed(open_mpi, "more-ranks", command, tmp_path, OMP_NUM_THREADS="2", OMP_WAIT_POLICY="passive")
    assert row["verdict"] == "faster", row


def test_hardware_threads_are_left_for_cores(open_mpi: Mpi, programs: ProgramBuilder, tmp_path: Path) -> None:
    """What /sys says of this machine is made up: nothing is gained, nothing was promised, and the trial says so."""
    if os.geteuid() != 0 or shutil.which("unshare") is None:
        pytest.skip("needs root and unshare")
    program = build(programs, open_mpi, SHARED_WORK, "shared-work-fix")
    # Two ranks, which Open MPI binds to processors 0 and 1.
    said = ["unshare", "--mount", "sh", "-c", SAID, "sh", "0-1", "0-1", "2-3", "2-3"]
    command = [*launched(open_mpi, 2), *said, program, "30", "4", "0.01"]
    row = fixed(open_mpi, "one-core-a-rank", command, tmp_path, OMP_NUM_THREADS="1")
    assert row["rounds"] >= 3 and row["verdict"] not in ("failed", "cannot be compared"), row


def test_one_thread_on_each_core_is_tried(open_mpi: Mpi, programs: ProgramBuilder, tmp_path: Path) -> None:
    """Where /sys says that this machine's two processors are one core. They are two: one thread takes longer."""
    if os.geteuid() != 0 or shutil.which("unshare") is None or os.cpu_count() != 2:
        pytest.skip("needs root, unshare and two processors")
    program = build(programs, open_mpi, SHARED_WORK, "shared-work-fix")
    said = ["unshare", "--mount", "sh", "-c", SAID, "sh", *["0-1"] * 4]
    command = [*launched(open_mpi, 1, "--bind-to", "none"), *said, program, "30", "4", "0.01"]
    rows = rows_of(open_mpi, [], command, tmp_path, OMP_NUM_THREADS="2", OMP_WAIT_POLICY="passive")
    assert rows["one-thread-a-core"]["verdict"] == "slower", rows


@contextlib.contextmanager
def group_of(cores: float) -> Iterator[Path]:
    """A control group that grants so many, this process's until then."""
    if os.geteuid() != 0 or not (CGROUP / "cpu.cfs_quota_us").exists():
        pytest.skip("needs root and control groups of version 1")
    group = CGROUP / f"clearway-test-{os.getpid()}"
    group.mkdir()
    try:
        (group / "cpu.cfs_quota_us").write_text(str(round(cores * 100_000)))
        yield group
    finally:
        end = time.monotonic() + 5
        while (group / "cgroup.procs").read_text() and time.monotonic() < end:
            time.sleep(0.05)
        group.rmdir()


def test_the_quota_that_the_page_says_to_raise(open_mpi: Mpi, programs: ProgramBuilder, tmp_path: Path) -> None:
    """As root: the command is typed as it stands there."""
    program = build(programs, open_mpi, SHARED_WORK, "shared-work-fix")
    with group_of(0.8) as group:
        join = ["sh", "-c", 'echo $$ >"$0/cgroup.procs" && exec "$@"', str(group)]
        times_s, command = [], ""
        for name in ("throttled", "raised"):
            words = [*join, program, "30", "4", "0.02"]
            environment = {"OMP_NUM_THREADS": "2", "OMP_WAIT_POLICY": "passive"}
            outcome = run_job(open_mpi, words, 1, tmp_path / name, environment=environment)
            assert outcome.exit_code == 0, outcome.says
            times_s.append(float(outcome.stdout.split()[-4]))
            if name == "throttled":
                found = next(each for each in load_page(tmp_path / name)["findings"] if each["rule"] == "quota")
                offered = next(each for each in found["remedies"] if each["id"] == "host-cpu-quota")
                command = offered["command"].replace("sudo ", "")
                subprocess.run(["sh", "-c", command], check=True, capture_output=True, timeout=10)
        after = [each["rule"] for each in load_page(tmp_path / "raised")["findings"]]
    assert "quota" not in after
    promised = offered["expected_gain_s"] / load_page(tmp_path / "throttled")["job"]["wall_s"]
    assert times_s[1] < (1 - promised / 2) * times_s[0], (times_s, promised, command)


def test_within_a_quota_fewer_threads_spin_less(open_mpi: Mpi, programs: ProgramBuilder, tmp_path: Path) -> None:
    """Three threads use up what two may have, most of it by asking whether the others are done."""
    program = build(programs, open_mpi, SHARED_WORK, "shared-work-fix")
    with group_of(1.0) as group:
        join = ["sh", "-c", 'echo $$ >"$0/cgroup.procs" && exec "$@"', str(group)]
        command = [*launched(open_mpi, 1, "--bind-to", "none"), *join, program, "10", "100", "0.0005"]
        row = fixed(open_mpi, "fewer-threads", command, tmp_path, OMP_NUM_THREADS="3", OMP_WAIT_POLICY="active")
    assert row["verdict"] == "faster", row


def test_comparing_numbers_of_threads_counts_the_time_of_all(
    open_mpi: Mpi, programs: ProgramBuilder, tmp_path: Path
) -> None:
    """Two threads use as much processor time as one does for the same work, and not half of it."""
    program = build(programs, open_mpi, SHARED_WORK, "shared-work-fix")
    told = tmp_path / "compared.json"
    words = ["compare", "--rounds", "3", "--vary", "OMP_NUM_THREADS=1,2", "-o", tmp_path / "runs", "--json", told]
    job = [*launched(open_mpi, 1, "--bind-to", "none"), program, "30", "4", "0.02"]
    environment = {**open_mpi.environment, "OMP_WAIT_POLICY": "passive"}
    outcome = run_command([clearway_tool("clearway"), *words, "--", *job], environment, 250)
    assert outcome.exit_code == 0, outcome.says
    used_s = {row["name"]: row["cpu_s"] for row in json.loads(told.read_text())["rows"]}
    assert used_s["OMP_NUM_THREADS=2"] == pytest.approx(used_s["OMP_NUM_THREADS=1"], rel=0.15), used_s
