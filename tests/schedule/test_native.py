"""The C++ tests of native/schedule, and the native program's own command line."""

from __future__ import annotations

import subprocess

import pytest
from harness.cpp import run_cpp_tests
from schedule.schedules import NAMES, schedule

from clearway.base.installed import find_program
from clearway.schedule.native import PROGRAM, list_algorithms


@pytest.mark.timeout(900)
def test_cpp() -> None:
    run_cpp_tests("schedule_test", "schedule")


def test_the_table_lists_what_the_tests_cover() -> None:
    assert tuple(each.name for each in list_algorithms()) == NAMES


@pytest.mark.parametrize("algorithm", NAMES)
def test_each_algorithm_passes_the_checker(algorithm: str) -> None:
    served = next(each.operations for each in list_algorithms() if each.name == algorithm)
    for operation in served:
        assert schedule(algorithm, 3, 1, 2, operation=operation, check=True).violations == ()


@pytest.mark.parametrize(
    ("arguments", "said"),
    [
        ([], "error: no algorithm given\n"),
        (["sorted"], "error: there is no algorithm 'sorted'\n"),
        (["ordered"], "error: there is no rank\n"),
        (["ordered", "--hosts"], "error: --hosts needs a value\n"),
        (["ordered", "--hosts", "0,2,2"], "error: host 1 has no rank\n"),
        (["ordered", "--hosts", "0,,1"], "error: '0,,1' is not a valid value for --hosts\n"),
        (["ordered", "--hosts", "0,99999999999"], "error: '0,99999999999' is not a valid value for --hosts\n"),
        (["ordered", "--hosts", "0,4294967295"], "error: hosts must be numbered from 0 without gaps: "),
        (["ordered", "--hosts", "0,1", "--root", "1"], "error: alltoall has no root\n"),
        (
            ["binomial", "--hosts", "0,1", "--root", "2", "--operation", "bcast"],
            "error: the root, rank 2, does not exist\n",
        ),
        (["ordered", "--colour"], "error: unknown option '--colour'\n"),
        (["bruck", "--hosts", "0,1", "--operation", "alltoallv"], "error: 'bruck' cannot do alltoallv\n"),
    ],
)
def test_mistakes(arguments: list[str], said: str) -> None:
    answer = subprocess.run(
        [find_program(PROGRAM), *arguments], capture_output=True, text=True, timeout=60, check=False
    )
    assert answer.returncode == 2
    assert answer.stdout == ""
    assert answer.stderr.startswith(said)
    assert answer.stderr.endswith("\n\nhint: clearway-schedule --help\n")


def test_every_option_is_in_its_help() -> None:
    text = subprocess.run(
        [find_program(PROGRAM), "--help"], capture_output=True, text=True, timeout=60, check=True
    ).stdout
    for option in ("--operation", "--hosts", "--bytes", "--root", "--uneven", "--gate", "--messages", "--check"):
        assert f"\n  {option} " in text
