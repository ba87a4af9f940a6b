"""docs/workloads.md shows what is so."""

from __future__ import annotations

import re
from pathlib import Path

from harness.mpis import REPOSITORY, clearway_tool
from harness.runs import run_command

from clearway.predict.models import find_program, program_names

PAGE = (REPOSITORY / "docs" / "workloads.md").read_text(encoding="utf-8")


def blocks(language: str) -> list[str]:
    fenced = re.findall(r"^```(\w*)\n(.*?)^```$", PAGE, re.MULTILINE | re.DOTALL)
    return [body for name, body in fenced if name == language]


def test_the_script_makes_sense(tmp_path: Path) -> None:
    (text,) = (block for block in blocks("") if block.startswith("clearway-script"))
    path = tmp_path / "of-the-page.script"
    path.write_text(text)
    outcome = run_command([clearway_tool("clearway-workload"), "--check", path])
    assert outcome.exit_code == 0, outcome.says


def test_what_show_prints_is_what_stands_there() -> None:
    (block,) = (block for block in blocks("console") if "workload show" in block)
    command, *lines = block.splitlines()
    outcome = run_command([clearway_tool("clearway"), *command.split()[2:]], {"COLUMNS": "100"})
    assert outcome.exit_code == 0, outcome.says
    assert [line for line in lines if line != "…" and line not in outcome.stdout.splitlines()] == []


def test_the_table_has_every_model() -> None:
    for name in program_names():
        (row,) = re.findall(rf"^\| `{name}` \| (.*?) \|", PAGE, re.MULTILINE)
        assert row == ", ".join(f"`{system}`" for system in find_program(name).SYSTEMS)
