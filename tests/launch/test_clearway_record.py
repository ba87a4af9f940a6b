"""clearway-record as a launcher sees it: what the program gets, and that the program runs whatever happens."""

from __future__ import annotations

import os
import re
import shutil
import statistics
import subprocess
import time
from collections.abc import Mapping
from pathlib import Path
from typing import Any

import pytest
from harness.mpis import Mpi, clearway_tool
from harness.runs import Outcome, run_command

SHOW = [
    "sh",
    "-c",
    'echo "$CLEARWAY_DIR|$CLEARWAY_JOB|$CLEARWAY_TIMELINE|$CLEARWAY_SAMPLE_MS|$CLEARWAY_ALWAYS|$LD_PRELOAD"',
]


def record(*words: str | Path, directory: Path, environment: Mapping[str, str] | None = None) -> Outcome:
    return run_command([clearway_tool("clearway-record"), *words], environment, timeout_s=30, directory=directory)


def shown(outcome: Outcome) -> list[str]:
    assert outcome.exit_code == 0, outcome.says
    return outcome.stdout.strip().split("|")


def test_options_reach_the_library(tmp_path: Path) -> None:
    options = ["-o", "a/b", "--timeline=500", "--job", "token", "--sample-ms", "20", "--always", "--"]
    directory, job, timeline, sample_ms, always, preload = shown(record(*options, *SHOW, directory=tmp_path))
    assert (directory, job, timeline, sample_ms, always) == (f"{tmp_path}/a/b", "token", "500", "20", "1")
    assert Path(preload).name == "libclearway.so"
    assert (tmp_path / "a" / "b").is_dir()


def test_defaults(tmp_path: Path) -> None:
    directory, job, timeline, sample_ms, always, _ = shown(record(*SHOW, directory=tmp_path))
    assert directory == f"{tmp_path}/clearway-sh-{job[:8]}"
    assert (timeline, sample_ms, always) == ("0", "100", "")


def test_users_preload_is_kept(tmp_path: Path) -> None:
    preload = shown(record(*SHOW, directory=tmp_path, environment={"LD_PRELOAD": "libm.so.6"}))[-1]
    assert re.fullmatch(r"/.*/libclearway\.so:libm\.so\.6", preload)


def test_each_program_without_a_launcher_is_a_job_of_its_own(tmp_path: Path) -> None:
    jobs = {shown(record(*SHOW, directory=tmp_path))[1] for _ in range(3)}
    assert len(jobs) == 3


def test_ranks_share_a_token_and_jobs_do_not(any_mpi: Mpi, tmp_path: Path) -> None:
    """Also through a shell on each rank, which is what the launcher then sees as the rank."""
    tokens = []
    for _ in range(2):
        script = f'"{clearway_tool("clearway-record")}" sh -c \'echo "token $CLEARWAY_JOB $CLEARWAY_DIR"\'; exit 0'
        job = run_command(any_mpi.command(3, ["sh", "-c", script]), any_mpi.environment, 50, tmp_path)
        lines = {line for line in job.stdout.splitlines() if line.startswith("token ")}
        assert len(lines) == 1, job.says
        tokens += lines
    assert tokens[0] != tokens[1]


@pytest.mark.parametrize("pmix", [{}, {"PMIX_NAMESPACE": "slurm.pmix.17.0"}])
def test_a_requeued_step_is_another_job(pmix: dict[str, str], tmp_path: Path) -> None:
    """Slurm gives it the same number again."""
    attempts = [{}, {"SLURM_RESTART_COUNT": "1"}, {"SLURM_RESTART_COUNT": "2"}]
    tokens = []
    for attempt in attempts:
        names = {"SLURM_JOB_ID": "17", "SLURM_STEP_ID": "0", **pmix, **attempt}
        ranks = {shown(record(*SHOW, directory=tmp_path, environment=names | {"PMI_RANK": rank}))[1] for rank in "01"}
        assert len(ranks) == 1
        tokens += ranks
    assert len(set(tokens)) == len(attempts)


@pytest.mark.parametrize(
    ("program", "exit_code", "message"),
    [
        ("no-such-program", 127, "cannot run 'no-such-program': No such file or directory"),
        ("./no-such-program", 127, "cannot run './no-such-program': No such file or directory"),
        ("/etc/passwd", 126, "cannot run '/etc/passwd': Permission denied"),
        ("/etc", 126, "cannot run '/etc': Permission denied"),
    ],
)
def test_program_that_cannot_run(program: str, exit_code: int, message: str, tmp_path: Path) -> None:
    outcome = record(program, directory=tmp_path)
    assert outcome.exit_code == exit_code
    assert outcome.stderr == f"clearway-record: {message}\n"
    assert not list(tmp_path.iterdir())


def test_a_mistyped_program_is_not_found_though_a_folder_may_not_be_searched(tmp_path: Path) -> None:
    """As where `sudo` or a module file has left a folder of another user in the PATH."""
    closed = tmp_path / "closed"
    closed.mkdir(mode=0o000)
    tmp_path.chmod(0o755)
    nobody: dict[str, Any] = {"user": 65534, "group": 65534, "extra_groups": []} if os.getuid() == 0 else {}
    tool = clearway_tool("clearway-record")
    if nobody and subprocess.run(["test", "-x", tool], cwd="/", check=False, **nobody).returncode != 0:
        pytest.skip("another user cannot start clearway-record here")
    environment = {"PATH": f"{closed}:/usr/bin:/bin"}
    words = [tool, "-o", tmp_path / "run", "no-such-program"]
    told = subprocess.run(words, cwd="/", env=environment, capture_output=True, text=True, timeout=30, **nobody)
    assert told.returncode == 127
    assert told.stderr == "clearway-record: cannot run 'no-such-program': No such file or directory\n"


@pytest.mark.parametrize("words", [["--frob"], ["-o"], ["--timeline=x", "true"], ["--sample-ms", "0", "true"], []])
def test_wrong_options(words: list[str], tmp_path: Path) -> None:
    outcome = record(*words, directory=tmp_path)
    assert outcome.exit_code == 2
    assert "hint: clearway-record --help" in outcome.stderr
    assert outcome.stdout == ""


def test_program_without_hash_bang_runs_as_from_a_shell(tmp_path: Path) -> None:
    script = tmp_path / "script"
    script.write_text("echo plain\n")
    script.chmod(0o755)
    assert record(script, directory=tmp_path).stdout == "plain\n"


def test_directory_that_cannot_be_made_leaves_the_job_alone(tmp_path: Path) -> None:
    (tmp_path / "file").write_text("")
    outcome = record("-o", "file/run", "echo", "results", directory=tmp_path)
    assert (outcome.exit_code, outcome.stdout) == (0, "results\n")
    assert (
        f"'echo' runs unrecorded: cannot make the Run directory '{tmp_path}/file/run': Not a directory"
        in outcome.stderr
    )
    assert "hint:" in outcome.stderr


def test_a_folder_that_clearway_run_made_elsewhere(tmp_path: Path) -> None:
    """As on a node that does not share the file system."""
    made_by_run = ("--job", "0123456789abcdef", "-o", "run", "echo", "results")
    outcome = record(*made_by_run, directory=tmp_path)
    assert (outcome.exit_code, outcome.stdout) == (0, "results\n")
    assert f"does not see the folder '{tmp_path}/run' that `clearway run` made: its records stay on" in outcome.stderr
    (tmp_path / "run" / "run.json").write_text("{}")
    assert record(*made_by_run, directory=tmp_path).stderr == ""
    by_hand = record("--job", "mine", "-o", "other", "echo", directory=tmp_path)
    assert by_hand.stderr == ""


def test_trouble_is_told_once_a_host(open_mpi: Mpi, tmp_path: Path) -> None:
    (tmp_path / "file").write_text("")
    program = [clearway_tool("clearway-record"), "-o", tmp_path / "file" / "run", "echo", "results"]
    outcome = run_command(open_mpi.command(3, program), open_mpi.environment, 50, tmp_path)
    assert outcome.stdout == "results\n" * 3
    assert outcome.stderr.count("runs unrecorded") == 1


def test_static_program_is_told(tmp_path: Path) -> None:
    source = tmp_path / "static.c"
    source.write_text('#include <stdio.h>\nint main(void) { puts("static"); return 3; }\n')
    subprocess.run(["cc", "-static", "-o", tmp_path / "static", source], check=True, timeout=60)
    outcome = record(tmp_path / "static", directory=tmp_path)
    assert (outcome.exit_code, outcome.stdout) == (3, "static\n")
    assert "statically linked" in outcome.stderr and "hint: " in outcome.stderr


def test_program_of_another_libc_is_told(tmp_path: Path) -> None:
    """musl's loader would end it, asked to preload a library of glibc's."""
    source = tmp_path / "alpine.c"
    source.write_text("int main(void) { return 3; }\n")
    loader = "-Wl,--dynamic-linker=/lib/ld-musl-x86_64.so.1"  # need not be there: nothing is said of that
    subprocess.run(["cc", loader, "-o", tmp_path / "alpine", source], check=True, timeout=60)
    outcome = record(tmp_path / "alpine", directory=tmp_path)
    assert "runs unrecorded: it is linked with musl; only programs linked with glibc can be recorded" in outcome.stderr


def test_where_there_is_no_room_for_our_variables_the_program_runs_without(tmp_path: Path) -> None:
    """The kernel limits arguments and environment together: a program's may fill all of it."""
    command = [str(clearway_tool("clearway-record")), "-o", "run", "sh", "-c", 'echo "$LD_PRELOAD|$CLEARWAY_DIR|$LAST"']
    bare = {name: value for name, value in os.environ.items() if not name.startswith(("CLEARWAY", "LD_"))}

    def started(filling: int) -> subprocess.CompletedProcess[str]:
        full = {f"FULL{part}": "x" * min(100_000, filling - at) for part, at in enumerate(range(0, filling, 100_000))}
        environment = {**bare, **full, "LAST": "here"}
        return subprocess.run(command, env=environment, cwd=tmp_path, capture_output=True, text=True, timeout=30)

    fits, too_much = 100_000, 20_000_000
    while too_much - fits > 1:
        middle = (fits + too_much) // 2
        try:
            started(middle)
            fits = middle
        except OSError:  # there is no room for clearway-record itself
            too_much = middle
    crowded = started(fits)
    assert (crowded.returncode, crowded.stdout) == (0, "||here\n"), crowded.stderr
    assert "runs unrecorded: its arguments and environment leave no room" in crowded.stderr
    assert "libclearway.so|" in started(fits - 20_000).stdout


@pytest.mark.skipif(os.getuid() != 0, reason="only root can make a file of another user")
def test_setuid_program_is_told(tmp_path: Path) -> None:
    program = tmp_path / "echo"
    shutil.copy("/bin/echo", program)
    os.chown(program, 65534, 65534)
    program.chmod(0o4755)
    outcome = record(program, "results", directory=tmp_path)
    assert (outcome.exit_code, outcome.stdout) == (0, "results\n")
    assert "setuid" in outcome.stderr


def test_installed_under_a_path_that_the_loader_cannot_take(tmp_path: Path) -> None:
    prefix = tmp_path / "a prefix"
    real = clearway_tool("clearway-record").resolve()
    (prefix / "bin").mkdir(parents=True)
    (prefix / "lib").mkdir()
    shutil.copy(real, prefix / "bin")
    shutil.copy(real.parent.parent / "lib" / "libclearway.so", prefix / "lib")
    outcome = run_command([prefix / "bin" / "clearway-record", "echo", "results"], directory=tmp_path)
    assert (outcome.exit_code, outcome.stdout) == (0, "results\n")
    assert "install it under a path without spaces" in outcome.stderr


@pytest.mark.skipif(os.getuid() != 0, reason="hiding /proc needs root")
def test_the_library_is_found_without_proc(tmp_path: Path) -> None:
    hidden = ["unshare", "--mount", "sh", "-c", 'mount -t tmpfs none /proc && exec "$@"', "sh"]
    outcome = run_command([*hidden, clearway_tool("clearway-record"), "-o", "run", *SHOW], directory=tmp_path)
    assert (outcome.exit_code, outcome.stderr) == (0, "")
    assert outcome.stdout.rstrip().endswith("/libclearway.so")


@pytest.mark.timed
def test_starts_a_rank_in_less_than_5_ms(tmp_path: Path) -> None:
    """The program is one that our library does not enter, so that the launcher alone is measured."""
    source = tmp_path / "nothing.c"
    source.write_text("int main(void) { return 0; }\n")
    subprocess.run(["cc", "-static", "-o", tmp_path / "nothing", source], check=True, timeout=60)
    bare, recorded = [], []
    for _ in range(30):
        for command, times in (
            ([str(tmp_path / "nothing")], bare),
            ([str(clearway_tool("clearway-record")), str(tmp_path / "nothing")], recorded),
        ):
            begin = time.perf_counter()
            subprocess.run(command, cwd=tmp_path, stderr=subprocess.DEVNULL, check=True, timeout=30)
            times.append(time.perf_counter() - begin)
    assert statistics.median(recorded) - statistics.median(bare) < 0.005


@pytest.mark.parametrize("launcher", ["SLURM_PROCID", "OMPI_COMM_WORLD_RANK"])
def test_a_rank_may_be_in_the_working_directory(launcher: str, tmp_path: Path) -> None:
    """As srun and Open MPI's mpirun start it: `srun a.out`. It is told the name that was typed."""
    (tmp_path / "a.out").symlink_to("/bin/sh")
    outcome = record("-o", "run", "a.out", "-c", "echo $0", directory=tmp_path, environment={launcher: "0"})
    assert (outcome.exit_code, outcome.stdout) == (0, "a.out\n"), outcome.says
    outcome = record("-o", "run", "a.out", "-c", "echo $0", directory=tmp_path)
    assert (outcome.exit_code, outcome.stdout) == (127, ""), "no shell starts it"
