"""`clearway run` is not noticed by the job nor by who waits for it: streams, exit code, signals."""

from __future__ import annotations

import contextlib
import json
import os
import pty
import signal
import subprocess
import sys
import time
from collections.abc import Callable
from concurrent.futures import ThreadPoolExecutor
from pathlib import Path
from typing import Any

import pytest
from harness.mpis import Mpi, clearway_tool
from harness.runs import Outcome, run_command

from clearway.commands.run import why_nothing
from clearway.job.run_directory import claim_run_directory


def clearway_run(*words: str | Path, directory: Path, mpi: Mpi | None = None) -> Outcome:
    environment = mpi.environment if mpi is not None else {}
    return run_command([clearway_tool("clearway"), "run", "-o", "run", "--", *words], environment, 50, directory)


def journal(directory: Path) -> dict[str, Any]:
    read: dict[str, Any] = json.loads((directory / "run" / "run.json").read_text())
    return read


@pytest.mark.parametrize("exit_code", [0, 1, 7, 255])
def test_output_and_exit_code(any_mpi: Mpi, exit_code: int, tmp_path: Path) -> None:
    job = any_mpi.command(1, ["sh", "-c", f"printf 'a\\tb\\n'; echo c >&2; exit {exit_code}"])
    bare = run_command(job, any_mpi.environment, 50, tmp_path)
    outcome = clearway_run(*job, mpi=any_mpi, directory=tmp_path)
    assert outcome.stdout == bare.stdout
    assert outcome.exit_code == bare.exit_code
    assert "c\n" in outcome.stderr
    assert journal(tmp_path)["exit_code"] == bare.exit_code
    assert journal(tmp_path)["command"] == job


def test_a_program_is_found_where_the_launcher_finds_it(any_mpi: Mpi, tmp_path: Path) -> None:
    """Open MPI's mpirun looks in the working directory, too: `mpirun a.out`."""
    (tmp_path / "a.out").symlink_to("/bin/sh")
    job = any_mpi.command(1, ["a.out", "-c", "echo $0"])
    bare = run_command(job, any_mpi.environment, 50, tmp_path)
    assert bare.exit_code == 0 or "openmpi-debian" not in any_mpi.name, bare.says
    outcome = clearway_run(*job, mpi=any_mpi, directory=tmp_path)
    assert bare.exit_code != 0 or (outcome.exit_code, outcome.stdout) == (0, bare.stdout), outcome.says


def test_a_program_is_found_in_the_folder_that_the_launcher_is_told(any_mpi: Mpi, tmp_path: Path) -> None:
    """`mpirun --path FOLDER a.out`, of Open MPI and Intel MPI; each means something else by it."""
    if "mpich" in any_mpi.name:
        pytest.skip("has no such option")
    (tmp_path / "bin").mkdir()
    (tmp_path / "bin" / "a.out").symlink_to("/bin/sh")
    option = "--path" if any_mpi.family == "openmpi" else "-path"
    job = [*any_mpi.launcher, option, "bin", "-n", "1", "a.out", "-c", "echo $0 $OMPI_COMMAND $OMPI_ARGV"]
    bare = run_command(job, any_mpi.environment, 50, tmp_path)
    assert bare.exit_code == 0 and "a.out" in bare.stdout, bare.says
    outcome = clearway_run(*job, mpi=any_mpi, directory=tmp_path)
    assert (outcome.exit_code, outcome.stdout) == (0, bare.stdout), outcome.says


def test_the_launched_command_is_recorded(any_mpi: Mpi, tmp_path: Path) -> None:
    job = any_mpi.command(2, ["sh", "-c", "echo $CLEARWAY_DIR $CLEARWAY_JOB"])
    outcome = clearway_run(*job, mpi=any_mpi, directory=tmp_path)
    assert outcome.stdout.splitlines() == [f"{tmp_path}/run {journal(tmp_path)['job']}"] * 2, outcome.says


def test_each_rank_that_starts_it_is_told_how_to_get_one_run(any_mpi: Mpi, tmp_path: Path) -> None:
    """`clearway run` behind the launcher instead of before it: once for all ranks, and not within its own job."""
    own = [str(clearway_tool("clearway")), "run", "-o", "run", "--"]
    outcome = run_command(any_mpi.command(2, [*own, "sh", "-c", "sleep 0.1"]), any_mpi.environment, 50, tmp_path)
    assert outcome.stderr.count("each of 2 ranks has started `clearway run`") == 1, outcome.says
    assert len([path for path in tmp_path.iterdir() if path.is_dir()]) == 2
    outcome = clearway_run(*any_mpi.command(2, ["true"]), mpi=any_mpi, directory=tmp_path)
    assert "each of" not in outcome.stderr


@pytest.mark.parametrize("umask", ["077", "002"])
def test_its_file_keeps_to_the_umask(umask: str, tmp_path: Path) -> None:
    command = f"umask {umask}; exec {clearway_tool('clearway')} run -q -o run -- true"
    assert run_command(["sh", "-c", command], {}, 50, tmp_path).exit_code == 0
    assert (tmp_path / "run" / "run.json").stat().st_mode & 0o777 == 0o666 & ~int(umask, 8)


def test_standard_input_reaches_the_job(open_mpi: Mpi, tmp_path: Path) -> None:
    command = [str(clearway_tool("clearway")), "run", "-q", "--", *open_mpi.command(1, ["cat"])]
    job = subprocess.run(
        command,
        input=b"\x00\xffbytes\n",
        capture_output=True,
        timeout=50,
        cwd=tmp_path,
        check=True,
        env={**os.environ, **open_mpi.environment},
    )
    assert job.stdout == b"\x00\xffbytes\n"
    assert job.stderr == b""


@pytest.mark.parametrize("number", [signal.SIGKILL, signal.SIGSEGV, signal.SIGUSR1])
def test_ends_by_the_signal_that_ended_the_job(number: signal.Signals, tmp_path: Path) -> None:
    outcome = clearway_run("sh", "-c", f"kill -{number.value} $$", directory=tmp_path)
    assert outcome.exit_code == -number
    assert journal(tmp_path)["exit_code"] == 128 + number


# Written without Python's buffers: the signal may come before `ready` has left them, and they may not be entered twice.
WAITS_FOR_SIGNAL = """
import os, signal, sys, time
def tell(number, frame):
    os.write(1, f"got {signal.Signals(number).name}\\n".encode())
    sys.exit(9)
for each in (signal.SIGINT, signal.SIGTERM, signal.SIGHUP, signal.SIGUSR1, signal.SIGUSR2):
    signal.signal(each, tell)
os.write(1, b"ready\\n")
time.sleep(40)
"""


def start(directory: Path, *program: str) -> subprocess.Popen[str]:
    command = [str(clearway_tool("clearway")), "run", "-o", "run", "-q", "--", *program]
    # In a group of its own, as a shell starts it: the kernel stops no group that has no parent outside to wake it.
    return subprocess.Popen(command, stdout=subprocess.PIPE, text=True, cwd=directory, process_group=0)


def state(pid: int) -> str:
    return Path(f"/proc/{pid}/stat").read_text().rpartition(")")[2].split()[0]


def wait_until(condition: Callable[[], bool]) -> None:
    deadline = time.monotonic() + 20
    while not condition():
        assert time.monotonic() < deadline
        time.sleep(0.02)


@pytest.mark.parametrize("name", ["SIGINT", "SIGTERM", "SIGHUP", "SIGUSR1", "SIGUSR2"])
def test_signals_are_passed_on(name: str, tmp_path: Path) -> None:
    job = start(tmp_path, sys.executable, "-c", WAITS_FOR_SIGNAL)
    assert job.stdout is not None
    assert job.stdout.readline() == "ready\n"
    job.send_signal(signal.Signals[name])
    assert job.communicate(timeout=30)[0] == f"got {name}\n"
    assert job.returncode == 9
    assert journal(tmp_path)["exit_code"] == 9


COUNTS_INTERRUPTS = """
import signal, time
count = 0
def tell(number, frame):
    global count
    count += 1
signal.signal(signal.SIGINT, tell)
print("ready", flush=True)
until = time.monotonic() + 20
while not count and time.monotonic() < until:
    time.sleep(0.05)
time.sleep(0.5)
print("interrupts:", count, flush=True)
"""


def test_ctrl_c_reaches_the_job_once(tmp_path: Path) -> None:
    """The terminal has sent it to the whole group already; mpirun takes a second one for impatience."""
    child, terminal = pty.fork()
    if child == 0:
        os.chdir(tmp_path)
        clearway = str(clearway_tool("clearway"))
        os.execv(clearway, [clearway, "run", "-q", "--", sys.executable, "-c", COUNTS_INTERRUPTS])
    shown = b""
    with contextlib.suppress(OSError):  # the terminal's end of file
        while piece := os.read(terminal, 1024):
            shown += piece
            if shown.endswith(b"ready\r\n"):
                os.write(terminal, b"\x03")
    os.close(terminal)
    assert os.waitstatus_to_exitcode(os.waitpid(child, 0)[1]) == 0
    assert shown.endswith(b"interrupts: 1\r\n"), shown


def test_stops_and_goes_on_with_the_job(tmp_path: Path) -> None:
    job = start(tmp_path, "sh", "-c", "echo ready; sleep 0.5; echo done")
    assert job.stdout is not None
    assert job.stdout.readline() == "ready\n"
    job.send_signal(signal.SIGTSTP)
    wait_until(lambda: state(job.pid) == "T")
    job.send_signal(signal.SIGCONT)
    assert job.communicate(timeout=30)[0] == "done\n"
    assert job.returncode == 0


STOPS_ITSELF = "echo $$; kill -STOP $$; echo done"


def test_a_job_that_was_stopped_alone_goes_on_alone(tmp_path: Path) -> None:
    """Whoever stopped it wakes it by its own process id, and nobody would wake us."""
    job = start(tmp_path, "sh", "-c", STOPS_ITSELF)
    assert job.stdout is not None
    pid = int(job.stdout.readline())
    wait_until(lambda: state(pid) == "T")
    time.sleep(0.1)
    os.kill(pid, signal.SIGCONT)
    assert job.communicate(timeout=30)[0] == "done\n"
    assert job.returncode == 0


def test_who_presses_ctrl_z_at_a_job_that_stopped_itself_has_the_shell_again(tmp_path: Path) -> None:
    job = start(tmp_path, "sh", "-c", STOPS_ITSELF)
    assert job.stdout is not None
    pid = int(job.stdout.readline())
    wait_until(lambda: state(pid) == "T")
    os.killpg(job.pid, signal.SIGTSTP)
    wait_until(lambda: state(job.pid) == "T")
    os.killpg(job.pid, signal.SIGCONT)
    assert job.communicate(timeout=30)[0] == "done\n"
    assert job.returncode == 0


def test_job_starts_with_the_signals_of_a_shell(tmp_path: Path) -> None:
    """Python ignores SIGPIPE and blocks what it waits for; neither may reach the job."""
    look = ("grep", "-E", "^Sig(Blk|Ign)", "/proc/self/status")
    outcome = clearway_run(*look, directory=tmp_path)
    bare = subprocess.run(look, capture_output=True, text=True, check=True)
    c_library_own = 1 << 31 | 1 << 32  # signals 32 and 33, which glibc's posix_spawn ignores until a thread needs them
    masks = [[int(line.split()[1], 16) & ~c_library_own for line in text.splitlines()]
             for text in (outcome.stdout, bare.stdout)]  # fmt: skip
    assert masks[0] == masks[1], outcome.says
    assert not masks[0][1] & 1 << signal.SIGPIPE - 1


def test_a_directory_in_use_gets_one_beside_it(tmp_path: Path) -> None:
    (tmp_path / "run").mkdir()
    (tmp_path / "run" / "precious").write_text("x")
    for number in (2, 3):
        outcome = clearway_run("touch", "ran", directory=tmp_path)
        assert outcome.exit_code == 0
        assert f"the Run goes to run-{number}\n" in outcome.stderr
        assert (tmp_path / f"run-{number}" / "run.json").exists()
    assert [path.name for path in (tmp_path / "run").iterdir()] == ["precious"]


def test_a_file_is_no_directory(tmp_path: Path) -> None:
    (tmp_path / "run").write_text("x")
    outcome = clearway_run("touch", "ran", directory=tmp_path)
    assert outcome.exit_code == 1
    assert outcome.stderr == (
        f"error: cannot make the Run directory '{tmp_path}/run': it is a file\n\n"
        "hint: choose another directory: -o DIR\n"
    )
    assert not (tmp_path / "ran").exists()


def test_a_link_to_nothing_is_no_file(tmp_path: Path) -> None:
    """To scratch that was tidied up."""
    (tmp_path / "run").symlink_to(tmp_path / "purged" / "run")
    outcome = clearway_run("touch", "ran", directory=tmp_path)
    assert outcome.exit_code == 1
    assert f"'{tmp_path}/run': it is a link to what is not there\n" in outcome.stderr


def test_an_output_that_is_empty_is_none(tmp_path: Path) -> None:
    """`-o "$RUN"` where RUN is not set: not the working directory, and not one beside it."""
    here = tmp_path / "here"
    here.mkdir()
    (here / "input").write_text("x")
    command = [clearway_tool("clearway"), "run", "-o", "", "--", "true"]
    outcome = run_command(command, {}, 50, here)
    assert outcome.exit_code == 0
    assert "is not empty" not in outcome.stderr
    assert [path.name for path in tmp_path.iterdir()] == ["here"]
    assert [path.name for path in here.glob("clearway-true-*/run.json")] == ["run.json"]


def test_tasks_that_start_together_have_a_directory_each(tmp_path: Path) -> None:
    with ThreadPoolExecutor(8) as pool:
        made = list(pool.map(lambda _: claim_run_directory(str(tmp_path / "run"), "md"), range(8)))
    assert sorted(made) == [tmp_path / "run", *(tmp_path / f"run-{number}" for number in range(2, 9))]


def test_mistyped_command_leaves_nothing_behind(open_mpi: Mpi, tmp_path: Path) -> None:
    outcome = clearway_run(open_mpi.launcher[0], "--frob", "./a.out", mpi=open_mpi, directory=tmp_path)
    assert outcome.exit_code == 1
    assert "clearway-record PROGRAM" in outcome.stderr
    assert not list(tmp_path.iterdir())


def test_a_batch_job_with_an_option_that_is_newer_than_clearway_runs(tmp_path: Path) -> None:
    """It has waited for its hosts. Nothing is guessed: the command runs as it was typed."""
    launcher = tmp_path / "bin" / "srun"
    launcher.parent.mkdir()
    launcher.write_text('#!/bin/sh\necho "$@" ${LD_PRELOAD:-alone}; exit 3\n')
    launcher.chmod(0o755)
    environment = {"PATH": f"{launcher.parent}:{os.environ['PATH']}", "SLURM_JOB_ID": "7"}
    command = [clearway_tool("clearway"), "run", "-o", "run", "--", "srun", "--frob", "./a.out"]
    outcome = run_command(command, environment, 50, tmp_path)
    assert (outcome.exit_code, outcome.stdout) == (3, "--frob ./a.out alone\n"), outcome.says
    told = "clearway: 'srun' runs without Clearway: Clearway does not know the option '--frob' of srun"
    assert outcome.stderr.startswith(told)
    hint = "hint: put clearway-record before the program yourself: srun … clearway-record PROGRAM …"
    assert hint in outcome.stderr.splitlines()
    assert not (tmp_path / "run").exists()


def test_the_folder_of_a_run_below_the_root_is_told_in_full(tmp_path: Path) -> None:
    """A script that did `cd /`: whoever reads its output stands elsewhere."""
    command = [clearway_tool("clearway"), "run", "-o", tmp_path / "run", "--", "true"]
    outcome = run_command(command, {}, 50, Path("/"))
    assert f"clearway: see `clearway report {tmp_path}/run`\n" in outcome.stderr


def test_program_without_mpi_is_recorded(tmp_path: Path) -> None:
    outcome = clearway_run("true", directory=tmp_path)
    assert outcome.exit_code == 0
    assert "clearway report run" in outcome.stderr, outcome.says
    assert len(list((tmp_path / "run").glob("rank.*.cwr"))) == 1


def test_job_that_recorded_nothing_is_told(open_mpi: Mpi, tmp_path: Path) -> None:
    outcome = clearway_run(*open_mpi.command(1, ["true"]), mpi=open_mpi, directory=tmp_path)
    assert outcome.exit_code == 0
    assert f"nothing was recorded in {tmp_path}/run" in outcome.stderr
    assert "env -i, unset LD_PRELOAD" in outcome.stderr


def test_copies_of_a_program_without_mpi_may_be_the_reason(tmp_path: Path) -> None:
    """As with ASE, whose calculators mostly have no MPI: all ranks of `mpirun python md.py` do the same."""
    assert "each copy does all of the work" in why_nothing(tmp_path, ["/opt/bin/mpirun", "-np", "2", "python", "md.py"])
    assert "each copy" not in why_nothing(tmp_path, ["python", "md.py"])
    assert "each copy" not in why_nothing(tmp_path)
    refused = why_nothing(tmp_path, ["srun", "-n", "9", "./md"], 1)
    assert refused.startswith("the command ended with exit code 1, and the job's messages above may say why.")
    assert "each copy" not in refused


def test_a_program_that_was_not_started_is_the_reason(tmp_path: Path) -> None:
    """A mistyped name: no list of everything else that may be wrong."""
    outcome = run_command([clearway_tool("clearway"), "run", "-o", "run", "--", "env", "lpm"], directory=tmp_path)
    assert outcome.exit_code == 127
    assert "cannot run 'lpm': No such file or directory" in outcome.stderr
    assert "is its name right" in outcome.stderr and "env -i" not in outcome.stderr


def test_an_installation_that_cannot_be_preloaded_is_the_reason(
    monkeypatch: pytest.MonkeyPatch, tmp_path: Path
) -> None:
    """The program did start, and it may well be an MPI's."""
    assert "did the program start" in why_nothing(tmp_path)
    monkeypatch.setattr("clearway.base.installed.find_program", lambda name: tmp_path / "my tools" / name)
    assert f"Clearway is installed under '{tmp_path}/my tools'" in why_nothing(tmp_path)


@pytest.mark.parametrize(
    ("command", "options"),
    [
        (["mpirun", "/opt/bin/apptainer", "exec", "image.sif", "./program"], "--bind {prefix} --bind {run}"),
        (["mpirun", "podman", "run", "image", "./program"], "--volume={prefix}:{prefix} --volume={run}:{run}"),
        (["mpirun", "ch-run", "image", "--", "./program"], "--home"),
        (
            ["srun", "--container-image=image", "./program"],
            "--container-mounts={prefix}:{prefix},{run}:{run}",
        ),
    ],
)
def test_a_container_is_the_reason(
    command: list[str], options: str, monkeypatch: pytest.MonkeyPatch, tmp_path: Path
) -> None:
    monkeypatch.setattr("clearway.base.installed.find_program", lambda name: tmp_path / "tools/bin" / name)
    monkeypatch.setenv("HOME", str(tmp_path))
    wanted = options.format(prefix=tmp_path / "tools", run=tmp_path / "run")
    assert f"may not see Clearway: add {wanted};" in why_nothing(tmp_path / "run", command)
