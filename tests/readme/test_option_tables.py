"""The tables of the manual's pages name options that the command has, with the defaults that it has."""

from __future__ import annotations

import argparse
import re
from pathlib import Path

import pytest
from harness.mpis import REPOSITORY

from clearway.commands import parser_of

# What a page is about, and which of the command's actions.
ABOUT = {
    "bench": ("bench", "alltoall"),
    "compare": ("compare",),
    "fix": ("fix",),
    "testbed": ("testbed", "run"),
    "tune": ("tune",),
    "what-if": ("what-if",),
    "workloads": ("workload", "run", "gromacs33"),
}
# Where the value in a table is the default, and not an example.
DEFAULTS = ("--rounds", "--calls", "--budget-s", "--least-calls", "--precision", "--within", "--run-time")


def rows_of(page: Path) -> list[tuple[str, str]]:
    """Option and value in the first cells of the page's tables of options: ("--rounds", "5")."""
    tables = re.findall(r"^\| (?:option|change) \|.*\n((?:\|.*\n)*)", page.read_text(encoding="utf-8"), re.MULTILINE)
    cells = re.findall(r"^\| ([^|]*) \|", "".join(tables), re.MULTILINE)
    spans = [span for cell in cells for span in re.findall(r"`(--[^`]*)`", cell)]
    found = [re.fullmatch(r"(--[a-z-]+)[ =]?(.*)", span) for span in spans]
    return [(match[1], match[2]) for match in found if match]


def options_of(command: tuple[str, ...]) -> dict[str, argparse.Action]:
    parser: argparse.ArgumentParser = parser_of(command[0])
    for name in command[1:]:
        (actions,) = (one for one in parser._actions if isinstance(one, argparse._SubParsersAction))
        parser = actions.choices[name]
    return {option: action for action in parser._actions for option in action.option_strings}


@pytest.mark.parametrize("name", ABOUT)
def test_the_command_has_them(name: str) -> None:
    options, rows = options_of(ABOUT[name]), rows_of(REPOSITORY / "docs" / f"{name}.md")
    assert len(rows) > 3
    assert {option for option, _ in rows} - set(options) == set()
    for option, value in rows:
        if option in DEFAULTS:
            told = (options[option].help or "").replace("%%", "%")
            assert str(options[option].default) == value or f"default {value})" in told, (option, value)


def test_what_is_none_is_noticed(tmp_path: Path) -> None:
    page = tmp_path / "page.md"
    page.write_text(
        "| setting | |\n| --- | --- |\n| `--flow` | |\n\n"
        "| option | |\n| --- | --- |\n| `--rounds 7`, `--nothing X` | what it does |\n"
    )
    assert rows_of(page) == [("--rounds", "7"), ("--nothing", "X")]
