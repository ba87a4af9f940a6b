"""When recording cannot work, the job does not notice: same output, same exit code, hardly a word on stderr."""

from __future__ import annotations

import contextlib
import os
import subprocess
from collections.abc import Iterator
from pathlib import Path

import pytest
from harness.mpis import Mpi, clearway_tool
from harness.programs import ProgramBuilder
from harness.runs import Outcome, load_page, own_words, run_command, run_job


@contextlib.contextmanager
def small_file_system(directory: Path, size: str) -> Iterator[Path]:
    """A tmpfs of `size` mounted on `directory`."""
    directory.mkdir()
    mount = subprocess.run(
        ["mount", "-t", "tmpfs", "-o", f"size={size}", "clearway-test", str(directory)], capture_output=True, text=True
    )
    if mount.returncode != 0:
        pytest.skip(f"no privilege to mount a small file system: {mount.stderr.strip()}")
    try:
        yield directory
    finally:
        subprocess.run(["umount", "-l", str(directory)], check=True)


def assert_unharmed(recorded: Outcome, bare: Outcome, ranks: int = 2) -> None:
    assert recorded.exit_code == bare.exit_code, recorded.says
    assert recorded.lines == bare.lines
    assert len(own_words(recorded.stderr)) <= 2 * ranks, recorded.stderr


@pytest.fixture
def job(debian_mpi: Mpi, programs: ProgramBuilder) -> tuple[Mpi, list[str | Path], Outcome]:
    """An MPI, a program that is busy with many communicators, peers and threads, and its bare outcome."""
    program: list[str | Path] = [programs.build(debian_mpi, "threads", "threads.c", "tally.c")]
    return debian_mpi, program, run_job(debian_mpi, program)


@pytest.mark.parametrize("size", ["4k", "64k", "256k", "700k"])
def test_full_disk(job: tuple[Mpi, list[str | Path], Outcome], size: str, tmp_path: Path) -> None:
    mpi, program, bare = job
    with small_file_system(tmp_path / "disk", size) as disk:
        recorded = run_job(mpi, program, run_directory=disk / "run")
        assert_unharmed(recorded, bare)
        if list(disk.glob("run/rank.*.cwr")):
            page = load_page_from(disk / "run", tmp_path)
            assert not page["job"]["complete"] or page["job"]["notes"]


def load_page_from(run_directory: Path, elsewhere: Path) -> dict:  # type: ignore[type-arg]
    """The page of a Run on a full disk, written elsewhere."""
    copy = elsewhere / "copy"
    subprocess.run(["cp", "-r", str(run_directory), str(copy)], check=True)
    return load_page(copy)


def test_read_only_directory(job: tuple[Mpi, list[str | Path], Outcome], tmp_path: Path) -> None:
    mpi, program, bare = job
    with small_file_system(tmp_path / "disk", "1m") as disk:
        subprocess.run(["mount", "-o", "remount,ro", str(disk)], check=True)
        recorded = run_job(mpi, program, run_directory=disk / "run")
        assert_unharmed(recorded, bare)


def in_full(disk: Path, *words: str, **environment: str) -> Outcome:
    command = [clearway_tool("clearway"), "run", "-o", disk / "run", "--", *words]
    return run_command(command, environment, 50, disk)


def test_a_disk_that_is_full_when_clearway_run_begins(tmp_path: Path) -> None:
    """An empty file can be made there, and no more. In a batch job nobody is there to choose another."""
    job = ("sh", "-c", "echo results; exit 3")
    with small_file_system(tmp_path / "disk", "64k") as disk:
        with (disk / "full").open("wb", buffering=0) as file, contextlib.suppress(OSError):
            while True:
                file.write(bytes(4096))
        refused = in_full(disk, *job)
        assert (refused.exit_code, refused.stdout) == (1, "")
        assert f"error: cannot write to the Run directory '{disk}/run': No space left on device" in refused.stderr
        batch = in_full(disk, *job, SLURM_JOB_ID="7")
        assert (batch.exit_code, batch.stdout) == (3, "results\n"), batch.says
        assert "runs without Clearway: cannot write to the Run directory" in batch.stderr
        assert not (disk / "run").exists()
        os.truncate(disk / "full", 48 * 1024)  # 16 KiB are enough for run.json
        outcome = in_full(disk, *job)
        assert (outcome.exit_code, outcome.stdout) == (3, "results\n"), outcome.says
        assert f"hint: there is no space left for '{disk}/run': free some" in outcome.stderr


def test_directory_is_a_file(job: tuple[Mpi, list[str | Path], Outcome], tmp_path: Path) -> None:
    mpi, program, bare = job
    (tmp_path / "run").write_text("in the way")
    assert_unharmed(run_job(mpi, program, run_directory=tmp_path / "run"), bare)
    assert (tmp_path / "run").read_text() == "in the way"


def test_directory_removed_during_the_run(debian_mpi: Mpi, programs: ProgramBuilder, tmp_path: Path) -> None:
    program = programs.build(debian_mpi, "busy", "busy.c")
    bare = run_job(debian_mpi, [program, "1.0"])
    remover = subprocess.Popen(["sh", "-c", f"sleep 0.7; rm -rf {tmp_path}/run"])
    recorded = run_job(debian_mpi, [program, "1.0"], run_directory=tmp_path / "run")
    remover.wait(timeout=10)
    assert_unharmed(recorded, bare)


@pytest.mark.parametrize("blocks", [1, 8, 400])
def test_small_files_only(open_mpi: Mpi, blocks: int, programs: ProgramBuilder, tmp_path: Path) -> None:
    """A record that may not grow must not bring SIGXFSZ over the job. Without shared memory Open MPI needs no files."""
    program = programs.build(open_mpi, "threads", "threads.c", "tally.c")
    script = tmp_path / "limited.sh"
    script.write_text(f'#!/bin/sh\nulimit -f {blocks}\nexec "$@"\n')
    script.chmod(0o755)
    without_files = {"OMPI_MCA_btl": "tcp,self", "OMPI_MCA_btl_tcp_if_include": "lo", "OMPI_MCA_osc": "pt2pt"}
    bare = run_job(open_mpi, [script, program], environment=without_files)
    if bare.exit_code != 0:
        pytest.skip(f"this MPI itself does not run under ulimit -f {blocks}")
    recorded = run_job(open_mpi, [script, program], run_directory=tmp_path / "run", environment=without_files)
    assert_unharmed(recorded, bare)


@pytest.mark.parametrize("limit", ["-n 40", "-l 0", "-s 512"])
def test_small_limits(debian_mpi: Mpi, limit: str, programs: ProgramBuilder, tmp_path: Path) -> None:
    program = programs.build(debian_mpi, "threads", "threads.c", "tally.c")
    script = tmp_path / "limited.sh"
    # The limit is set after clearway-record has started, as a site's own wrapper would.
    script.write_text(f'#!/bin/sh\nulimit {limit}\nexec "$@"\n')
    script.chmod(0o755)
    bare = run_job(debian_mpi, [script, program])
    if bare.exit_code != 0:
        pytest.skip(f"this MPI itself does not run under ulimit {limit}")
    recorded = run_job(debian_mpi, [script, program], run_directory=tmp_path / "run")
    assert_unharmed(recorded, bare)


def test_no_proc(debian_mpi: Mpi, programs: ProgramBuilder, tmp_path: Path) -> None:
    """Some containers hide /proc."""
    if os.geteuid() != 0:
        pytest.skip("hiding /proc needs root")
    program = programs.build(debian_mpi, "threads", "threads.c", "tally.c")
    script = tmp_path / "hidden.sh"
    script.write_text('#!/bin/sh\nexec unshare --mount sh -c \'mount -t tmpfs none /proc && exec "$@"\' sh "$@"\n')
    script.chmod(0o755)
    bare = run_job(debian_mpi, [script, program])
    if bare.exit_code != 0:
        pytest.skip("this MPI itself needs /proc")
    assert_unharmed(run_job(debian_mpi, [script, program], run_directory=tmp_path / "run"), bare)


WAYS = [["--always"], ["--flow"], ["--io-cache=64Mi"], ["--always", "--io-cache=64Mi"]]


@pytest.mark.parametrize("options", WAYS)
@pytest.mark.parametrize("usable", [True, False], ids=["recorded", "full"])
def test_main_begins_as_c_promises(programs: ProgramBuilder, options: list[str], usable: bool, tmp_path: Path) -> None:
    program = programs.build_plain("first_state", "first_state.c")
    with small_file_system(tmp_path / "disk", "1m" if usable else "4k") as disk:
        record = [clearway_tool("clearway-record"), *options, "-o", disk / "run", "--"]
        outcome = run_command([*record, program], {"PSI_SCRATCH": str(tmp_path)})
    assert (outcome.exit_code, outcome.stdout) == (0, "errno 0, raised 0\n"), outcome.says


@pytest.mark.parametrize("options", WAYS)
def test_what_dlerror_says_is_printed(programs: ProgramBuilder, options: list[str], tmp_path: Path) -> None:
    """To find libc's functions when they were first called freed the very message that they were to print."""
    program = programs.build_plain("dlerror", "dlerror.c")
    record = [clearway_tool("clearway-record"), *options, "-o", tmp_path / "run", "--"]
    bare = run_command([program], directory=tmp_path)
    outcome = run_command([*record, program], {"PSI_SCRATCH": str(tmp_path)}, directory=tmp_path)
    message = "no-such-library.so: cannot open shared object file: No such file or directory"
    assert bare.stdout.splitlines() == ["nothing", *[message] * 4]
    assert (outcome.exit_code, outcome.stdout) == (0, bare.stdout), outcome.says


@pytest.mark.parametrize("options", WAYS)
def test_no_exception_of_arithmetic_is_raised(programs: ProgramBuilder, options: list[str], tmp_path: Path) -> None:
    program = programs.build_plain("raised", "raised.c", flags=["-Wl,--no-as-needed", "-lm"])
    record = [clearway_tool("clearway-record"), *options, "-o", tmp_path / "run", "--"]
    outcome = run_command([*record, program])
    assert (outcome.exit_code, outcome.stdout) == (0, "raised 0\n"), outcome.says
