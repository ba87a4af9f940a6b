"""The library is sound: built with the address and undefined-behaviour sanitisers it finds nothing to report."""

from __future__ import annotations

import shlex
import subprocess
from pathlib import Path

import pytest
from harness.mpis import REPOSITORY, Mpi
from harness.programs import ProgramBuilder
from harness.runs import load_page, run_job
from recording.test_counts import CALLS, no_broken_atomics

pytestmark = [pytest.mark.slow, pytest.mark.timeout(600)]


@pytest.fixture(scope="module")
def sanitised_library(tmp_path_factory: pytest.TempPathFactory) -> Path:
    build = tmp_path_factory.mktemp("sanitised")
    flags = "-fsanitize=address,undefined -fno-omit-frame-pointer"
    configure = ["cmake", "-S", REPOSITORY, "-B", build, "-DCMAKE_BUILD_TYPE=RelWithDebInfo"]
    subprocess.run([*configure, f"-DCMAKE_CXX_FLAGS={flags}"], check=True, stdout=subprocess.DEVNULL)
    subprocess.run(["cmake", "--build", build, "--target", "clearway", "-j2"], check=True, stdout=subprocess.DEVNULL)
    return build / "libclearway.so"


def runtime_of(sanitiser: str) -> str:
    ask = ["c++", f"-print-file-name=lib{sanitiser}.so"]
    return subprocess.run(ask, check=True, text=True, capture_output=True).stdout.strip()


@pytest.fixture
def recorder(sanitised_library: Path, tmp_path: Path) -> Path:
    """Stands in for clearway-record: preloads the sanitisers' runtimes before the library, in the rank alone."""
    preload = f"{runtime_of('asan')} {runtime_of('ubsan')} {sanitised_library}"
    script = tmp_path / "recorder"
    run = tmp_path / "run"
    run.mkdir()
    script.write_text(
        "#!/bin/sh\n"
        f"export CLEARWAY_DIR={shlex.quote(str(run))} CLEARWAY_JOB=sanitised CLEARWAY_TIMELINE=4096\n"
        "export ASAN_OPTIONS=detect_leaks=0:verify_asan_link_order=0:halt_on_error=1\n"
        "export UBSAN_OPTIONS=print_stacktrace=1:halt_on_error=1\n"
        f'exec env LD_PRELOAD={shlex.quote(preload)} "$@"\n'
    )
    script.chmod(0o755)
    return script


@pytest.mark.parametrize("program", ["calls", "threads"])
def test_nothing_to_report(
    debian_mpi: Mpi, programs: ProgramBuilder, recorder: Path, tmp_path: Path, program: str
) -> None:
    sources = CALLS if program == "calls" else ["threads.c", "tally.c"]
    built = programs.build(debian_mpi, program, *sources)
    environment = {"SCRATCH": str(tmp_path), **no_broken_atomics(debian_mpi)}
    outcome = run_job(debian_mpi, [recorder, built], environment=environment, timeout_s=200)
    assert outcome.exit_code == 0, outcome.says
    assert "runtime error" not in outcome.stderr and "AddressSanitizer" not in outcome.stderr, outcome.says
    assert load_page(tmp_path / "run")["job"]["complete"]
