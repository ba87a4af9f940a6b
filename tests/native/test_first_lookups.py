"""Threads that make their first MPI calls at once find the same MPI, whole."""

from __future__ import annotations

import pytest
from harness.mpis import REPOSITORY, Mpi
from harness.programs import ProgramBuilder
from harness.runs import run_command

NATIVE = REPOSITORY / "native"


@pytest.mark.parametrize("sanitiser", ["thread", ""])
def test_none_takes_the_mpi_for_a_tool(debian_mpi: Mpi, programs: ProgramBuilder, sanitiser: str) -> None:
    flags = ["-std=c++20", "-O1", "-g", f"-I{NATIVE}"]
    flags += [f"-fsanitize={sanitiser}"] if sanitiser else []
    name = f"first_lookups_{sanitiser or 'plain'}"
    program = programs.build(debian_mpi, name, "first_lookups.cpp", str(NATIVE / "mpi" / "abi.cpp"), flags=flags)
    # UCX, in Debian's MPICH, hooks madvise; it then asks ThreadSanitizer about a thread that this does not know yet.
    outcome = run_command([program], {"UCX_MEM_EVENTS": "no"}, timeout_s=60)
    assert outcome.exit_code == 0, outcome.says
    assert outcome.stdout == "0 of 8 threads got a wrong answer\n", outcome.says
