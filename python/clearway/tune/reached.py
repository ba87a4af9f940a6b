"""Whether the options of a variant reached the program: a script around it may not pass them on.

Otherwise all variants would be the unchanged job, and "nothing to gain" would be said of what never ran.
"""

from __future__ import annotations

import shlex
from collections.abc import Iterable, Sequence
from pathlib import Path

from clearway.base.errors import ClearwayError
from clearway.job.change import grouped
from clearway.run import load

NOT_PASSED_ON = "the command does not pass its options on to the program"
WHOLE = 400  # characters: a record keeps no more than some of a longer command line


def why_not_reached(run: Path, options: Sequence[str]) -> str:
    """The end of a sentence about a variant; empty where each option is on the command line of every rank's program,
    or where that is not known."""
    try:
        loaded = load(run)
    except ClearwayError:
        return ""
    ranks = set(loaded.process_of_rank.values())
    lines = [line for process, line in loaded.fact("process.command_line").items() if process in ranks]
    missing = [group for group in grouped(options) if any(_lacks(line, group) for line in lines if len(line) < WHOLE)]
    if not missing:
        return ""
    return f"ran without {shlex.join(missing[0])}: {NOT_PASSED_ON}"


def _lacks(line: str, group: Sequence[str]) -> bool:
    try:
        words = shlex.split(line)
    except ValueError:  # cut off
        return False
    return not any(words[at : at + len(group)] == list(group) for at in _places(words, group[0]))


def _places(words: Sequence[str], first: str) -> Iterable[int]:
    return (at for at, word in enumerate(words) if word == first)
