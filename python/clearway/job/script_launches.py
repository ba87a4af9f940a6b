"""Where a batch script launches its job: the commands that are an MPI launcher's, and the words of each."""

from __future__ import annotations

import re
from collections.abc import Iterator
from contextlib import suppress
from dataclasses import dataclass
from pathlib import PurePath

from clearway.base.errors import ClearwayError
from clearway.job.launcher_options import values_after
from clearway.job.launchers.mpich_hydra import HYDRA, INTEL_HYDRA
from clearway.job.launchers.openmpi import OPEN_MPI_4, OPEN_MPI_5
from clearway.job.launchers.slurm import SRUN
from clearway.job.prefixes import launcher_position
from clearway.job.shell_variables import Variables, is_variable
from clearway.job.shell_words import read_commands

LAUNCHERS = (
    "srun",
    "mpirun",
    "mpiexec",
    "mpiexec.hydra",
    "orterun",
    "prterun",
    "prun",
    "mpirun.openmpi",
    "mpirun.mpich",
)
_KEYWORDS = frozenset(("exec", "if", "then", "else", "elif", "do", "while", "until", "!", "{", "time"))


class Raw(str):
    """A word as the script has it, quotes and all, and what stands before it: a space, or a line's end."""

    gap = " "


def _raw(word: str, gap: str) -> Raw:
    made = Raw(word)
    made.gap = gap
    return made


@dataclass(frozen=True, slots=True)
class Launch:
    """Places in the text; `recorded_from` is where `clearway run` stands before it, else `begin`."""

    begin: int
    end: int
    recorded_from: int
    words: tuple[Raw, ...]
    unclear: str  # a variable that may be the program, or options; else empty


def launches_in(text: str) -> Iterator[Launch]:
    """Each simple command that is a launcher's, behind what records it."""
    read = read_commands(text)
    variables = Variables(text, read)
    for places in read.commands:
        raw = [text[begin:end] for begin, end in places]
        at = 0
        while at < len(raw) and (raw[at] in _KEYWORDS or re.match(r"\w+=", raw[at])):
            at += 1
        recorded_from = at
        if [PurePath(word).name for word in raw[at : at + 2]] == ["clearway", "run"] and "--" in raw[at:]:
            at = raw.index("--", at) + 1
        words = []
        for number, (begin, end) in enumerate(places[at:], at):
            words.append(_raw(text[begin:end], text[places[number - 1][1] : begin] if number > at else " "))
        words, unclear = _expanded(words, variables)
        launcher = launcher_position(words)
        if launcher < len(words) and PurePath(words[launcher]).name in LAUNCHERS:
            yield Launch(places[at][0], places[-1][1], places[recorded_from][0], tuple(words), unclear)


def _expanded(words: list[Raw], variables: Variables) -> tuple[list[Raw], str]:
    """With what is known of variables that hold the launcher, or its options: these we must read. And the variable of
    which it is not known whether it is the program.
    """

    def read(at: int, known: list[str]) -> None:
        made[at : at + 1] = [_raw(word, made[at].gap if number == 0 else " ") for number, word in enumerate(known)]

    made = list(words)
    at = launcher_position(made)
    if at < len(made) and is_variable(made[at]) and (known := variables.words(made[at])):
        read(at, known)
        at = launcher_position(made)
    if at >= len(made) or PurePath(made[at]).name not in LAUNCHERS:
        return made, ""
    launcher, at = made[at], at + 1
    while at < len(made):
        if made[at].startswith("-"):
            at += 1 + _values_after(launcher, made[at])
            continue
        if not is_variable(made[at]):
            break
        known = variables.words(made[at])
        if known is None:
            is_one_word = made[at].startswith('"') and "[" not in made[at]
            return made, "" if is_one_word or at + 1 == len(made) else made[at]
        if known and not known[0].startswith("-"):
            break
        read(at, known)
    return made, ""


def _values_after(launcher: str, option: str) -> int:
    """How many words behind it are its values, with any MPI's launcher of that name."""
    grammars = (SRUN,) if PurePath(launcher).name == "srun" else (OPEN_MPI_4, OPEN_MPI_5, HYDRA, INTEL_HYDRA)
    for grammar in grammars:
        with suppress(ClearwayError):
            return values_after(grammar, option, launcher)
    return 0
