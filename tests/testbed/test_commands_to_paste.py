"""What is shown for a job that `clearway testbed run` started can be pasted, and does what it says."""

from __future__ import annotations

import argparse
import os
import shlex
from pathlib import Path

import pytest
from harness.mpis import clearway_tool
from harness.programs import ProgramBuilder
from harness.runs import run_command
from testbed.conftest import build

from clearway.base.errors import ClearwayError
from clearway.commands.testbed import configure
from clearway.diagnosis.command import command_with
from clearway.diagnosis.facts import Case, open_case
from clearway.job.change import Change, changed
from clearway.job.launchers.testbed import DEFAULTS, TESTBED
from clearway.job.typed import typed_on_testbed
from clearway.run import load
from clearway.testbed import Mpi


def with_change(command: str, **change: object) -> str:
    return shlex.join(changed(shlex.split(command), Change(**change), {}))  # type: ignore[arg-type]


def test_its_options_are_all_known() -> None:
    parser = argparse.ArgumentParser()
    configure(parser)
    (actions,) = (action for action in parser._actions if isinstance(action, argparse._SubParsersAction))
    options = [action for action in actions.choices["run"]._actions if action.option_strings]
    flags = {name.lstrip("-") for one in options for name in one.option_strings if one.nargs == 0}
    assert flags == TESTBED.flags
    assert {name.lstrip("-") for one in options for name in one.option_strings} - flags == TESTBED.one
    for one in options:
        if one.dest.replace("_", "-") in DEFAULTS:
            assert DEFAULTS[one.dest.replace("_", "-")] == str(one.default)


@pytest.mark.parametrize(
    ("before", "change", "after"),
    [
        ("-- ./a", {"environment": (("A", "b c"),)}, "--env 'A=b c' -- ./a"),
        ("--env A=1 ./a", {"environment": (("A", "2"),)}, "--env A=2 ./a"),
        ("./a", {"parameters": (("btl_tcp_sndbuf", "0"),)}, "'--launcher-options=--mca btl_tcp_sndbuf 0' ./a"),
        ("--env OMPI_MCA_io=x ./a", {"parameters": (("io", "^ompio"),)}, "'--launcher-options=--mca io ^ompio' ./a"),
        ("'--launcher-options=--mca io x --bind-to none' ./a",
         {"parameters": (("io", "y"),), "launcher_options": ("--bind-to", "core")},
         "'--launcher-options=--mca io y --bind-to core' ./a"),
        ("./a", {"parameters": (("btl_tcp_if_include", "eth1"),)}, "--device eth1 ./a"),
        ("--hosts 2 ./a", {"ranks": 6}, "--hosts 2 --per-host 3 ./a"),
        ("--hosts 8 --per-host=2 ./a", {"ranks": 4}, "--hosts 2 --per-host=2 ./a"),
        ("./a", {"ranks": 1}, "--hosts 1 ./a"),
        ("./a", {"program_options": ("-x", "1")}, "./a -x 1"),
        ("-- ./a -cpt 1", {"program_options": ("-cpt", "15")}, "-- ./a -cpt 15"),
        ("-- ./a -v", {"without": ("-v",)}, "-- ./a"),
        ("-- ./a -v", {"program_prefix": ("stdbuf", "-o64K")}, "-- stdbuf -o64K ./a -v"),
        ("./a -v", {"program_prefix": ("stdbuf", "-o64K")}, "stdbuf -o64K ./a -v"),
    ],
)  # fmt: skip
def test_changes_in_its_words(before: str, change: dict[str, object], after: str) -> None:
    assert with_change(f"clearway testbed run {before}", **change) == f"clearway testbed run {after}"


@pytest.mark.parametrize(
    ("command", "change"),
    [
        ("--hosts 4 ./a", {"ranks": 6}),
        ("--hosts 4 --fault node3:loss=1% ./a", {"ranks": 2}),
        ("--mpi mpich ./a", {"parameters": (("io", "^ompio"),)}),
        ("./a", {"launcher": "mpich"}),
    ],
)
def test_what_it_has_no_words_for(command: str, change: dict[str, object]) -> None:
    with pytest.raises(ClearwayError):
        with_change(f"clearway testbed run {command}", **change)


@pytest.mark.parametrize(
    ("line", "expected"),
    [
        ("clearway testbed run -- clearway-record -o run -- ./a -o x", "clearway testbed run -- ./a -o x"),
        ("clearway testbed run /opt/clearway-record -orun --sample-ms 5 ./a", "clearway testbed run ./a"),
        ("clearway testbed run clearway-record --flow -o r ./a", "clearway testbed run clearway-record --flow ./a"),
        ("clearway testbed run --colour ./a", ""),
        ("'", ""),
        ("", ""),
    ],
)
def test_what_was_typed_without_the_recording(line: str, expected: str) -> None:
    assert shlex.join(typed_on_testbed(line)) == expected


@pytest.mark.usefixtures("privileged")
def test_a_page_shows_commands_that_can_be_pasted(
    open_mpi_4: Mpi, programs: ProgramBuilder, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    program = build(programs, open_mpi_4, "where")
    typed = ["testbed", "run", "--hosts", "2", "--timeout", "60", "--env", "TOLD=before", "--"]
    recorder = [clearway_tool("clearway-record"), "-o", tmp_path / "run"]
    ran = run_command([clearway_tool("clearway"), *typed, *recorder, program])
    assert ran.exit_code == 0, ran.says
    case = open_case(load(tmp_path / "run"))
    assert list(case.command) == ["clearway", *typed, str(program)]

    def pasted(change: Change) -> list[str]:
        command = command_with(case, change)
        assert command.startswith("clearway testbed run ")
        path = f"{clearway_tool('clearway').parent}:{os.environ['PATH']}"
        outcome = run_command(["sh", "-c", command], {"PATH": path})
        assert outcome.exit_code == 0, outcome.says
        return sorted(outcome.lines)

    assert pasted(Change(environment=(("TOLD", "after"),))) == ["0 2 node1 after -", "1 2 node2 after -"]
    assert len(pasted(Change(ranks=4))) == 4
    assert len(pasted(Change(parameters=(("btl_tcp_sndbuf", "0"),), launcher_options=("--bind-to", "core")))) == 2
    assert recorded(case, tmp_path, Change(parameters=(("io", "^ompio"),))) == "^ompio"


def recorded(case: Case, folder: Path, change: Change) -> str | None:
    """What the ranks are told of MPI-IO, with `change` in the command that was typed."""
    recorder = [str(clearway_tool("clearway-record")), "-o", str(folder / "again")]
    words = changed(case.command, change, os.environ, recorder)
    outcome = run_command([clearway_tool("clearway"), *words[1:]])
    assert outcome.exit_code == 0, outcome.says
    return open_case(load(folder / "again")).environment("OMPI_MCA_io")
