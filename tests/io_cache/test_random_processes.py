"""Several processes that make random calls on the same files get the same answers with the cache, and leave the same.

Each seed is a sequence of calls (tests/programs/io_processes.c), each by one of up to 12 processes, of which each has a
cache of its own.
"""

from __future__ import annotations

import filecmp
from collections.abc import Callable
from pathlib import Path

import pytest
from harness.programs import ProgramBuilder
from harness.runs import Outcome, run_command

Cached = Callable[..., Outcome]


@pytest.mark.parametrize(("seed", "size"), [(1, "1Mi"), (2, "64Mi"), (3, "1Mi")])
@pytest.mark.parametrize("own", [False, True], ids=["shared", "own"])
def test_random_processes(
    programs: ProgramBuilder, cached: Cached, tmp_path: Path, seed: int, size: str, own: bool
) -> None:
    same(programs, cached, tmp_path, seed, 2000, size, own)


@pytest.mark.slow
@pytest.mark.timeout(3600)
@pytest.mark.parametrize("own", [False, True], ids=["shared", "own"])
def test_many_random_processes(programs: ProgramBuilder, cached: Cached, tmp_path: Path, own: bool) -> None:
    for seed in range(100, 300):
        same(programs, cached, tmp_path / str(seed), seed, 3000, "64Mi" if seed % 2 else "1Mi", own)


def same(programs: ProgramBuilder, cached: Cached, folder: Path, seed: int, steps: int, size: str, own: bool) -> None:
    program = programs.build_plain("io_processes", "io_processes.c")
    plain, other = folder / "plain", folder / "cached"
    for each in (plain, other):
        (each / "files").mkdir(parents=True)
    words = [seed, steps, *(["alone"] if own else [])]
    said = run_command([program, plain / "files", *words])
    assert said.exit_code == 0, said.says
    outcome = cached(program, other / "files", *words, folder=other / "files", size=size, own=own)
    repeat = f"io_processes FOLDER {' '.join(map(str, words))}, cache of {size}"
    assert outcome.exit_code == 0, f"{repeat}\n{outcome.says}"
    assert (other / "says").read_text().splitlines() == (plain / "says").read_text().splitlines(), repeat
    names = sorted(path.name for path in (plain / "files").iterdir())
    assert sorted(path.name for path in (other / "files").iterdir()) == names, repeat
    assert filecmp.cmpfiles(plain / "files", other / "files", names, shallow=False)[1:] == ([], []), repeat
