"""Each preloaded library has the doors that native/libc/calls.table gives it, and no other."""

from __future__ import annotations

import importlib.util
import subprocess
import sys
from pathlib import Path
from types import ModuleType

import pytest
from harness.mpis import clearway_tool

LIBC = Path(__file__).parents[2] / "native" / "libc"
LIBRARIES = {"recorder": "libclearway.so", "cache": "libclearway-io.so", "sockets": "libclearway-flow.so"}
# Wrappers, OpenMP runtimes' entry points, what our libraries have in common, types of exceptions.
OTHERS = ("MPI_", "PMPI_", "GOMP_", "__kmpc_", "ompt_", "clearway_", "_Z")


def generator() -> ModuleType:
    spec = importlib.util.spec_from_file_location("generate_doors", LIBC / "generate.py")
    assert spec is not None and spec.loader is not None
    module = importlib.util.module_from_spec(spec)
    sys.modules[spec.name] = module  # dataclasses look it up
    spec.loader.exec_module(module)
    return module


def symbols(library: str, which: str) -> set[str]:
    path = clearway_tool("clearway-record").parent.parent / "lib" / LIBRARIES[library]
    command = ["nm", "-D", which, path]
    lines = subprocess.run(command, capture_output=True, text=True, check=True).stdout.splitlines()
    return {line.split()[-1].partition("@")[0] for line in lines}


@pytest.mark.parametrize("library", LIBRARIES)
def test_exports_what_the_table_says(library: str) -> None:
    calls = [call for call in generator().read_table(LIBC / "calls.table") if library in call.libraries]
    wanted = {name for call in calls for name in (call.name, *call.aliases)}
    assert {name for name in symbols(library, "--defined-only") if not name.startswith(OTHERS)} == wanted


@pytest.mark.parametrize("library", LIBRARIES)
def test_own_system_calls_come_to_no_door(library: str) -> None:
    """The I/O cache would take them for the program's: those of a thread with descriptors of its own, too."""
    assert "syscall" not in symbols(library, "--undefined-only")
