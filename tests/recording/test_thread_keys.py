"""The keys of a program's threads are those that it has without us, also where copies of libc have own keys."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from pathlib import Path

import pytest
from harness.mpis import all_mpis, clearway_tool
from harness.programs import ProgramBuilder
from harness.runs import run_command


def both(
    programs: ProgramBuilder, run: Path, words: Sequence[str] = (), environment: Mapping[str, str] | None = None
) -> tuple[list[str], list[str]]:
    command = [programs.build_plain("thread_keys", "thread_keys.c"), *words]
    answers = []
    for prefix in ([], [clearway_tool("clearway-record"), "--always", "-o", run, "--io-cache", "64Mi", "--"]):
        answer = run_command([*prefix, *command], environment or {})
        assert answer.exit_code == 0, answer.says
        answers.append(answer.lines)
    return answers[0], answers[1]


def test_numbers_and_values(programs: ProgramBuilder, tmp_path: Path) -> None:
    plain, recorded = both(programs, tmp_path / "run")
    assert recorded == plain


def test_mpi_in_a_copy_of_all_libraries(programs: ProgramBuilder, tmp_path: Path) -> None:
    mpi = next(each for each in all_mpis() if each.name == "intel-pypi")
    if mpi.missing:
        pytest.skip(mpi.missing)
    library = Path(mpi.launcher[0]).parents[1] / "lib/libmpi.so.12"
    plain, recorded = both(programs, tmp_path / "run", [str(library)], mpi.environment)
    assert recorded == plain
