"""From a Run and a change to the ledger that the job would have had."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace

import numpy as np
from numpy.typing import NDArray

from clearway.base import quantities as q
from clearway.base.errors import ClearwayError
from clearway.diagnosis.facts import Case
from clearway.ledger.account import LINES
from clearway.ledger.timelines import DOING
from clearway.predict.what_if.answer import SCHEMA, Answer, Line
from clearway.predict.what_if.calls import JobCalls, job_calls
from clearway.predict.what_if.change import Change, changed
from clearway.predict.what_if.replay import Replayed, lines, recorded, replay

LINE_OF = {  # of the ledger, by what a process may be doing
    "compute": "compute_s",
    "core_wait": "core_wait_s",
    "io": "io_s",
    "blocked": "other_s",
    "transfer": "mpi_transfer_s",
    "stall": "mpi_stall_s",
    "wait": "mpi_wait_s",
}
WORDS = {
    "compute_s": "computing",
    "core_wait_s": "waiting for a core",
    "mpi_wait_s": "waiting for another rank",
    "mpi_transfer_s": "moving data",
    "mpi_stall_s": "stalled by lost packets",
    "io_s": "files",
    "other_s": "blocked, starting and stopping",
}
AS_THEY_ARE = ("compute_s", "mpi_wait_s")
ANEW = ("core_wait_s",)  # where ranks share cores otherwise than before
DIFFERS = 0.02  # a replay of the job as it was that is further off is said to be

_Seconds = NDArray[np.float64]


def answer(case: Case, change: Change, words: Sequence[str]) -> Answer:
    """Raises ClearwayError where the record holds no calls of MPI that could be replayed."""
    calls = job_calls(case.run, case.books)
    if not len(calls) or case.ranks < 2:
        raise no_calls(case)
    as_it_was = replay(calls, recorded(calls))
    was_s = lines(calls, recorded(calls), as_it_was)
    ideal = _ledger(case, calls, was_s, as_it_was, replace(change, ideal=True))
    sure = _ledger(case, calls, was_s, as_it_was, replace(change, ideal=False))
    ledger = case.books.ledger
    before = {line: float(ledger[line].mean()) for line in LINES}
    after = {line: float(ideal[line].mean()) for line in LINES}
    for_sure = {line: float(sure[line].mean()) for line in LINES}
    check = float(was_s.sum() / max(calls.covered_s.sum(), 1e-12))
    least_s = sum(before.values()) - sum(for_sure.values())
    gain_s = sum(before.values()) - sum(after.values())
    return Answer(
        schema=SCHEMA,
        run=str(case.run.directory),
        program=program_of(case),
        ranks=case.ranks,
        changes=tuple(words),
        wall_s=float(ledger["wall_s"].mean()),
        what_if_s=float(ledger["wall_s"].mean()) - gain_s,
        least_gain_s=min(max(least_s, 0.0), max(gain_s, 0.0)),
        lines=tuple(Line(line, WORDS[line], before[line], after[line], for_sure[line]) for line in LINES),
        replayed_calls=int(calls.first[-1] - calls.begins.sum()),
        check=check,
        notes=tuple(_notes(case, calls, change, check)),
    )


def no_calls(case: Case) -> ClearwayError:
    return ClearwayError(
        f"no MPI calls are recorded in {case.run.directory}", "give a Run of an MPI job with two ranks or more"
    )


def program_of(case: Case) -> str:
    return case.run.fact("process.program").get(0, "").rpartition("/")[2]


def _ledger(case: Case, calls: JobCalls, was_s: _Seconds, as_it_was: Replayed, change: Change) -> dict[str, _Seconds]:
    """By line of the ledger: seconds of each process after the change.

    What the replayed calls gain and lose is booked on the exact lines: computing and waiting as they are, and so is
    waiting for cores that are shared anew; the others in proportion, for all of them that is known to be there is in
    the calls. Where the calls are a sample, they stand for as much of the job as they cover.
    """
    durations = changed(calls, change)
    replayed = replay(calls, durations)
    now_s = lines(calls, durations, replayed)
    stretched = 1.0 if calls.whole else case.books.ledger["wall_s"] / np.maximum(calls.covered_s, 1e-12)
    was = {line: stretched * was_s[:, DOING.index(doing)] for doing, line in LINE_OF.items()}
    now = {line: stretched * now_s[:, DOING.index(doing)] for doing, line in LINE_OF.items()}
    made = _reconciled(case, was)
    for line in LINES:
        if line in AS_THEY_ARE or (line in ANEW and change.sharing):
            made[line] = np.maximum(made[line] + now[line] - was[line], 0.0)
        else:
            made[line] *= np.divide(now[line], was[line], out=np.ones(case.ranks), where=was[line] > 0)
    if calls.whole:
        # All end together: who is done earlier waits in MPI_Finalize for the last.
        made["other_s"] = made["other_s"] + _idle_s(replayed.end_s) - _idle_s(as_it_was.end_s)
    return made


def _reconciled(case: Case, was: dict[str, _Seconds]) -> dict[str, _Seconds]:
    """The ledger, with the waiting that only the replay knows of: inside of collectives that pass data along a tree,
    where the ledger has it as moving data.
    """
    made = {line: case.books.ledger[line].astype(np.float64) for line in LINES}
    more_s = np.clip(was["mpi_wait_s"] - made["mpi_wait_s"], 0.0, made["mpi_transfer_s"])
    made["mpi_wait_s"] += more_s
    made["mpi_transfer_s"] -= more_s
    return made


def _idle_s(end_s: _Seconds) -> _Seconds:
    result: _Seconds = end_s.max() - end_s
    return result


def _notes(case: Case, calls: JobCalls, change: Change, check: float) -> list[str]:
    said = []
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
            f"from run to run: at best they share all cores evenly, for certain only half of them."
        )
    if len(case.run.teams):
        said.append("Threads other than the main threads are assumed to do the same as before.")
    return said
