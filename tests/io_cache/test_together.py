"""What threads do to one file at the same time comes out as without the cache."""

from __future__ import annotations

from collections.abc import Callable
from pathlib import Path

import pytest
from harness.programs import ProgramBuilder
from harness.runs import Outcome, run_command

Cached = Callable[..., Outcome]


def contents(folder: Path) -> dict[str, bytes]:
    return {path.name: path.read_bytes() for path in folder.iterdir()}


# All but the last are races, which some runs lose: a run has many chances.
@pytest.mark.parametrize("what", ["appends", "cuts", "reads", "forks", "numbers", "tables"])
@pytest.mark.parametrize("own", [False, True])
def test_threads(programs: ProgramBuilder, cached: Cached, tmp_path: Path, what: str, own: bool) -> None:
    program = programs.build_plain("io_together", "io_together.c")
    outcome = cached(program, tmp_path / "scratch", what, own=own)
    assert (outcome.exit_code, outcome.stdout) == (0, "0\n"), outcome.says


def test_descriptors_of_its_own(programs: ProgramBuilder, cached: Cached, tmp_path: Path) -> None:
    program = programs.build_plain("io_together", "io_together.c")
    cached(program, tmp_path / "scratch", "tables")
    assert contents(tmp_path / "scratch") == {"first": b"a" * 128, "second": b"b" * 64}


@pytest.mark.parametrize("way", ["quick_exit", "sendmmsg", "clone", "clone_range", "by_number", "clone3"])
@pytest.mark.parametrize("own", [False, True])
def test_outlets(programs: ProgramBuilder, cached: Cached, tmp_path: Path, way: str, own: bool) -> None:
    program = programs.build_plain("io_outlets", "io_outlets.c")
    (tmp_path / "plain").mkdir()
    plain = run_command([program, tmp_path / "plain", way])
    outcome = cached(program, tmp_path / "scratch", way, own=own)
    assert (outcome.exit_code, outcome.stdout) == (plain.exit_code, plain.stdout), outcome.says
    assert contents(tmp_path / "scratch") == contents(tmp_path / "plain")
