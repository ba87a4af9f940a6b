"""A Slurm on a testbed, and the person who uses it: an ordinary user, wherever they can read what is tested."""

from __future__ import annotations

import contextlib
import os
import shutil
import subprocess
import sys
import sysconfig
import time
from collections.abc import Iterator, Mapping, Sequence
from contextlib import contextmanager
from dataclasses import dataclass
from functools import cache
from pathlib import Path

import pytest

from clearway.testbed import Shape, Testbed, privilege
from clearway.testbed.kernel import name_of, processes_in
from clearway.testbed.layout import HEAD
from clearway.testbed.slurm import USERS
from harness.mpis import clearway_tool

DEBIAN_PYTHON = Path("/usr/bin/python3")
TIMEOUT_S = 100
MOST_LINES = 60  # of a log
IS_THERE = shutil.which("slurmctld") is not None and shutil.which("munged") is not None


def to_its_end(line: Sequence[str], timeout_s: float) -> subprocess.CompletedProcess[str]:
    """What was said until then is in the error of a command that takes too long."""
    try:
        return subprocess.run(line, capture_output=True, text=True, timeout=timeout_s, stdin=subprocess.DEVNULL)
    except subprocess.TimeoutExpired as late:
        said = "\n".join((part or b"").decode(errors="replace") for part in (late.stdout, late.stderr))
        raise AssertionError(f"{line} takes longer than {timeout_s} s\n{said}") from None


@dataclass(frozen=True)
class Person:
    """Whoever submits. `user` is None, and root submits, where others cannot read this checkout or its Python."""

    testbed: Testbed
    home: Path
    bin: Path  # of Clearway
    user: str | None

    def do(
        self, *command: str | Path, timeout_s: float = TIMEOUT_S, environment: Mapping[str, str] | None = None
    ) -> subprocess.CompletedProcess[str]:
        """On the head, at home, as the person types it."""
        path = f"PATH={self.bin}:{os.environ['PATH']}"
        told = [path, *(f"{name}={value}" for name, value in (environment or {}).items())]
        line = self.testbed.on_host(HEAD, ["env", f"--chdir={self.home}", *told, *command], self.user)
        return to_its_end(line, timeout_s)

    def types(self, line: str, timeout_s: float = TIMEOUT_S) -> str:
        """A line for the shell, which must end well."""
        done = self.do("sh", "-c", line, timeout_s=timeout_s)
        assert done.returncode == 0, f"{line}\n{done.stdout}\n{done.stderr}\n{self.logs()}"
        return done.stdout

    def submit(self, script: str, *options: str, name: str = "job.sh", timeout_s: float = TIMEOUT_S) -> str:
        """A batch job to its end. What it printed."""
        (self.home / name).write_text(script)
        asked = self.do("sbatch", "--parsable", f"--output={name}.out", *options, name)
        assert asked.returncode == 0, asked.stderr
        number, end = asked.stdout.strip(), time.monotonic() + timeout_s
        while self.types(f"squeue --noheader --jobs={number}"):  # `sbatch --wait` looks every few seconds only
            if time.monotonic() > end:
                told = f"job {number} goes on and on\n{self.at_work(number)}\n{self.logs()}"
                self.types(f"scancel {number}")
                raise AssertionError(told)
            time.sleep(0.1)
        said = (self.home / f"{name}.out").read_text(errors="replace")
        ended = self.types(f"scontrol show job {number}")
        assert "JobState=COMPLETED" in ended, f"{ended}\n{said}"
        return said

    def at_work(self, number: str) -> str:
        """What Slurm says of a job that should have ended, and where its processes are."""
        told = [self.do("scontrol", "show", "job", "--details", number).stdout]
        told += [self.do("scontrol", "show", what).stdout for what in ("nodes", "steps")]
        for pid in processes_in(self.testbed.layout.namespace(host.name) for host in self.testbed.layout.everyone):
            with contextlib.suppress(OSError):
                proc = Path(f"/proc/{pid}")
                variables = (proc / "environ").read_bytes().split(b"\0")
                if f"SLURM_JOB_ID={number}".encode() in variables or name_of(pid) == "slurmstepd":
                    words = (proc / "cmdline").read_bytes().replace(b"\0", b" ").decode(errors="replace")
                    told.append(f"{pid} {words[:300]}: {(proc / 'wchan').read_text()}\n{_stacks_of(pid)}")
        log = Path(self.do("printenv", "SLURM_CONF").stdout.strip()).with_name("controller.log")
        return "\n".join([*told, *log.read_text(errors="replace").splitlines()[-MOST_LINES:]])

    def brings(self, program: Path) -> Path:
        """A copy at home: the folders of tests are their owner's alone."""
        copy = self.home / program.name
        copy.unlink(missing_ok=True)  # an earlier one may still run
        shutil.copy(program, copy)
        copy.chmod(0o755)
        return copy

    def logs(self) -> str:
        files = [*self.home.glob("*.out"), *self.home.glob("*/logs/*.txt")]
        return "\n".join(f"{file}: {file.read_text(errors='replace')[-2000:]}" for file in files)


def _stacks_of(pid: int) -> str:
    """Of all its threads, where there is a debugger."""
    if shutil.which("gdb") is None:
        return ""
    words = ["gdb", "-p", str(pid), "-batch", "-ex", "thread apply all backtrace 25"]
    try:
        shown = subprocess.run(words, capture_output=True, text=True, timeout=30, stdin=subprocess.DEVNULL)
    except subprocess.TimeoutExpired:
        return "the debugger does not come back\n"
    return "".join(f"{line}\n" for line in shown.stdout.splitlines() if line.startswith(("#", "Thread")))


@contextmanager
def slurm_testbed(shape: Shape) -> Iterator[Testbed]:
    """The test is skipped where there can be none."""
    trouble = privilege.why_not()
    if trouble is not None:
        pytest.skip(trouble[0])
    if not IS_THERE:
        pytest.skip("slurm-wlm is not installed")
    with Testbed(shape) as testbed:
        yield testbed


def person_on(testbed: Testbed, folder: Path) -> Person:
    """`folder`: for root's work, where an ordinary user can do none."""
    if not _others_can_read():
        return Person(testbed, folder, clearway_tool("clearway").parent, None)
    user = USERS[0].name
    line = testbed.on_host(HEAD, ["pwd"], user)
    home = Path(subprocess.run(line, capture_output=True, text=True, check=True, timeout=30).stdout.strip())
    return Person(testbed, home, _tools_in(home / "clearway"), user)


@cache
def _others_can_read() -> bool:
    """Whether a user without any right can start what is tested, with the Python of this machine."""
    if not DEBIAN_PYTHON.exists():
        return False
    here = f"python{sys.version_info[0]}.{sys.version_info[1]}"
    if not DEBIAN_PYTHON.resolve().name.startswith(here):
        return False
    nobody = ["setpriv", "--reuid=65534", "--regid=65534", "--clear-groups", "--inh-caps=-all"]
    paths = [clearway_tool("clearway-record"), Path(sysconfig.get_path("purelib")), *_python_path()]
    for path in paths:
        if subprocess.run([*nobody, "test", "-r", path], capture_output=True, timeout=30).returncode != 0:
            return False
    return True


def _python_path() -> list[Path]:
    return [Path(each).absolute() for each in os.environ.get("PYTHONPATH", "").split(":") if each]


def _tools_in(folder: Path) -> Path:
    """An installation for everybody: the programs that are tested, started with a Python that everybody may read."""
    native = clearway_tool("clearway-record").parent
    (folder / "bin").mkdir(parents=True)
    for path in native.glob("clearway-*"):
        (folder / "bin" / path.name).symlink_to(path)
    for name in ("lib", "share"):
        (folder / name).symlink_to(native.parent / name)
    modules = [*map(str, _python_path()), sysconfig.get_path("purelib")]
    start = folder / "bin" / "clearway"
    start.write_text(
        f"#!{DEBIAN_PYTHON}\nimport sys\nsys.path[1:1] = {modules!r}\nfrom clearway.commands import main\n"
        "sys.exit(main())\n"
    )
    start.chmod(0o755)
    return start.parent
