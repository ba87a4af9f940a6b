"""The kernel killed a rank because there was no memory left, and the job ended with it."""

from __future__ import annotations

import signal
from collections.abc import Iterator

import numpy as np

from clearway.base import quantities as q
from clearway.diagnosis.facts import Case
from clearway.diagnosis.facts.counters import newest
from clearway.diagnosis.facts.how_ended import BY_SIGNAL, how_ended
from clearway.diagnosis.facts.memory_kills import memory_kills
from clearway.diagnosis.finding import Evidence
from clearway.diagnosis.rules import Suspicion
from clearway.run.layout import State

TITLE = "The kernel killed a rank: out of memory"
REMEDIES = ("more-memory",)
BY_CHANCE = 0.6  # the confidence where only the machine's count rose: it may have been another program's process
CODES_OF_KILLED = (-signal.SIGKILL, BY_SIGNAL + signal.SIGKILL)


def examine(case: Case) -> Suspicion | None:
    """Claims the computing: all that was not written to a checkpoint is lost."""
    cut = np.flatnonzero(case.run.processes["state"] != State.EXITED)
    killed = memory_kills(case)
    in_group, of_machine = killed.in_group, killed.of_machine
    if not len(cut) or not (in_group or (of_machine and _may_have_been_killed(case))):
        return None
    first = int(cut[np.argmin(case.run.processes["end_s"][cut])])
    rank = case.tables.ranks[first]
    limit = case.run.fact("process.cgroup_memory_bytes").get(first)
    number = in_group or of_machine
    whose = "the job's control group" if in_group else "this machine"
    grants = f", whose limit is {q.bytes_(int(limit))}" if limit and in_group else ""
    says = (
        f"The kernel killed {q.count(number)} process{'' if number == 1 else 'es'} of {whose}{grants}: out of memory. "
        f"The record of rank {rank.rank} on {rank.host} ends first. The work since the job's last checkpoint is lost."
    )
    evidence = (*_counts(in_group, of_machine), *_memory(case, first, limit))
    claims = {"compute_s": case.losses.compute_s, "wait_s": case.losses.wait_s}
    return Suspicion(claims, says, evidence, 0.99 if in_group else BY_CHANCE)


def _may_have_been_killed(case: Case) -> bool:
    """Not one that still runs, nor one that ended in another way: other jobs on its nodes run out of memory, too."""
    launch, ended = case.run.launch, how_ended(case)
    if launch is not None and launch.exit_code not in CODES_OF_KILLED:
        return False
    return ended is None or ended.kind in ("out-of-memory", "signal")


def _counts(in_group: int, of_machine: int) -> Iterator[Evidence]:
    if in_group:
        yield Evidence("killed in the control group", q.count(in_group), "oom_kill of memory.events or oom_control")
    else:
        yield Evidence("killed on the machine", q.count(of_machine), "oom_kill of /proc/vmstat")


def _memory(case: Case, first: int, limit: str | None) -> Iterator[Evidence]:
    peak = newest(case, "process.peak_rss_bytes").get(first)
    if peak:
        number = case.tables.ranks[first].rank
        yield Evidence(f"memory of rank {number}, at its last sample", q.bytes_(peak), "getrusage, up to a second old")
    if limit:
        yield Evidence("memory of the control group", q.bytes_(int(limit)), "memory.max or memory.limit_in_bytes")
