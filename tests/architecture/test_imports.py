"""Who may know whom, as CONTRIBUTING says: of Python by import-linter's contracts, of C++ by what is included."""

from __future__ import annotations

import re
import shutil
import subprocess
import sys
from collections.abc import Iterator
from pathlib import Path

from harness.mpis import REPOSITORY

NATIVE = REPOSITORY / "native"
INCLUDE = re.compile(r'^\s*#\s*include\s+["<]([^">]+)[">]', re.MULTILINE)

# What a native room may include besides itself. A room that is not here fails the test.
KNOWS = {
    "base": set[str](),
    "units": set(),
    "libc": {"base"},
    "old_glibc": set(),
    "mpi": set(),
    "testbed": {"base"},
    "run_record": {"base"},
    "preload": {"base"},
    "command_line": set(),
    "schedule": {"command_line"},
    "workload": {"base", "command_line", "mpi", "units"},
    "socket_options": {"libc", "preload", "units"},
    "recorder": {"base", "libc", "mpi", "preload", "run_record"},
    "collectives": {"base", "libc", "mpi", "preload", "run_record", "schedule"},
    "io_cache": {"base", "libc", "preload", "run_record", "units"},
    "launcher": {"base", "io_cache", "preload", "socket_options", "units"},
    "simulator": {"base", "command_line", "run_record", "schedule", "workload"},
    "bench": {"base", "command_line", "mpi", "schedule"},
    "job_replay": set(),
    "slurm": {"preload", "run_record"},
}
WITHOUT_MPI = {"base", "units", "run_record", "schedule", "simulator", "io_cache", "socket_options", "launcher"}


def strangers(native: Path) -> Iterator[str]:
    """Each file that includes what its room must not know."""
    for file in sorted(path for path in native.rglob("*") if path.suffix in (".c", ".cpp", ".h", ".hpp")):
        room = file.relative_to(native).parts[0]
        for name in INCLUDE.findall(file.read_text()):
            other = name.partition("/")[0]
            foreign = (native / name).is_file() and other != room and other not in KNOWS[room]
            if foreign or (name == "mpi.h" and room in WITHOUT_MPI):
                yield f"{file.relative_to(native)} includes {name}"


def broken_contracts(folder: Path) -> str:
    """What import-linter says of the package `clearway` in a folder; nothing where all is well."""
    words = ["lint-imports", "--no-cache", "--config", REPOSITORY / "pyproject.toml"]
    program = [Path(sys.executable).parent / words[0], *words[1:]]
    done = subprocess.run(program, env={"PYTHONPATH": str(folder), "LANG": "C.UTF-8"}, capture_output=True, text=True)
    return "" if done.returncode == 0 else done.stdout + done.stderr


def test_python_rooms_import_what_they_may() -> None:
    assert broken_contracts(REPOSITORY / "python") == ""


def test_an_import_that_is_not_allowed_is_found(tmp_path: Path) -> None:
    shutil.copytree(REPOSITORY / "python/clearway", tmp_path / "clearway")
    (tmp_path / "clearway/run/planted.py").write_text("import clearway.page.model\n")
    assert "clearway.run.planted -> clearway.page.model" in broken_contracts(tmp_path)


def test_every_native_room_is_known() -> None:
    assert {folder.name for folder in NATIVE.iterdir() if folder.is_dir()} == set(KNOWS)


def test_native_rooms_include_what_they_may() -> None:
    assert list(strangers(NATIVE)) == []


def test_native_rooms_know_each_other_in_one_direction() -> None:
    """Taken away one after the other, each when all that it knows have gone."""
    left = dict(KNOWS)
    while done := [room for room, known in left.items() if not known & left.keys()]:
        for room in done:
            del left[room]
    assert left == {}


def test_an_include_that_is_not_allowed_is_found(tmp_path: Path) -> None:
    shutil.copytree(NATIVE / "mpi", tmp_path / "mpi")
    planted = tmp_path / "schedule/planted.cpp"
    planted.parent.mkdir()
    planted.write_text('#include <mpi.h>\n#include "mpi/abi.hpp"\n')
    assert list(strangers(tmp_path)) == [f"schedule/planted.cpp includes {name}" for name in ("mpi.h", "mpi/abi.hpp")]
