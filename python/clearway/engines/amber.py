"""Amber: mdout of sander and pmemd.

|     Average timings for all steps:
|         Elapsed(s) =      12.31 Per Step(ms) =       1.23
|             ns/day =     140.46   seconds/ns =     615.12
"""

from __future__ import annotations

import re

from clearway.engines.speed import Speed, last_number, per_step, whole

NAME = "Amber"
VERSION = r"^ +Amber +([\d.]+)"
MS_PER_S = 1000


def recognises(beginning: str) -> bool:
    return re.search(r"^ +Amber +[\d.]+ +(SANDER|PMEMD)", beginning, re.MULTILINE | re.IGNORECASE) is not None


def speed(text: str) -> Speed:
    # The last block of timings is that of all steps; those before are of the newest steps only.
    ns_per_day = last_number(r"^\| +ns/day = +([\d.]+)", text)
    step_ms = last_number(r"Per Step\(ms\) = +([\d.]+)", text)
    steps = last_number(r"^ NSTEP = +(\d+) ", text.partition("A V E R A G E S")[0])
    s_per_step = step_ms / MS_PER_S if step_ms else None
    if s_per_step is None:  # Amber 8 and older
        s_per_step = per_step(last_number(r"Master Total wall time: +([\d.]+)", text), steps)
    return Speed(ns_per_day, s_per_step, whole(steps))
