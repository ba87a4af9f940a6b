"""Built with the address and undefined-behaviour sanitisers, the collectives give these nothing to report."""

from __future__ import annotations

import subprocess
from pathlib import Path

import pytest
from collectives.conftest import FlowJob, all_candidates
from harness.mpis import REPOSITORY, Mpi
from harness.programs import ProgramBuilder
from recording.test_sanitised import runtime_of

pytestmark = [pytest.mark.slow, pytest.mark.timeout(900)]

OPTIONS = {
    "ASAN_OPTIONS": "detect_leaks=0:verify_asan_link_order=0:halt_on_error=1",
    "UBSAN_OPTIONS": "print_stacktrace=1:halt_on_error=1",
}


def build_flow(sanitiser: str, build: Path) -> Path:
    """libclearway-flow.so with `sanitiser`, as -fsanitize= names it, in the new folder `build`."""
    flags = f"-fsanitize={sanitiser} -fno-omit-frame-pointer"
    configure = ["cmake", "-S", REPOSITORY, "-B", build, "-DCMAKE_BUILD_TYPE=RelWithDebInfo"]
    subprocess.run([*configure, f"-DCMAKE_CXX_FLAGS={flags}"], check=True, stdout=subprocess.DEVNULL)
    command = ["cmake", "--build", build, "--target", "clearway-flow", "-j2"]
    subprocess.run(command, check=True, stdout=subprocess.DEVNULL)
    return build / "libclearway-flow.so"


@pytest.fixture(scope="session")
def flow_library(tmp_path_factory: pytest.TempPathFactory) -> Path:
    return build_flow("address,undefined", tmp_path_factory.mktemp("sanitised-flow"))


@pytest.mark.parametrize("program", ["random_calls", "threads", "errors"])
def test_nothing_to_report(debian_mpi: Mpi, programs: ProgramBuilder, flow_job: FlowJob, program: str) -> None:
    sources = ["flow/random_calls.c", "flow/layout.c"] if program == "random_calls" else [f"flow/{program}.c"]
    built = programs.build(debian_mpi, f"flow_{program}", *sources)
    words = ["3000", "3", *all_candidates(), *["any="] * 20] if program == "random_calls" else []
    runtimes = [Path(runtime_of("asan")), Path(runtime_of("ubsan"))]
    outcome = flow_job(debian_mpi, [built, *words], 3, 2, environment=OPTIONS, timeout_s=400, before=runtimes)
    assert outcome.exit_code == 0, outcome.says
    assert "runtime error" not in outcome.stderr and "AddressSanitizer" not in outcome.stderr, outcome.says
    assert outcome.messages > 0
