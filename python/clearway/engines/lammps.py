"""LAMMPS: log.lammps, or its standard output. Of several runs, the one with most steps is shown.

Loop time of 0.033003 on 2 procs for 100 steps with 864 atoms
Performance: 261.794 ns/day, 0.092 hours/ns, 3030.024 timesteps/s
"""

from __future__ import annotations

import re

from clearway.engines.speed import Speed, number, per_step, positive

NAME = "LAMMPS"
REPRODUCES = 1e-7  # double precision, summed in another order; its log has eight digits
ENERGIES = ("PotEng", "E_pair", "TotEng")  # columns of the table of a run, the most telling first
VERSION = r"^LAMMPS \(([^)\n]+)\)"
RUN = re.compile(
    r"^Loop time of ([\d.eE+-]+) on \d+ procs for (\d+) steps.*\n+(?:Performance: ([\d.eE+-]+) (\S+),)?", re.M
)


TABLE = re.compile(r"^ *(Step .*)\n((?: *[-\d].*\n)+)", re.M)


def recognises(beginning: str) -> bool:
    return re.search(r"^LAMMPS \(\d", beginning, re.MULTILINE) is not None


def speed(text: str) -> Speed:
    runs = list(RUN.finditer(text))
    if not runs:
        return Speed()
    longest = max(runs, key=lambda match: int(match.group(2)))
    steps = int(longest.group(2))
    # Units that are not of our world give tau/day or none.
    ns_per_day = positive(longest.group(3)) if longest.group(4) == "ns/day" else None
    loop_s = positive(longest.group(1))
    return Speed(ns_per_day, per_step(loop_s, steps), steps, loop_s)


def energies(text: str) -> dict[int, float]:
    """By step, of the first run that has it."""
    found: dict[int, float] = {}
    for titles, rows in TABLE.findall(text):
        columns = titles.split()
        energy = next((columns.index(name) for name in ENERGIES if name in columns), None)
        for row in rows.splitlines():
            figures = row.split()
            if energy is not None and len(figures) == len(columns) and figures[0].isdecimal():
                found.setdefault(int(figures[0]), number(figures[energy]))
    return found


def broken_promises(text: str) -> int:
    """How often an atom had come too far when its neighbour list was made anew; LAMMPS counts them where it checks."""
    return sum(map(int, re.findall(r"^Dangerous builds = (\d+)", text, re.MULTILINE)))
