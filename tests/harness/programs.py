"""Builds the MPI programs of tests/programs, each once for all processes of a session, and each MPI."""

from __future__ import annotations

import os
import shlex
import subprocess
from collections.abc import Sequence
from pathlib import Path

import pytest

from harness.mpis import Mpi

SOURCES = Path(__file__).resolve().parents[1] / "programs"
_LANGUAGES = {".c": "c", ".cpp": "c++", ".F90": "fortran"}
_FLAGS = {
    "c": ("-std=c11", "-D_GNU_SOURCE", "-O1", "-Wall", "-Wextra", "-Wno-stringop-overread", "-Wno-stringop-overflow"),
    "c++": ("-std=c++17", "-O1", "-Wall", "-Wextra", "-Wno-cast-function-type"),
    # Debian's Open MPI declares no choice buffers in mpif.h: gfortran must let MPI_IN_PLACE stand for an array.
    "fortran": ("-O1", "-w", "-fallow-argument-mismatch", "-ffree-line-length-none"),
}


class ProgramBuilder:
    """Builds into one directory and remembers what it built."""

    def __init__(self, directory: Path) -> None:
        self.directory = directory

    def build(self, mpi: Mpi, name: str, *sources: str, flags: Sequence[str] = (), shared: bool = False) -> Path:
        """Program `name` from `sources` (under tests/programs) for `mpi`; the test is skipped where that MPI is not."""
        if mpi.missing:
            pytest.skip(mpi.missing)
        program = self.directory / mpi.name / name
        if program.exists():
            return program
        language = _LANGUAGES[Path(sources[0]).suffix]
        if language not in mpi.compilers:
            pytest.skip(f"{mpi.name} has no {language} compiler or bindings here")
        program.parent.mkdir(parents=True, exist_ok=True)
        files = [SOURCES / source for source in sources]
        if language != "c":  # its companions in C are compiled first
            files = [self._object(mpi, file) if file.suffix == ".c" else file for file in files]
        command = [*mpi.compilers[language], *_FLAGS[language], *flags]
        if shared:
            command += ["-shared", "-fPIC"]
        _compile([*command, *map(str, files)], program, *mpi.link.get(language, ()), "-lpthread", "-ldl", "-lm")
        return program

    def build_plain(self, name: str, *sources: str, flags: Sequence[str] = (), shared: bool = False) -> Path:
        """A program or library without MPI."""
        program = self.directory / "plain" / name
        if not program.exists():
            program.parent.mkdir(parents=True, exist_ok=True)
            command = ["cc", *_FLAGS["c"], *flags, *(["-shared", "-fPIC"] if shared else [])]
            _compile([*command, *(str(SOURCES / source) for source in sources)], program, "-lpthread", "-ldl")
        return program

    def _object(self, mpi: Mpi, source: Path) -> Path:
        compiled = self.directory / mpi.name / f"{source.stem}.o"
        if not compiled.exists():
            _compile(["cc", *_FLAGS["c"], "-c", str(source)], compiled)
        return compiled


def _compile(command: Sequence[str], target: Path, *libraries: str) -> None:
    """`target` is there whole or not at all: another process of the tests may be waiting to start it."""
    made = target.with_name(f"{target.name}.{os.getpid()}")
    words = [*command, "-o", str(made), *libraries]
    result = subprocess.run(words, capture_output=True, text=True, timeout=120)
    if result.returncode != 0:
        pytest.fail(f"{shlex.join(words)}\n{result.stderr}", pytrace=False)
    made.replace(target)
