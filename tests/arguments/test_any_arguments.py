"""Whatever is typed, and whatever is in the files: an answer, or one message that a person can act upon."""

from __future__ import annotations

import random
import re
import signal
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path

import pytest
from arguments.odd_files import make_places
from arguments.random_words import Words
from harness.command_line import run_clearway
from harness.outcome import Outcome
from harness.seeds import seeds, trying

FOLDERS, COMMANDS = 3, 80
LIMIT_S = 40
STEERS = re.compile(r"[\x00-\x08\x0b-\x1f\x7f\u202a-\u202e]")
# Figures that no page may show. JSON has null in their place, and `docs` and `explain` speak of what they please.
ABSURD = re.compile(r"(?<![\w.\\/-])(?:nan|-?inf)(?![\w.\\/-])")


def wrong_with(words: list[str], outcome: Outcome) -> str:
    said = re.findall(r"^error: .", outcome.stderr, re.MULTILINE)
    if outcome.exit_code == 0 and said:
        return "an error, and exit code 0"
    if outcome.exit_code not in (0, 1, 2):
        return f"exit code {outcome.exit_code}"
    if outcome.exit_code == 2 and len(said) != 1:
        return f"{len(said)} error messages"
    if said and "\nhint: " not in outcome.stderr:
        return "no hint"
    if STEERS.search(outcome.stdout + outcome.stderr):
        return "characters that a terminal obeys"
    if words[0] not in ("docs", "explain") and ABSURD.search(outcome.stdout):
        return "a figure that is none"
    return ""


@contextmanager
def limited() -> Iterator[None]:
    def late(_number: int, _frame: object) -> None:
        raise AssertionError(f"it is not done after {LIMIT_S} s")

    before = signal.signal(signal.SIGALRM, late)
    signal.alarm(LIMIT_S)
    try:
        yield
    finally:
        signal.alarm(0)
        signal.signal(signal.SIGALRM, before)


@pytest.mark.timeout(600)
def test_any_arguments(tmp_path: Path) -> None:
    for number, seed in enumerate(seeds("arguments", FOLDERS)):
        folder = tmp_path / str(number)
        (folder / "home").mkdir(parents=True)
        with trying("arguments", seed):
            nothing_goes_wrong(folder, seed)


def nothing_goes_wrong(folder: Path, seed: int) -> None:
    words = Words(seed, make_places(folder, random.Random(seed)))
    environment = {"HOME": str(folder / "home"), "XDG_CACHE_HOME": str(folder / "home" / "cache")}
    for _ in range(COMMANDS):
        command = words.command()
        try:
            with limited():
                outcome = run_clearway(*command, environment=environment, directory=folder)
        except BaseException as failure:
            failure.add_note(f"clearway {command}")
            raise
        assert not (fault := wrong_with(command, outcome)), f"{fault}: {command}\n{outcome.stdout}{outcome.stderr}"
        assert (folder / "kept" / "file").read_text() == "as it was", command
