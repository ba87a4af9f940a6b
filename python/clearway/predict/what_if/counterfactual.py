"""From a Run and a change to the ledger that the job would have had."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import replace

import numpy as np
from numpy.typing import NDArray

from clearway.base import quantities as q
from clearway.base.errors import ClearwayError
from clearway.base.pasted import pasted
from clearway.diagnosis.facts import Case
from clearway.diagnosis.facts.recorded_calls import recorded_calls
from clearway.ledger.account import LINES
from clearway.ledger.again.calls import JobCalls
from clearway.ledger.again.counterfactual import RecordedJob, ledger_with
from clearway.predict.what_if.answer import SCHEMA, Answer, Line
from clearway.predict.what_if.change import Change, changed

WORDS = {
    "compute_s": "computing",
    "core_wait_s": "waiting for a core",
    "mpi_wait_s": "waiting for another rank",
    "mpi_transfer_s": "moving data",
    "mpi_stall_s": "stalled by lost packets",
    "io_s": "files",
    "other_s": "blocked, starting and stopping",
}
ANEW = ("core_wait_s",)  # where ranks share cores otherwise than before
DIFFERS = 0.02  # a replay of the job as it was that is further off is said to be

_Ledger = dict[str, float]  # by line: seconds, mean over ranks


def answer(case: Case, change: Change, words: Sequence[str]) -> Answer:
    """Raises ClearwayError where the record holds no calls of MPI that could be replayed."""
    job = recorded_calls(case)
    calls = job.calls
    if not len(calls):
        raise no_calls(case)
    before = _mean(case.books.ledger)
    after, for_sure = (_no_later(job, replace(change, ideal=ideal), before) for ideal in (True, False))
    for_sure = max(for_sure, after, key=_sum)  # the certain gain is never more than the best one
    wall_s = float(case.books.ledger["wall_s"].mean())
    return Answer(
        schema=SCHEMA,
        run=str(case.run.directory),
        program=program_of(case),
        ranks=case.ranks,
        changes=tuple(words),
        wall_s=wall_s,
        what_if_s=wall_s - (_sum(before) - _sum(after)),
        least_gain_s=_sum(before) - _sum(for_sure),
        lines=tuple(Line(line, WORDS[line], before[line], after[line], for_sure[line]) for line in LINES),
        replayed_calls=int(calls.first[-1] - calls.begins.sum()),
        check=job.check,
        notes=tuple(_notes(case, calls, change, job.check)),
    )


def no_calls(case: Case) -> ClearwayError:
    if case.ranks < 2 and len(case.run.events):
        return ClearwayError(
            f"the job of {case.run.directory} has one rank, to which no network makes a difference",
            "give a Run of a job with two ranks or more",
        )
    return ClearwayError(
        f"nothing can be replayed of {case.run.directory}: it has no messages and no collective calls of MPI",
        f"where its time went: clearway report {pasted(str(case.run.directory))}",
    )


def program_of(case: Case) -> str:
    return case.run.fact("process.program").get(0, "").rpartition("/")[2]


def _no_later(job: RecordedJob, change: Change, before: _Ledger) -> _Ledger:
    """The ledger with a change, of which none makes a job longer: where ranks that share cores meet on them for longer
    than what they no longer wait for, they wait there for as long, and the gain is nothing.
    """
    made = _ledger(job, change)
    if _sum(made) > _sum(before) and change.sharing:
        made = _ledger(job, replace(change, sharing=()))
        made["core_wait_s"] += max(_sum(before) - _sum(made), 0.0)
    return min(made, before, key=_sum)


def _ledger(job: RecordedJob, change: Change) -> _Ledger:
    return _mean(ledger_with(job, changed(job.calls, change), ANEW if change.sharing else ()))


def _mean(ledger: Mapping[str, NDArray[np.float64]] | NDArray[np.void]) -> _Ledger:
    """Over ranks."""
    return {line: float(ledger[line].mean()) for line in LINES}


def _sum(ledger: _Ledger) -> float:
    return sum(ledger.values())


def _notes(case: Case, calls: JobCalls, change: Change, check: float) -> list[str]:
    said = []
    there, all_ = len(case.run.processes), int(case.run.processes["world_size"].max())
    if there < all_:
        said.append(
            f"{all_ - there} of {q.plural(all_, 'rank')} left no record: what waited for these stays as it was."
        )
    if not calls.whole:
        said.append(
            f"The record has one in {1 << case.run.event_level} seconds call by call: these were replayed, and the "
            f"result is taken for the whole job."
        )
    if abs(check - 1.0) > DIFFERS:
        said.append(
            f"Replayed unchanged, the job takes {q.ratio(check)} times as long as recorded: for some waits the record "
            f"does not show what ended them."
        )
    unknown_s, wait_s = float(calls.kept_wait_s.sum()), float(case.books.ledger["mpi_wait_s"].sum())
    if wait_s > 0 and unknown_s > 0.1 * wait_s:
        said.append(f"{q.percent(unknown_s / wait_s)} of the waiting is kept as it is: no record shows for whom.")
    for one in change.sharing:
        said.append(
            f"{len(one.processes)} ranks may use the same {one.processors} cores. How long they wait for one differs "
            f"from run to run: at best they share all cores evenly, for certain only half of them. For programs "
            f"outside the job they wait as recorded."
        )
    if len(case.run.teams):
        said.append("Threads other than the main threads are assumed to do the same as before.")
    return said
