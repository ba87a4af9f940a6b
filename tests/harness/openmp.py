"""Programs with the OpenMP runtime of LLVM or Intel, although GCC compiles them: its calls lead into those as well."""

from __future__ import annotations

import re
import subprocess
from pathlib import Path

import pytest

from harness.mpis import REPOSITORY, Mpi
from harness.programs import ProgramBuilder

RUNTIMES = {
    "llvm": sorted(Path("/usr/lib").glob("llvm-*/lib/libomp.so")),  # Debian's libomp-dev
    "intel": sorted(REPOSITORY.glob(".mpi/intel-openmp/lib/libiomp5.so")),  # tools/install-mpis intel-openmp
}


def build_with(runtime: str, programs: ProgramBuilder, mpi: Mpi, name: str, source: str, *flags: str) -> Path:
    """Skips the test where the runtime is missing; fails it where the program has another one."""
    if runtime == "gcc":
        return programs.build(mpi, name, source, flags=("-fopenmp", *flags))
    program = programs.build(mpi, name, source, flags=("-fopenmp", *linked_first(runtime), *flags))
    library = RUNTIMES[runtime][-1]
    loaded = subprocess.run(["ldd", program], capture_output=True, text=True, check=True, timeout=10).stdout
    assert re.findall(r"lib(?:gomp|omp|iomp5)(?=\.so)", loaded)[:1] == [library.name.removesuffix(".so")], loaded
    assert "libgomp" not in loaded, loaded
    return program


def linked_first(runtime: str) -> tuple[str, ...]:
    """What links a runtime before GCC's own, which the linker then leaves out: each is taken as far as it is needed."""
    if not RUNTIMES[runtime]:
        pytest.skip("no such OpenMP runtime (libomp-dev, or tools/install-mpis intel-openmp)")
    library = RUNTIMES[runtime][-1]
    return ("-Wl,--no-as-needed", str(library), f"-Wl,-rpath,{library.parent}", "-Wl,--as-needed")
