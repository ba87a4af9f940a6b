"""Whatever a program does to its files, in any order, the cache gives the same answers and leaves the same files.

Each seed is a sequence of calls (tests/programs/io_stress.c), made once on plain files and once on files in the cache.
"""

from __future__ import annotations

import filecmp
from collections.abc import Callable
from pathlib import Path

import pytest
from harness.programs import ProgramBuilder
from harness.runs import Outcome, run_command

Cached = Callable[..., Outcome]


def same(program: Path, cached: Cached, folder: Path, seed: int, steps: int, threads: int, size: str) -> None:
    plain, other = folder / f"plain.{seed}", folder / f"cached.{seed}"
    plain.mkdir()
    said = run_command([program, plain, seed, steps, threads], timeout_s=600)
    assert said.exit_code == 0, said.says
    answers = cached(program, other, seed, steps, threads, folder=other, size=size, timeout_s=600)
    repeat = f"io_stress FOLDER {seed} {steps} {threads}, cache of {size}"
    assert answers.exit_code == 0, f"{repeat}\n{answers.says}"
    assert answers.lines == said.lines, repeat
    names = sorted(path.name for path in plain.iterdir())
    assert sorted(path.name for path in other.iterdir()) == names, repeat
    assert filecmp.cmpfiles(plain, other, names, shallow=False)[1:] == ([], []), repeat


@pytest.fixture
def stress(programs: ProgramBuilder) -> Path:
    return programs.build_plain("io_stress", "io_stress.c")


# The files of a thread hold about 1 MB: with 1 MB of memory, records are evicted all the time.
@pytest.mark.parametrize(("seed", "threads", "size"), [(1, 1, "1M"), (2, 1, "16M"), (3, 3, "1M")])
def test_random_calls(stress: Path, cached: Cached, tmp_path: Path, seed: int, threads: int, size: str) -> None:
    same(stress, cached, tmp_path, seed, 15_000, threads, size)


@pytest.mark.slow
@pytest.mark.timeout(3600)
@pytest.mark.parametrize("part", range(10))
def test_ten_million_random_calls(stress: Path, cached: Cached, tmp_path: Path, part: int) -> None:
    for seed in range(1000 + 4 * part, 1000 + 4 * part + 4):
        threads = 3 if seed % 4 == 3 else 1
        same(stress, cached, tmp_path, seed, 250_000 // threads, threads, f"{1 + seed % 3}M")
