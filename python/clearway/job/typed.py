"""What a person typed to start a job on a testbed, as its ranks' records have it."""

from __future__ import annotations

import shlex
from pathlib import PurePath

from clearway.base.errors import ClearwayError
from clearway.base.installed import RECORDER
from clearway.job.launcher_options import Grammar, skip_options, words
from clearway.job.recorded_command import find_programs

TYPED = "CLEARWAY_TYPED"  # the variable that `clearway testbed run` sets for the ranks
ONLY_RECORDS = words("o output job sample-ms timeline always")  # without these the job is the same
OWN_OPTIONS = Grammar(
    name=RECORDER,
    flags=words("always flow timeline h help V version"),
    one=words("output job sample-ms flow-algorithm io-cache io-cache-files"),
    short_one="o",
)


def typed_on_testbed(line: str) -> tuple[str, ...]:
    """The command line without what only records it; empty where it cannot be understood."""
    try:
        command = shlex.split(line)
        if not command:
            return ()
        (at,) = find_programs(command, {}).programs
    except (ClearwayError, ValueError):
        return ()
    return (*command[:at], *_unrecorded(command[at:]))


def _unrecorded(program: list[str]) -> list[str]:
    """Options that make the job another one are kept, and clearway-record before them."""
    if PurePath(program[0]).name != RECORDER:
        return program
    end = skip_options(OWN_OPTIONS, program, 1, program[0])
    kept: list[str] = []
    at = 1
    while at < end and program[at] != "--":
        size = 1 + _values_after(program[at])
        if _name(program[at]) not in ONLY_RECORDS:
            kept += program[at : at + size]
        at += size
    return [program[0], *kept, *program[end:]] if kept else program[end:]


def _values_after(option: str) -> int:
    return skip_options(OWN_OPTIONS, [option, "", ""], 0, RECORDER) - 1


def _name(option: str) -> str:
    return option.lstrip("-").partition("=")[0] if option.startswith("--") else option[1]
