"""The library is sound: under random calls the sanitisers of addresses, undefined behaviour and threads are silent."""

from __future__ import annotations

import subprocess
from pathlib import Path

import pytest
from harness.mpis import REPOSITORY
from harness.programs import ProgramBuilder
from harness.runs import run_command

# A runtime calls setrlimit and sigaction as it begins, which are doors of the library's. Here they are instrumented,
# and look into memory that the runtime has not made yet. A crash ends the program without the runtime's word, too.
NO_EARLY_DOORS = "disable_coredump=0:" + ":".join(
    f"handle_{signal}=0" for signal in ("segv", "sigbus", "abort", "sigill", "sigfpe")
)
RUNTIMES = {"address,undefined": ("asan", "ubsan"), "thread": ("tsan",)}


@pytest.fixture(scope="module", params=RUNTIMES)
def sanitiser(request: pytest.FixtureRequest) -> str:
    return str(request.param)


@pytest.fixture(scope="module")
def library(sanitiser: str, tmp_path_factory: pytest.TempPathFactory) -> Path:
    build = tmp_path_factory.mktemp("sanitised")
    flags = f"-DCMAKE_CXX_FLAGS=-fsanitize={sanitiser} -fno-omit-frame-pointer"
    for command in (
        ["cmake", "-S", REPOSITORY, "-B", build, "-DCMAKE_BUILD_TYPE=RelWithDebInfo", flags],
        ["cmake", "--build", build, "--target", "clearway-io", "-j2"],
    ):
        subprocess.run(command, check=True, stdout=subprocess.DEVNULL)
    return build / "libclearway-io.so"


def runtime_of(name: str) -> str:
    ask = ["c++", f"-print-file-name=lib{name}.so"]
    return subprocess.run(ask, check=True, text=True, capture_output=True).stdout.strip()


@pytest.mark.slow
@pytest.mark.timeout(1200)
@pytest.mark.parametrize(("seed", "threads"), [(1, 1), (2, 1), (3, 3)])
def test_nothing_to_report(
    programs: ProgramBuilder, sanitiser: str, library: Path, tmp_path: Path, seed: int, threads: int
) -> None:
    flags = [f"-fsanitize={sanitiser}"]
    program = programs.build_plain(f"io_stress-{sanitiser.partition(',')[0]}", "io_stress.c", flags=flags)
    scratch, run = tmp_path / "scratch", tmp_path / "run"
    scratch.mkdir()
    run.mkdir()
    environment = {
        "LD_PRELOAD": " ".join([*map(runtime_of, RUNTIMES[sanitiser]), str(library)]),
        "CLEARWAY_IO_CACHE": "1Mi",
        "CLEARWAY_IO_CACHE_FILES": f"{scratch}/*",
        "CLEARWAY_DIR": str(run),
        "ASAN_OPTIONS": f"detect_leaks=0:halt_on_error=1:{NO_EARLY_DOORS}",
        "UBSAN_OPTIONS": "print_stacktrace=1:halt_on_error=1",
        "TSAN_OPTIONS": f"halt_on_error=1:{NO_EARLY_DOORS}",
    }
    outcome = run_command([program, scratch, seed, 8000, threads], environment, timeout_s=300)
    assert outcome.exit_code == 0, outcome.says
    assert outcome.stderr == "", outcome.says
    assert list(run.glob("io.*.cwr")), "nothing was in the cache"
