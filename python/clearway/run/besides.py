"""What else a script or driver ran through MPI, where the launch that is shown has only a small part of it."""

from __future__ import annotations

from collections.abc import Sequence
from pathlib import PurePath

from clearway.run.launches import fact, lived_ns
from clearway.run.reader import Record
from clearway.run.run import Besides

MOSTLY = 0.5  # of all rank-seconds: a page about less of them says so in its first sentence
NAMED = 3
WORTH_NAMING = 0.1  # of what is not shown


def besides(shown: Sequence[Record], all_: Sequence[Sequence[Record]]) -> Besides | None:
    """None where the launch that is shown has most of it."""
    others = [launch for launch in all_ if launch is not shown]
    shown_s, others_s = _lived_s(shown), sum(map(_lived_s, others))
    if shown_s >= MOSTLY * (shown_s + others_s):
        return None
    spent_s: dict[str, float] = {}
    for launch in others:
        name = _words(launch[0])
        spent_s[name] = spent_s.get(name, 0.0) + _lived_s(launch)
    longest = sorted(spent_s.items(), key=lambda each: -each[1])[:NAMED]
    named = tuple((name, seconds) for name, seconds in longest if name and seconds > WORTH_NAMING * others_s)
    return Besides(len(all_), shown_s / (shown_s + others_s), named)


def _lived_s(launch: Sequence[Record]) -> float:
    return sum(map(lived_ns, launch)) * 1e-9


def _words(record: Record) -> str:
    """The program, and what it was told to do: "gmx_mpi grompp"."""
    program, *rest = (fact(record, b"process.command_line") or "").split(" ")
    told = [word for word in rest[:1] if word.isalpha()]
    return " ".join([PurePath(program).name, *told])
