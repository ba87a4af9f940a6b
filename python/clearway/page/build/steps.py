"""The picture of the last steps: what each rank did in the Run's last moments, from its timeline."""

from __future__ import annotations

import numpy as np

from clearway.page.model import Step
from clearway.run import Run
from clearway.run.layout import FunctionClass
from clearway.run.run import Timeline

MOST_RANKS = 64
MOST_STEPS = 6000  # what a picture can show, and a page can carry
STEPS_PER_RANK = 120
COMMUNICATION = (
    FunctionClass.SEND,
    FunctionClass.RECEIVE,
    FunctionClass.SEND_RECEIVE,
    FunctionClass.WAIT,
    FunctionClass.COLLECTIVE,
)


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
    end_s = _end_of_steps(run, newest)
    per_rank = min(STEPS_PER_RANK, MOST_STEPS // len(newest))
    begin_s = max(_begin_of_last(run, timeline, end_s, per_rank) for timeline in newest)
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


def _end_of_steps(run: Run, timelines: list[Timeline]) -> float:
    """Where the last step ends: with the last call of the function that the job communicates by most often.

    What comes after it in one of the ranks is the end of the job: a last file is written, MPI is left. Where a ring
    holds nothing older than that (writing that file filled it), the end of the job is what can be shown.
    """
    classes = run.functions.classes()
    calls = np.zeros(len(classes), np.int64)
    for timeline in timelines:
        calls += np.bincount(timeline.function, minlength=len(calls))
    calls[~np.isin(classes, COMMUNICATION)] = 0
    mine = [timeline.exit_s[timeline.function == calls.argmax()] for timeline in timelines] if calls.any() else []
    end_s = min((float(exits.max()) for exits in mine if len(exits)), default=-np.inf)
    if end_s <= max(float(timeline.entry_s.min()) for timeline in timelines):
        return min(_left_s(run, timeline) for timeline in timelines)
    return end_s


def _left_s(run: Run, timeline: Timeline) -> float:
    """When a rank entered MPI_Finalize, or else left its last call."""
    leaving = run.functions.named("MPI_Finalize")[timeline.function]
    return float(timeline.entry_s[leaving].min() if leaving.any() else timeline.exit_s.max())


def _begin_of_last(run: Run, timeline: Timeline, end_s: float, number: int) -> float:
    """Where the last `number` MPI calls before end_s begin: file functions are called too often to count."""
    in_mpi = run.functions.classes()[timeline.function] != FunctionClass.FILE_OPERATION
    for chosen in (in_mpi, np.ones_like(in_mpi)):
        before = timeline.entry_s[chosen & (timeline.entry_s < end_s)]
        if len(before):
            return float(np.sort(before)[-number:][0])
    return end_s
