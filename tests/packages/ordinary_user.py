"""A user of a cluster: no privilege, no compiler, no network, an empty environment of Python."""

from __future__ import annotations

import contextlib
import functools
import os
import re
import shutil
import subprocess
import sys
import tempfile
import time
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import pytest
from harness.mpis import REPOSITORY
from harness.outcome import Outcome

NOBODY = 65534
# c++, gcc-12, x86_64-linux-gnu-g++, mpicc.openmpi, and what drives them
BUILDS = re.compile(
    r"(.*-)?(c\+\+|cc|g\+\+|gcc|clang|clang\+\+|c89|c99|as|ld|cmake|ninja|make|mpicc|mpicxx)([-.\d].*)?"
)
WHEELHOUSE = REPOSITORY / "build" / "wheelhouse"


def as_nobody() -> dict[str, Any]:
    """For subprocess: without privilege. Whoever is not root has none anyway."""
    return {"user": NOBODY, "group": NOBODY, "extra_groups": []} if os.getuid() == 0 else {}


@functools.cache
def python_for_all() -> str:
    """A Python that every user may start; that of a developer often lies in the own home."""
    question = "import sys, ensurepip; sys.exit(sys.version_info < (3, 11))"
    for python in ("/usr/bin/python3", sys.executable):
        with contextlib.suppress(OSError):
            if subprocess.run([python, "-c", question], cwd="/", check=False, **as_nobody()).returncode == 0:
                return python
    pytest.skip("needs a Python 3.11 that every user may start (Debian packages python3 and python3-venv)")


def wheelhouse(python: str, wheel: Path) -> Path:
    """The wheels that ours depends on, for this Python: fetched once. Its own pip need not be there."""
    version = subprocess.run([python, "--version"], capture_output=True, text=True, check=True).stdout.split()[1]
    folder = WHEELHOUSE / version
    if not list(folder.glob("numpy-*.whl")):
        fetched = folder.with_name(f"{folder.name}.{os.getpid()}")
        which = ["--only-binary=:all:", "--python-version", version]
        subprocess.run(
            [sys.executable, "-m", "pip", "download", "--quiet", *which, "--dest", fetched, wheel], check=True
        )
        for own in fetched.glob("clearway-*.whl"):
            own.unlink()
        with contextlib.suppress(OSError):  # another process of the tests was faster
            fetched.rename(folder)
        shutil.rmtree(fetched, ignore_errors=True)
    return folder


@dataclass(frozen=True)
class OrdinaryUser:
    """Where this user lives, and what is on the PATH."""

    home: Path
    programs: Path  # all of the machine's but those that build

    @property
    def environment(self) -> Path:
        """Of Python; Clearway is installed into it."""
        return self.home / "environment"

    def run(self, *words: str | Path, variables: Mapping[str, str] | None = None, timeout_s: float = 100) -> Outcome:
        begin = time.monotonic()
        done = subprocess.run(
            list(map(str, words)),
            cwd=self.home,
            env={
                "HOME": str(self.home),
                "PATH": f"{self.environment}/bin:{self.programs}",
                "LANG": "C.UTF-8",
                **(variables or {}),
            },
            stdin=subprocess.DEVNULL,
            capture_output=True,
            text=True,
            timeout=timeout_s,
            check=False,
            **as_nobody(),
        )
        return Outcome(done.stdout, done.stderr, done.returncode, time.monotonic() - begin)

    def install(self, wheel: Path) -> Outcome:
        """As the manual says, with nothing from a network."""
        python = python_for_all()
        folder = self.home / "wheels"
        shutil.copytree(wheelhouse(python, wheel), folder)
        shutil.copy(wheel, folder)
        self._owns(folder)
        made = self.run(python, "-m", "venv", self.environment)
        assert made.exit_code == 0, made.says
        installed = self.run(
            "pip", "install", "--no-index", f"--find-links={folder}", "--no-compile", folder / wheel.name
        )
        assert installed.exit_code == 0, installed.says
        return installed

    def take(self, *files: Path) -> None:
        """Copies files into the user's home."""
        for file in files:
            self._owns(Path(shutil.copy(file, self.home)))

    def _owns(self, path: Path) -> None:
        if os.getuid() == 0:
            for each in (path, *path.rglob("*")):
                os.chown(each, NOBODY, NOBODY)


def programs_but_compilers(folder: Path, shadowed: Sequence[str] = ("/usr/local/bin", "/usr/bin", "/bin")) -> None:
    """Links to what is on the machine, first come, but for what builds programs."""
    for place in shadowed:
        for program in Path(place).iterdir():
            if not BUILDS.fullmatch(program.name):
                with contextlib.suppress(FileExistsError):
                    (folder / program.name).symlink_to(program)


@contextlib.contextmanager
def ordinary_user() -> Iterator[OrdinaryUser]:
    """Not below pytest's folders, which are their owner's alone."""
    with tempfile.TemporaryDirectory(prefix="clearway-user-") as folder:
        base = Path(folder)
        base.chmod(0o755)
        user = OrdinaryUser(base / "home", base / "bin")
        user.home.mkdir()
        user.programs.mkdir()
        programs_but_compilers(user.programs)
        user._owns(user.home)
        yield user
