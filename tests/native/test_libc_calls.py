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
OTHERS = ("MPI_", "PMPI_", "clearway_", "_Z")  # wrappers, what our libraries have in common, types of exceptions


def generator() -> ModuleType:
    spec = importlib.util.spec_from_file_location("generate_doors", LIBC / "generate.py")
    assert spec is not None and spec.loader is not None
    module = importlib.util.module_from_spec(spec)
    sys.modules[spec.name] = module  # dataclasses look it up
    spec.loader.exec_module(module)
    return module


@pytest.mark.parametrize("library", LIBRARIES)
def test_exports_what_the_table_says(library: str) -> None:
    calls = [call for call in generator().read_table(LIBC / "calls.table") if library in call.libraries]
    wanted = {name for call in calls for name in (call.name, *call.aliases)}
    path = clearway_tool("clearway-record").parent.parent / "lib" / LIBRARIES[library]
    symbols = subprocess.run(["nm", "-D", "--defined-only", path], capture_output=True, text=True, check=True).stdout
    exported = {line.split()[2] for line in symbols.splitlines()}
    assert {name for name in exported if not name.startswith(OTHERS)} == wanted
