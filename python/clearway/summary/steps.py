"""The picture of the last steps: what each rank did in the Run's last moments, from its timeline."""

from __future__ import annotations

import numpy as np

from clearway.page import Step
from clearway.run import Run
from clearway.run.run import Timeline

MOST_RANKS = 64
MOST_STEPS = 6000  # what a picture can show, and a page can carry
STEPS_PER_RANK = 120


def last_steps(run: Run) -> tuple[Step, ...]:
    """The newest calls of up to MOST_RANKS ranks over one common stretch of time; empty without a timeline."""
    newest: list[Timeline] = []
    if not run.has_timeline:
        return ()
    for timeline in run.timelines():
        if len(timeline.entry_s):
            newest.append(timeline)
        if len(newest) == MOST_RANKS:
            break
    if not newest:
        return ()
    # MPI_Finalize and what follows it are no step: the picture ends where the first rank enters it.
    end_s = min(_last_call_s(run, timeline) for timeline in newest)
    per_rank = min(STEPS_PER_RANK, MOST_STEPS // len(newest))
    begin_s = max(_begin_of_last(timeline, end_s, per_rank) for timeline in newest)
    steps = []
    for timeline in newest:
        shown = (timeline.exit_s > begin_s) & (timeline.entry_s < end_s)
        rank = int(run.processes["rank"][timeline.process])
        for at in np.flatnonzero(shown)[-per_rank:].tolist():
            function = run.functions.all[int(timeline.function[at])]
            steps.append(
                Step(
                    rank=rank,
                    function=function.name,
                    function_class=function.function_class.name.lower(),
                    begin_s=max(float(timeline.entry_s[at]) - begin_s, 0.0),
                    end_s=min(float(timeline.exit_s[at]), end_s) - begin_s,
                    bytes=int(timeline.bytes[at]),
                )
            )
    return tuple(steps)


def _last_call_s(run: Run, timeline: Timeline) -> float:
    names = [run.functions.all[number].name for number in timeline.function[-8:].tolist()]
    if "MPI_Finalize" in names:
        return float(timeline.entry_s[len(timeline.entry_s) - len(names) + names.index("MPI_Finalize")])
    return float(timeline.exit_s.max())


def _begin_of_last(timeline: Timeline, end_s: float, number: int) -> float:
    """Where the last `number` calls before end_s begin."""
    before = timeline.entry_s[timeline.entry_s < end_s]
    return float(np.sort(before)[-number:][0]) if len(before) else end_s
