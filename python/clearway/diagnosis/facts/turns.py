"""How many ranks compute at the same time: one, where they take turns."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from clearway.diagnosis.facts import Case
from clearway.ledger.timelines import BLOCKED, COMPUTE, CORE_WAIT, IO, UNKNOWN, Timeline, timelines

INSTANTS = 16_384  # at which is looked, at random: the steps of a program must not fall in with them
ENOUGH = 64  # of them, at which somebody computes
KNOWN = 0.1  # of an instant may be of calls that are not on record


@dataclass(frozen=True, slots=True)
class Computing:
    """Between the first and the last call on record."""

    at_once: float  # ranks that are about it, as one that is sees it: 1 where no two are at a time
    seconds: float  # of computing, of all ranks


def computing(case: Case) -> Computing | None:
    """None where the record does not tell."""
    events = case.run.events
    if not len(events.entry_s):
        return None
    ends_s = float(events.entry_s.min()), float(events.exit_s.max())
    at_s = np.sort(np.random.default_rng(0).uniform(*ends_s, INSTANTS))
    ranks, computing, known = np.zeros(INSTANTS), np.zeros(INSTANTS), np.ones(INSTANTS, bool)
    for _, timeline in timelines(case.run, case.books):
        doing = _doing(timeline)
        instants = np.diff(np.searchsorted(at_s, timeline.at_s), prepend=0, append=INSTANTS)
        ranks += np.repeat(_about(doing), instants)
        computing += np.repeat(doing[:, COMPUTE], instants)
        known &= np.repeat(doing[:, UNKNOWN] <= KNOWN, instants)
    ranks, computing = ranks[known], computing[known]
    if np.count_nonzero(computing > KNOWN) < ENOUGH:
        return None
    return Computing(float((ranks**2).sum() / ranks.sum()), float(computing.mean()) * (ends_s[1] - ends_s[0]))


def _about(doing: NDArray[np.float64]) -> NDArray[np.float64]:
    """The part of each interval that belongs to computing, with what interrupts it.

    Two ranks that each have a core for a third of the time compute at the same time nevertheless.
    """
    outside = doing[:, [COMPUTE, CORE_WAIT, IO, BLOCKED]].sum(axis=1)
    about: NDArray[np.float64] = np.where(doing[:, COMPUTE] > 0, outside, 0.0)
    return about


def _doing(timeline: Timeline) -> NDArray[np.float64]:
    """Intervals x DOING: the part of each between one event and the next; before the first and after the last nobody
    knows.
    """
    result = np.zeros((len(timeline.at_s) + 1, timeline.done_s.shape[1]))
    result[[0, -1], UNKNOWN] = 1.0
    length_s = np.maximum(np.diff(timeline.at_s), 1e-12)
    result[1:-1] = np.diff(timeline.done_s, axis=0) / length_s[:, np.newaxis]
    return result
