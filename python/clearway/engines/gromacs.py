"""GROMACS: md.log, or the standard error of mdrun.

               (ns/day)    (hour/ns)
Performance:       13.945        1.721
"""

from __future__ import annotations

import re

from clearway.engines.speed import Speed, last_number, whole

NAME = "GROMACS"
VERSION = r":-\) +GROMACS - .*?, (\S+)"
PS_PER_NS = 1000
S_PER_DAY = 86_400


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
