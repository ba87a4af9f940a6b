"""Hosts whose processors are of two kinds, fast and slow: which ranks were on the slow ones."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from clearway.base.ranges import numbers_of
from clearway.base.whole import is_whole
from clearway.diagnosis.facts import Case
from clearway.diagnosis.facts.granted_processors import allowed
from clearway.run.run import HostRecord

FACT = "cpufreq.highest_khz."
SLOW = 0.9  # of the highest frequency of all: favoured cores among equals may run a few percent faster


@dataclass(frozen=True, slots=True)
class Kinds:
    """Processors by their kernel numbers. The frequency is the highest of the kind."""

    fast: frozenset[int]
    slow: frozenset[int]
    fast_khz: float
    slow_khz: float


def kinds_of(host: HostRecord) -> Kinds | None:
    """None where all are of one kind, or the kernel does not tell (virtual machines)."""
    khz_of: dict[int, float] = {}
    for name, value in host.facts.items():
        for word in value.split() if name.startswith(FACT) else ():
            cpus, _, khz = word.partition(":")
            khz_of |= dict.fromkeys(numbers_of(cpus), float(khz) if is_whole(khz) else 0.0)
    fast_khz = max(khz_of.values(), default=0.0)
    slow = frozenset(cpu for cpu, khz in khz_of.items() if khz < SLOW * fast_khz)
    if not slow:
        return None
    return Kinds(frozenset(khz_of) - slow, slow, fast_khz, max(khz_of[cpu] for cpu in slow))


def on_slow_ones(case: Case) -> NDArray[np.float64]:
    """By rank: which part of its threads' time on a processor was on a slow one, by samples. NaN where nobody knows."""
    part = np.full(case.ranks, np.nan)
    kinds = {host.name: kinds_of(host) for host in case.run.hosts}
    cells = case.run.cores
    for process, host in enumerate(case.run.processes["host"].tolist()):
        mine = kinds.get(case.run.host_names[host])
        if mine is None:
            continue
        seen = cells.data[cells.process == process]
        busy = seen["busy"].astype(np.float64)
        slow = np.isin(seen["cpu"], sorted(mine.slow))
        may_use = allowed(case.tables.ranks[process].cpus)
        if busy.sum() > 0:
            part[process] = busy[slow].sum() / busy.sum()
        elif may_use and (may_use <= mine.slow or may_use <= mine.fast):
            part[process] = float(may_use <= mine.slow)
    return part
