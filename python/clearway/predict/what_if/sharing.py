"""Ranks that may use the same cores: how long would each wait for one, if no network kept them apart?

While some wait for messages, others compute. Without the network's waits all compute at once, and those that share
cores wait for cores instead. How long depends on where the kernel puts them, which differs from run to run: so there
are two answers. At best the cores are shared evenly and none is idle while a rank wants one; at worst the ranks keep to
half of them. Both were seen on real runs (docs/what-if-benchmark.md).
"""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from clearway.diagnosis.facts import Case
from clearway.diagnosis.facts.counters import machines
from clearway.diagnosis.facts.granted_processors import allowed, granted_number

MOVED_ABOUT = 0.01  # of the wall-clock without a core, where there are enough: the kernel puts ranks onto one

_Seconds = NDArray[np.float64]


@dataclass(frozen=True, slots=True)
class Sharing:
    """Processes of one machine that may use the same processors."""

    processes: tuple[int, ...]
    processors: int


def sharing(case: Case) -> tuple[Sharing, ...]:
    """Where they are more than their processors, or were seen to get in each other's way."""
    delay_s = case.run.threads.data["run_delay_ns"] * 1e-9
    found = []
    for members in machines(case).values():
        for processes, processors in _overlapping(case, members):
            processors = min(processors, granted_number(case, members) or processors)
            limit_s = MOVED_ABOUT * float(case.books.ledger["wall_s"][processes].sum())
            if len(processes) > processors or float(delay_s[processes].sum()) > limit_s:
                found.append(Sharing(tuple(processes), processors))
    return tuple(found)


def waiting_for_cores(compute_s: _Seconds, processors: int) -> _Seconds:
    """Processes x times: how long each waits for a core, if all want one at once and share them evenly."""
    order = np.argsort(compute_s, axis=0)
    work_s = np.take_along_axis(compute_s, order, axis=0)
    still = np.arange(len(work_s), 0, -1)[:, np.newaxis]  # that compute, when the ones before have finished
    steps_s = np.diff(work_s, axis=0, prepend=0.0) * np.maximum(still / processors, 1.0)
    waits_s = np.empty_like(compute_s)
    np.put_along_axis(waits_s, order, np.cumsum(steps_s, axis=0) - work_s, axis=0)
    return waits_s


def _overlapping(case: Case, members: list[int]) -> list[tuple[list[int], int]]:
    """Groups of two or more whose affinities overlap, and on how many processors. Without a known affinity: none."""
    groups: list[tuple[list[int], frozenset[int]]] = []
    for process in members:
        mask = allowed(case.tables.ranks[process].cpus)
        apart = [group for group in groups if not group[1] & mask]
        joined = [process for group in groups if group[1] & mask for process in group[0]]
        masks = [group[1] for group in groups if group[1] & mask]
        groups = [*apart, ([*joined, process], mask.union(*masks))]
    return [(processes, len(mask)) for processes, mask in groups if len(processes) > 1 and mask]
