"""NAMD: its standard output. The newest of its own measurements counts.

Info: Benchmark time: 8 CPUs 0.0123 s/step 0.0712 days/ns 512 MB memory
PERFORMANCE: 5000  averaging 14.05 ns/day, 0.0123 sec/step with standard deviation 0.0001
TIMING: 5000  CPU: 61.9, 0.0124/step  Wall: 62.4, 0.0125/step, 7.2 ns/days, 0.01 hours remaining, 512 MB of memory
"""

from __future__ import annotations

import re

from clearway.base.whole import is_whole
from clearway.engines.speed import Speed, last_number, number, whole

NAME = "NAMD"
REPRODUCES = 1e-6  # of the potential energy: forces of pairs are summed in single precision
VERSION = r"^Info: NAMD ([\w.-]+) for "


def recognises(beginning: str) -> bool:
    return re.search(r"^Info: NAMD [\w.-]+ for ", beginning, re.MULTILINE) is not None


def speed(text: str) -> Speed:
    days_per_ns = last_number(r"^Info: Benchmark time: .* ([\d.eE+-]+) days/ns", text)
    ns_per_day = last_number(r"^PERFORMANCE: .*averaging ([\d.eE+-]+) ns/day", text)
    if ns_per_day is None and days_per_ns is not None:
        ns_per_day = 1 / days_per_ns
    s_per_step = (
        last_number(r"^PERFORMANCE: .* ([\d.eE+-]+) sec/step", text)
        or last_number(r"^Info: Benchmark time: .* ([\d.eE+-]+) s/step", text)
        or last_number(r"^TIMING: .*Wall: [\d.]+, ([\d.eE+-]+)/step", text)
    )
    return Speed(ns_per_day, s_per_step, whole(last_number(r"^(?:TIMING|ENERGY): +(\d+) ", text)))


def energies(text: str) -> dict[int, float]:
    """The potential energy by step, where its title says that it stands."""
    title = re.search(r"^ETITLE: +(.*)$", text, re.MULTILINE)
    names = title[1].split() if title else []
    if "POTENTIAL" not in names:
        return {}
    at = names.index("POTENTIAL")
    rows = (row.split() for row in re.findall(r"^ENERGY: +(.*)$", text, re.MULTILINE))
    return {int(row[0]): number(row[at]) for row in rows if len(row) > at and is_whole(row[0])}
