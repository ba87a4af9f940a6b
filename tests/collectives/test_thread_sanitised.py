"""Built with ThreadSanitizer, collectives of four threads at once give it nothing to report."""

from __future__ import annotations

from pathlib import Path

import pytest
from collectives.conftest import FlowJob
from collectives.test_sanitised import build_flow
from harness.mpis import mpi
from harness.programs import ProgramBuilder
from recording.test_sanitised import runtime_of

pytestmark = [pytest.mark.slow, pytest.mark.timeout(900)]


@pytest.fixture(scope="session")
def flow_library(tmp_path_factory: pytest.TempPathFactory) -> Path:
    return build_flow("thread", tmp_path_factory.mktemp("thread-sanitised-flow"))


# Under MPICH only: Open MPI 4.1.4 has races of its own, with and without us.
def test_nothing_to_report(programs: ProgramBuilder, flow_job: FlowJob) -> None:
    mpich = mpi("mpich-debian")
    built = programs.build(mpich, "flow_threads", "flow/threads.c")
    environment = {"TSAN_OPTIONS": "halt_on_error=1", "UCX_MEM_EVENTS": "no"}
    runtime = Path(runtime_of("tsan"))
    outcome = flow_job(mpich, [built], 3, 2, environment=environment, timeout_s=400, before=[runtime])
    assert outcome.exit_code == 0, outcome.says
    assert "ThreadSanitizer" not in outcome.stderr, outcome.says
    assert outcome.messages > 0
