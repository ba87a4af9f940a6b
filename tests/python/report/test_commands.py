"""The command line: what it says, and how fast."""

from __future__ import annotations

import pkgutil
import re
import resource
import subprocess
import sys
from pathlib import Path

import pytest

from clearway import __version__, commands
from clearway.commands import command_names, main


def clearway(*arguments: str) -> subprocess.CompletedProcess[str]:
    return subprocess.run(
        [sys.executable, "-m", "clearway", *arguments], capture_output=True, text=True, timeout=60, check=False
    )


def test_every_module_is_a_command_of_one_group(capsys: pytest.CaptureFixture[str]) -> None:
    modules = sorted(module.name for module in pkgutil.iter_modules(commands.__path__))
    assert sorted(name.replace("-", "_") for name in command_names()) == modules
    assert main(["--help"]) == 0
    shown = capsys.readouterr().out
    for name in command_names():
        assert f"\n  {name} " in shown
    assert max(map(len, shown.splitlines())) <= 120


@pytest.mark.parametrize("name", command_names())
def test_help_shows_an_example_before_anything_else(name: str, capsys: pytest.CaptureFixture[str]) -> None:
    with pytest.raises(SystemExit):
        main([name, "--help"])
    _, blank, example, *rest = capsys.readouterr().out.splitlines()
    assert blank == ""
    assert re.match(r"(sudo |mpirun -np 8 )?clearway[ -]", example)
    assert any(line.startswith("usage: ") for line in rest)


def test_commands_import_nothing_of_each_other() -> None:
    for module in Path(commands.__path__[0]).glob("[a-z]*.py"):
        others = set(re.findall(r"from clearway\.commands\.?(\w*) import", module.read_text()))
        assert not others - {""}, f"{module.name}: what {others} share with it is no command"


def test_version(capsys: pytest.CaptureFixture[str]) -> None:
    assert main(["--version"]) == 0
    assert capsys.readouterr().out == f"clearway {__version__}\n"


@pytest.mark.parametrize(
    ("arguments", "code", "message"),
    [
        (["reprot"], 2, "error: there is no command 'reprot'\n\nhint: "),
        (["report"], 1, "error: clearway report needs a Run directory\n\nhint: clearway report DIR\n"),
        (["report", "--colour", "d"], 2, "error: clearway report: unrecognized arguments: --colour\n\nhint: "),
        (["report", "/nowhere"], 1, "error: cannot read a Run from /nowhere: there is no such directory\n\nhint: "),
        (["report", "/no\x1b[31mwhere"], 1, "error: cannot read a Run from /no\\x1b[31mwhere: "),
        (["show", "/nowhere", "--live"], 1, "error: cannot read a Run from /nowhere"),
        (["top", "/nowhere"], 1, "error: cannot read a Run from /nowhere"),
    ],
)
def test_mistakes_are_told_in_one_line_and_a_hint(
    arguments: list[str], code: int, message: str, capsys: pytest.CaptureFixture[str]
) -> None:
    assert main(arguments) == code
    captured = capsys.readouterr()
    assert captured.out == ""
    assert captured.err.startswith(message)


def test_a_closed_pipe_is_no_fault() -> None:
    job = subprocess.Popen(
        [sys.executable, "-m", "clearway", "report", "--json-schema"],
        stdout=subprocess.PIPE,
        stderr=subprocess.PIPE,
    )
    assert job.stdout is not None
    job.stdout.close()
    _, errors = job.communicate(timeout=60)
    assert errors == b""


@pytest.mark.parametrize("arguments", [["--version"], ["--help"], ["report", "--help"]])
def test_what_needs_no_run_comes_at_once(arguments: list[str]) -> None:
    """CPU time, since other tests may run beside this one."""

    def took_s() -> float:
        before = resource.getrusage(resource.RUSAGE_CHILDREN)
        assert clearway(*arguments).returncode == 0
        after = resource.getrusage(resource.RUSAGE_CHILDREN)
        return after.ru_utime + after.ru_stime - before.ru_utime - before.ru_stime

    assert min(took_s() for _ in range(5)) < 0.2
