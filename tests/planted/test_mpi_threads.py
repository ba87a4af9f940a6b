"""An MPI's own threads are none of the program's, whichever MPI it is and whatever carries its messages."""

from __future__ import annotations

from collections.abc import Mapping
from pathlib import Path

import pytest
from harness.mpis import Mpi
from harness.programs import ProgramBuilder
from harness.runs import run_job

from clearway.run import load
from clearway.run.layout import THREAD_OF_MPI, THREAD_OF_RECORD, text

BY_TCP = {
    "OMPI_MCA_btl": "tcp,self",
    "UCX_TLS": "tcp,self",
    "FI_PROVIDER": "tcp",
    "I_MPI_FABRICS": "ofi",
    "MPIR_CVAR_NOLOCAL": "1",
    "OMPI_MCA_pml": "ob1",
}
PROGRESS = {"MPICH_ASYNC_PROGRESS": "1", "MPIR_CVAR_ASYNC_PROGRESS": "1", "I_MPI_ASYNC_PROGRESS": "1"}


@pytest.mark.slow
@pytest.mark.parametrize("told", [{}, BY_TCP, PROGRESS], ids=["as-it-is", "tcp", "progress"])
def test_the_programs_threads_alone_are_its_own(
    told: Mapping[str, str], any_mpi: Mpi, programs: ProgramBuilder, tmp_path: Path
) -> None:
    program = programs.build(any_mpi, "own_thread", "own_thread.c")
    outcome = run_job(any_mpi, [str(program), "1", "100000"], 2, tmp_path / "run", environment=told)
    assert outcome.exit_code == 0, outcome.says
    run = load(tmp_path / "run")
    uses = run.thread_uses
    main = uses.data["tid"] == run.threads.data["tid"][uses.process]
    own = ~main & (uses.data["flags"] & (THREAD_OF_MPI | THREAD_OF_RECORD) == 0)
    assert [text(name) for name in uses.data["name"][own]] == ["program-own"] * 2
    # On a busy machine the process may end after its sampler has noted a thread and before it has read the name.
    ours = {text(name) for name in uses.data["name"][uses.data["flags"] & THREAD_OF_RECORD != 0]}
    assert ours - {""} == {"clearway"}
