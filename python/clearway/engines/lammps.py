"""LAMMPS: log.lammps, or its standard output. Of several runs, the one with most steps is shown.

Loop time of 0.033003 on 2 procs for 100 steps with 864 atoms
Performance: 261.794 ns/day, 0.092 hours/ns, 3030.024 timesteps/s
"""

from __future__ import annotations

import re

from clearway.engines.speed import Speed, per_step, positive

NAME = "LAMMPS"
VERSION = r"^LAMMPS \(([^)\n]+)\)"
RUN = re.compile(
    r"^Loop time of ([\d.eE+-]+) on \d+ procs for (\d+) steps.*\n+(?:Performance: ([\d.eE+-]+) (\S+),)?", re.M
)


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
