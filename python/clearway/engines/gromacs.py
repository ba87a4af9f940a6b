"""GROMACS: md.log, or the standard error of mdrun.

               (ns/day)    (hour/ns)
Performance:       13.945        1.721
"""

from __future__ import annotations

import re
from collections.abc import Iterator

from clearway.engines.speed import Speed, last_number, number, whole

NAME = "GROMACS"
VERSION = r":-\) +GROMACS - .*?, (\S+)"
PS_PER_NS = 1000
S_PER_DAY = 86_400
REPRODUCES = 2e-5  # of the potential energy of the same positions: mixed precision, summed in another order
FIELD = 15  # columns of a name, and of its figure


def recognises(beginning: str) -> bool:
    return re.search(r":-\) +GROMACS - .*mdrun", beginning) is not None


def speed(text: str) -> Speed:
    ns_per_day = last_number(r"^Performance: +([\d.]+)", text)
    dt_ps = last_number(r"^ +dt += +([\d.eE+-]+)", text)
    # Step 0 is counted, too: "Statistics over 20001 steps".
    frames = last_number(r"Statistics over (\d+) steps", text)
    steps = frames - 1 if frames is not None else last_number(r"^ +nsteps += +(\d+)", text)
    s_per_step = dt_ps / PS_PER_NS * S_PER_DAY / ns_per_day if dt_ps and ns_per_day else None
    wall_s = last_number(r"^ +Time: +[\d.]+ +([\d.]+)", text)
    return Speed(ns_per_day, s_per_step, whole(steps), wall_s)


def energies(text: str) -> dict[int, float]:
    """The potential energy by step; averages at the end are none of a step."""
    text = text.partition("A V E R A G E S")[0]
    found = {}
    for step, table in re.findall(
        r"^ +Step +Time\n +(\d+) +\S+\n\n +Energies \(kJ/mol\)\n(.*?)\n\n", text, re.M | re.S
    ):
        figures = dict(_fields(table.splitlines()))
        if "Potential" in figures:
            found[int(step)] = number(figures["Potential"])
    return found


def shares(text: str) -> dict[str, float]:
    """Of the time, by what it was spent on: "Neighbor search": 0.035. Of the last run in the log."""
    table = text.rpartition("T I M E   A C C O U N T I N G")[2].partition("Total  ")[0]
    rows = re.findall(r"^ ([A-Z][^\n]*?) {2,}[^\n]* ([\d.]+)$", table, re.MULTILINE)
    return {name: float(percent) / 100 for name, percent in rows if re.fullmatch(r"\d+(\.\d+)?", percent)}


def _fields(lines: list[str]) -> Iterator[tuple[str, str]]:
    for names, figures in zip(lines[::2], lines[1::2], strict=False):
        for at in range(0, len(figures.rstrip()), FIELD):
            yield names[at : at + FIELD].strip(), figures[at : at + FIELD].strip()
