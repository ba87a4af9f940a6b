"""The fuzzers find nothing: 20 s each, ten minutes in `make test-all`.

What they learn is kept in build/fuzz, what breaks something in build/failing-seeds: that is tried first next time.
tests/fuzz/corpus holds where each begins.
"""

from __future__ import annotations

import importlib.util
import shutil
import subprocess
import sys
from pathlib import Path

import pytest
from harness.mpis import REPOSITORY
from harness.seeds import FAILING

HERE = Path(__file__).parent
NATIVE = REPOSITORY / "native"
LEARNT = REPOSITORY / "build" / "fuzz"
LIMITS = ("-timeout=25", "-rss_limit_mb=2048", "-max_len=4096")
SHORT_S = 60
MEGABYTES_ENOUGH = 20  # of what was learnt: the next run reads all of it first


def seed_for(seconds: int) -> list[str]:
    """Short runs take the same inputs each time: they hold what was mended. Long ones look for what is new."""
    return ["-seed=1"] if seconds <= SHORT_S else []


def fuzz(name: str, command: list[str], seconds: int) -> None:
    """Runs a fuzzer, a process that takes libFuzzer's options."""
    learnt = LEARNT / name
    if sum(file.stat().st_size for file in learnt.glob("*")) > MEGABYTES_ENOUGH << 20:
        shutil.rmtree(learnt)
    learnt.mkdir(parents=True, exist_ok=True)
    FAILING.mkdir(parents=True, exist_ok=True)
    broke = sorted(map(str, FAILING.glob(f"fuzz-{name}-*")))
    command = ["nice", *command, *LIMITS, f"-artifact_prefix={FAILING}/fuzz-{name}-"]
    for words in ([broke] if broke else []) + [
        [*seed_for(seconds), f"-max_total_time={seconds}", str(learnt), str(HERE / "corpus" / name)]
    ]:
        outcome = subprocess.run(
            [*command, *words], capture_output=True, text=True, errors="replace", timeout=seconds + 300
        )
        assert outcome.returncode == 0, outcome.stdout[-3000:] + outcome.stderr[-6000:]
    for file in broke:  # mended
        Path(file).unlink()


@pytest.fixture
def seconds(request: pytest.FixtureRequest) -> int:
    asked: int = request.config.getoption("--fuzz-s")
    return asked


@pytest.mark.timeout(1200)
@pytest.mark.parametrize("name", ["reader", "clusters", "hosts", "pages"])
def test_python(name: str, seconds: int) -> None:
    if importlib.util.find_spec("atheris") is None:
        pytest.skip("PyPI's atheris is not installed")
    fuzz(name, [sys.executable, str(HERE / f"{name}.py")], seconds)


@pytest.mark.timeout(1200)
def test_schedules(seconds: int, tmp_path: Path) -> None:
    if shutil.which("clang++") is None or not list(Path("/usr/lib").glob("llvm-*/lib/clang/*/lib/linux/*fuzzer-*.a")):
        pytest.skip("clang's libFuzzer is not installed (Debian packages clang and libclang-rt-14-dev)")
    program = tmp_path / "fuzz"
    sources = [file for file in sorted((NATIVE / "schedule").rglob("*.cpp")) if is_part(file)]
    flags = ["-std=c++20", "-O1", "-fsanitize=fuzzer,address", "-D_GNU_SOURCE", f"-I{NATIVE}", "-o", str(program)]
    subprocess.run(["clang++", *flags, *map(str, sources)], check=True, timeout=300)
    fuzz("schedules", [str(program)], seconds)


def is_part(file: Path) -> bool:
    return file.name == "fuzz.cpp" or not (
        file.name.endswith("_test.cpp") or file.parent.name in ("command", "testing")
    )


@pytest.mark.parametrize("name", ["reader", "clusters", "hosts", "pages", "schedules"])
def test_corpus_is_small(name: str) -> None:
    files = list((HERE / "corpus" / name).iterdir())
    assert files
    assert sum(file.stat().st_size for file in files) < 200_000
