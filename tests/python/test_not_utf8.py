"""Terminals and pipes that are not UTF-8: LANG=en_US is ISO 8859-1, and some scripts ask for LC_ALL=C."""

from __future__ import annotations

import json
import os
import subprocess
import sys
from pathlib import Path

import pytest
from python.made_runs import world, write_all

POSIX = {"LC_ALL": "POSIX", "PYTHONUTF8": "0", "PYTHONCOERCECLOCALE": "0"}  # as Python has it without its own help
ASCII, LATIN_1 = {"PYTHONIOENCODING": "ascii"}, {"PYTHONIOENCODING": "latin-1"}


@pytest.fixture(scope="module")
def run(tmp_path_factory: pytest.TempPathFactory) -> Path:
    ranks = world(2)
    for rank in ranks:
        rank.collective("MPI_Barrier", 1.0, 2.0)
    return write_all(ranks, tmp_path_factory.mktemp("run"))


def typed(encoding: dict[str, str], *words: str | Path) -> bytes:
    command = [sys.executable, "-m", "clearway", *map(str, words)]
    done = subprocess.run(command, env={**os.environ, **encoding}, capture_output=True, timeout=60, check=False)
    assert b"Traceback" not in done.stderr, done.stderr.decode(errors="replace")
    return done.stdout + done.stderr


@pytest.mark.parametrize("encoding", [POSIX, ASCII])
@pytest.mark.parametrize(
    "words", ["run --help", "explain blocked", "explain serial-section", "docs page", "docs", "report nowhere"]
)
def test_texts_are_shown_in_ascii(encoding: dict[str, str], words: str) -> None:
    said = typed(encoding, *words.split()).decode("ascii")
    assert said and "\\x" not in said and "\\u" not in said


@pytest.mark.parametrize("encoding", [POSIX, ASCII, LATIN_1])
def test_a_page_has_no_escapes(encoding: dict[str, str], run: Path) -> None:
    said = typed(encoding, "report", run).decode("ascii")
    assert "wall-clock" in said and "\\" not in said


@pytest.mark.parametrize("encoding", [POSIX, ASCII, LATIN_1])
def test_data_is_utf8(encoding: dict[str, str], run: Path) -> None:
    """Another program reads it: jq knows no other encoding."""
    assert "×" in json.loads(typed(encoding, "report", run, "--json", "-").decode())["sentence"]
