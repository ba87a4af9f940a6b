"""Psi4: its output file. A step is an iteration of self-consistency.

 @DF-RHF iter   1:   -75.95376270516550   -4.46042e-01   3.03066e-02 DIIS
@DF-RHF Final Energy:   -76.02663273508978
  Psi4 wall time for execution: 0:00:03.51
"""

from __future__ import annotations

import re

from clearway.engines.speed import Speed, number, per_step

NAME = "Psi4"
VERSION = r"^ +Psi4 (\S+) release"
REPRODUCES = 1e-7  # what it iterates to is known to the threshold that it stops at
WALL = re.compile(r"^ +Psi4 wall time for execution: (?:(\d+) days?, )?(\d+):(\d+):([\d.]+)$", re.MULTILINE)


def recognises(beginning: str) -> bool:
    return "Psi4: An Open-Source Ab Initio Electronic Structure Package" in beginning


def speed(text: str) -> Speed:
    steps = len(re.findall(r"^ +@\S+ iter +\d+:", text, re.MULTILINE))
    walls = WALL.findall(text)
    if not walls:
        return Speed(steps=steps or None)
    days, hours, minutes, seconds = walls[-1]
    total_s = int(days or 0) * 86_400 + int(hours) * 3600 + int(minutes) * 60 + number(seconds)
    return Speed(None, per_step(total_s, steps), steps or None, total_s)


def energies(text: str) -> dict[int, float]:
    """The total energy that each self-consistent calculation ended with, by its number."""
    found = re.findall(r"^ +@\S+ Final Energy: +(\S+)", text, re.MULTILINE)
    return dict(enumerate(map(number, found), 1))
