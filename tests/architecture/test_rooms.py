"""CONTRIBUTING names every room, and what docs/architecture.md names is there."""

from __future__ import annotations

import re
import tomllib
from pathlib import Path

import pytest
from harness.mpis import REPOSITORY

ARCHITECTURE = (REPOSITORY / "docs/architecture.md").read_text()
CONTRIBUTING = (REPOSITORY / "CONTRIBUTING.md").read_text()
ROWS = [line for line in ARCHITECTURE.splitlines() if line.startswith("| ") and "`" in line]
QUESTIONS = [line for line in ROWS if line.split("|")[1].endswith("? ")]


def rooms_of_table(heading: str) -> list[str]:
    """The rooms of the first table after a line that begins with `heading`."""
    table = CONTRIBUTING.split(f"\n{heading}", 1)[1].split("\n| --- | --- |\n", 1)[1].split("\n\n", 1)[0]
    return re.findall(r"^\| `(\w+)/`", table, re.MULTILINE)


@pytest.mark.parametrize(("heading", "folder"), [("Python,", "python/clearway"), ("Native,", "native")])
def test_the_table_names_every_room(heading: str, folder: str) -> None:
    there = {path.name for path in (REPOSITORY / folder).iterdir() if path.is_dir() and path.name != "__pycache__"}
    assert sorted(rooms_of_table(heading)) == sorted(there)


def test_a_room_stands_below_those_it_knows() -> None:
    settings = tomllib.loads((REPOSITORY / "pyproject.toml").read_text())["tool"]["importlinter"]
    layers = next(contract["layers"] for contract in settings["contracts"] if contract["id"] == "rooms")
    height = {room: len(layers) - at for at, layer in enumerate(layers) for room in layer.split(" | ")}
    heights = [height[room] for room in rooms_of_table("Python,")]
    assert heights == sorted(heights)


@pytest.mark.parametrize("row", ROWS)
def test_what_a_row_names_is_there(row: str) -> None:
    first, *others = re.findall(r"`((?:native|python)/[^`]+|\w+\.(?:py|cpp|hpp))`", row)
    assert (REPOSITORY / first).exists()
    for other in others:
        assert (REPOSITORY / other).exists() or (REPOSITORY / first).with_name(other).exists()


def test_questions_lead_to_rooms_of_the_table() -> None:
    answers = [Path(re.findall("`([^`]+)`", row)[-1]) for row in QUESTIONS]
    assert len(answers) >= 20
    native, python = rooms_of_table("Native,"), rooms_of_table("Python,")
    assert all(path.parts[1] in native if path.parts[0] == "native" else path.parts[2] in python for path in answers)
