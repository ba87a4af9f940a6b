"""Whatever a program does to its files, in any order, the cache gives the same answers and leaves the same files.

Each seed is a sequence of calls (tests/programs/io_stress.c), made once on plain files and once on files in the cache.
Where others may look at the files, a process without us does, between any two calls. Else the folder is an engine's.
"""

from __future__ import annotations

import filecmp
from collections.abc import Callable
from pathlib import Path

import pytest
from harness.programs import ProgramBuilder
from harness.runs import Outcome, run_command

from clearway.run import load

Cached = Callable[..., Outcome]


def same(
    program: Path, cached: Cached, folder: Path, seed: int, steps: int, threads: int, size: str, own: bool = False
) -> None:
    plain, other = folder / f"plain.{seed}", folder / f"cached.{seed}"
    plain.mkdir()
    way = "alone" if own else "observed"
    said = run_command([program, plain, seed, steps, threads, way], timeout_s=600)
    assert said.exit_code == 0, said.says
    answers = cached(program, other, seed, steps, threads, way, folder=other, size=size, own=own, timeout_s=600)
    repeat = f"io_stress FOLDER {seed} {steps} {threads} {way}, cache of {size}"
    assert answers.exit_code == 0, f"{repeat}\n{answers.says}"
    assert answers.lines == said.lines, repeat
    names = sorted(path.name for path in plain.iterdir())
    assert sorted(path.name for path in other.iterdir()) == names, repeat
    assert filecmp.cmpfiles(plain, other, names, shallow=False)[1:] == ([], []), repeat


@pytest.fixture
def stress(programs: ProgramBuilder) -> Path:
    return programs.build_plain("io_stress", "io_stress.c")


# The files of a thread hold about 1 MB: with 1 MB of memory, records are evicted all the time.
@pytest.mark.parametrize(("seed", "threads", "size"), [(1, 1, "1Mi"), (2, 1, "16Mi"), (3, 3, "1Mi")])
@pytest.mark.parametrize("own", [False, True], ids=["observed", "own"])
def test_random_calls(
    stress: Path, cached: Cached, tmp_path: Path, seed: int, threads: int, size: str, own: bool
) -> None:
    same(stress, cached, tmp_path, seed, 10_000, threads, size, own)


AT_ONCE = 'for seed in 4 5 6; do mkdir "$1/$seed"; "$0" "$1/$seed" $seed 8000 >"$1/$seed.says" & done; wait'


def test_processes_at_once(stress: Path, cached: Cached, tmp_path: Path) -> None:
    """They share the memory."""
    plain, other = tmp_path / "plain", tmp_path / "cached"
    plain.mkdir()
    run_command(["sh", "-c", AT_ONCE, stress, plain], timeout_s=300)
    cached("sh", "-c", AT_ONCE, stress, other, folder=other, size="1Mi", timeout_s=300)
    names = sorted(str(path.relative_to(plain)) for path in plain.rglob("*") if path.is_file())
    assert {"4.says", "5.says", "6.says"} < set(names)
    assert sorted(str(path.relative_to(other)) for path in other.rglob("*") if path.is_file()) == names
    assert filecmp.cmpfiles(plain, other, names, shallow=False)[1:] == ([], [])
    assert sum(load(tmp_path / "run").io_cache.data["files"] > 100) >= 3


@pytest.mark.slow
@pytest.mark.timeout(3600)
@pytest.mark.parametrize("part", range(10))
def test_ten_million_random_calls(stress: Path, cached: Cached, tmp_path: Path, part: int) -> None:
    for seed in range(1000 + 4 * part, 1000 + 4 * part + 4):
        threads = 3 if seed % 4 == 3 else 1
        same(stress, cached, tmp_path, seed, 250_000 // threads, threads, f"{1 + seed % 3}M", own=seed % 8 < 4)
