"""CP2K: its standard output. A step is one of MD where the ions move, else an iteration of self-consistency.

MD| Step number                                                              10
CP2K                                 1  1.0    0.104    0.105   61.822   61.823
"""

from __future__ import annotations

import re
from collections.abc import Iterator

from clearway.engines.speed import Speed, last_number, number, per_step, whole
from clearway.engines.words import About, Word, said

NAME = "CP2K"
VERSION = r"^ CP2K\| version string: +(?:CP2K version )?(\S.*?) *$"
FS_PER_NS = 1e6
S_PER_DAY = 86_400
REPRODUCES = 1e-7  # what it iterates to is known to the threshold that it stops at


def recognises(beginning: str) -> bool:
    return "CP2K| version string:" in beginning


def speed(text: str) -> Speed:
    total_s = last_number(r"^ CP2K +\d+ +[\d.]+ +[\d.]+ +[\d.]+ +[\d.]+ +([\d.]+)$", text)
    steps = last_number(r"^ (?:MD\| Step number|STEP NUMBER +=) +(\d+)$", text)
    if steps is None:
        iterations = len(re.findall(r"^ +\d+ +(?:OT|P_Mix|Broy\.|DIIS|Kerker|Pulay|NoMix)\S* ", text, re.MULTILINE))
        return Speed(None, per_step(total_s, iterations), iterations or None, total_s)
    step_s = per_step(total_s, steps)
    dt_fs = last_number(r"^ MD(?:_PAR)?\| Time [Ss]tep \[fs\] +([\d.]+)$", text)
    ns_per_day = dt_fs / FS_PER_NS * S_PER_DAY / step_s if dt_fs and step_s else None
    return Speed(ns_per_day, step_s, whole(steps), total_s)


def energies(text: str) -> dict[int, float]:
    """The total energy that each self-consistent calculation ended with, by its number."""
    found = re.findall(r"^ ENERGY\| Total FORCE_EVAL \(.*\) energy \[?\(?[^:]*: +(\S+)", text, re.MULTILINE)
    return dict(enumerate(map(number, found), 1))


def words(text: str) -> Iterator[Word]:
    """Its warnings about speed: "*** WARNING in FILE:LINE :: Using a non-square number of MPI ranks … ***"."""
    for warning in re.findall(r"^ \*\*\* WARNING in \S+ :: (.*(?:\n \*\*\* .*)*)", text, re.MULTILINE):
        says = said(warning.replace("***", " "))
        if re.search(r"perform|slow|efficien|ranks", says, re.IGNORECASE):
            yield Word(About.WARNING, says)
            return
