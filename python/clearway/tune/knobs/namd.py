"""NAMD: threads of a process, with one left to communication where there are several processes. By its manual."""

from __future__ import annotations

import re
from collections.abc import Iterator, Sequence
from pathlib import Path, PurePath

from clearway.base.whole import is_whole
from clearway.job.change import Change
from clearway.tune.knobs import Short
from clearway.tune.seen import Seen
from clearway.tune.setting import Knob, MayChange, Setting

ENGINE = "NAMD"
THREADS = ""  # of all processes together is what it tells
RANKS = ""
SIZE = r"^Info: (\d+) ATOMS"
SEVERAL = ("+replicas",)
AFFINITY = "+setcpuaffinity"


def recognises(program: Sequence[str]) -> bool:
    return re.match(r"namd[23]($|[._-])", PurePath(program[0]).name) is not None


def refuses(program: Sequence[str]) -> str:
    return ""


def threads(seen: Seen, number: int) -> Change | None:
    """None: the number of its threads is a knob of its own, for it says it in words of its own."""
    return Change() if number == 1 and _word(seen) is None else None


def shortened(program: Sequence[str], steps: int | None, run_s: float, s_per_step: float | None) -> Short:
    return Short()


def read_first(program: Sequence[str], lines: Sequence[str], file: Path, folder: Path) -> Change | None:
    return None


def knobs(seen: Seen) -> Iterator[Knob]:
    yield _workers(seen)
    yield _affinity(seen)


def _word(seen: Seen) -> tuple[str, int] | None:
    """+p8, or +ppn 7."""
    for at, word in enumerate(seen.program):
        told = re.fullmatch(r"(\+p|\+ppn)(\d*)", word)
        value = told[2] or (seen.program[at + 1] if at + 1 < len(seen.program) else "") if told else ""
        if told and is_whole(value):
            return told[1], int(value)
    return None


def _workers(seen: Seen) -> Knob:
    """Of one process (+p) or of each (+ppn), written as its line does."""
    name = "threads"
    told = _word(seen)
    if told is None:
        return Knob(name, (), None, "the command line has neither +p nor +ppn: the build has no threads, or uses one")
    option, now = told
    cores = sum(seen.cores) // (seen.ranks if option == "+ppn" else 1)
    counts = sorted({max(1, cores // 2), max(1, cores - 1), max(1, cores)} - {now})
    joined = f"{option}{now}" in seen.program
    settings = [_setting(name, option, number, now, joined) for number in counts]
    return Knob(name, tuple(settings), None, "the record does not show what each of its threads does")


def _setting(name: str, option: str, number: int, now: int, joined: bool) -> Setting:
    """`+p8` is one word, that is left out for another; `+ppn 7` are two."""
    if joined:
        change = Change(program_options=(f"{option}{number}",), without=(f"{option}{now}",))
        return Setting(name, f"{option}{number}", change, MayChange.ORDER)
    change = Change(program_options=(option, str(number)))
    return Setting(name, f"{option} {number}", change, MayChange.ORDER)


def _affinity(seen: Seen) -> Knob:
    if AFFINITY in seen.program:
        return Knob(AFFINITY, (), None, "the job has it")
    setting = Setting(AFFINITY, AFFINITY, Change(program_options=(AFFINITY,)), MayChange.NOTHING)
    lost = seen.shares.core_wait
    return Knob(AFFINITY, (setting,), None, f"threads that move between cores; waiting for a core takes {lost:.0%}")
