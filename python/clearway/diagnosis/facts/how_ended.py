"""How a job ended, where it did not end well: told from the last signs of life, exit codes and what hosts counted."""

from __future__ import annotations

import signal
from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from clearway.base import quantities as q
from clearway.base.whole import is_whole
from clearway.diagnosis.facts import Case
from clearway.diagnosis.facts.memory_kills import memory_kills
from clearway.run.layout import State

BEFORE_LIMIT_S, AFTER_LIMIT_S = 5.0, 150.0  # batch systems look now and then, and wait between SIGTERM and SIGKILL
HOST_FIRST_S = 5.0  # longer than launchers need to end all ranks once they know that one is gone
BY_SIGNAL = 128  # shells add it to the signal's number
KILLED = "process.ended_by_signal"  # as Slurm told its plugin, of each task (native/slurm/summary.cpp)
TO_THE_REST = frozenset({signal.SIGTERM, signal.SIGKILL})  # what launchers send to all others, once a rank is gone


@dataclass(frozen=True, slots=True)
class HowEnded:
    kind: str  # "time-limit", "cancelled", "preempted", "requeued", "out-of-memory", "abort", "host", "signal", "exit"
    words: str  # for a list: "MPI_Abort by rank 2"
    says: str  # one sentence


# What Slurm calls it (squeue(1), "job state codes"), where that says more than the record can.
BY_SLURM = {
    "TIMEOUT": HowEnded("time-limit", "stopped at its time limit", "Slurm stopped it at its time limit."),
    "DEADLINE": HowEnded("time-limit", "stopped at its deadline", "Slurm stopped it at its deadline."),
    "CANCELLED": HowEnded("cancelled", "cancelled", "Slurm says that it was cancelled."),
    "PREEMPTED": HowEnded("preempted", "preempted", "Slurm stopped it for a job of higher priority."),
    "REQUEUED": HowEnded("requeued", "put back into the queue", "Slurm put it back into the queue."),
    "NODE_FAIL": HowEnded("host", "a node failed", "Slurm says that one of its nodes failed."),
    "OUT_OF_MEMORY": HowEnded("out-of-memory", "out of memory", "Slurm says that it ran out of memory."),
}


def how_ended(case: Case) -> HowEnded | None:
    """None where it ended well, goes on, or the record does not tell."""
    ranks = case.run.processes
    cut = np.flatnonzero(ranks["state"] != State.EXITED)
    return (
        _by_slurm(case, cut)
        or _aborted(case, cut)
        or (_of_cut_records(case, cut) if len(cut) else None)
        or _killed_first(case)
        or _left_badly(case, cut)
        or _killed(case)
        or _by_signal(case)
        or (_as_slurm_failed_it(case) if len(cut) else None)
    )


def _by_slurm(case: Case, cut: NDArray[np.int64]) -> HowEnded | None:
    """What Slurm says is of the whole job. A Run that ended well had ended before: another step was stopped."""
    launch = case.run.launch
    well = (launch is None or launch.exit_code == 0) and not len(cut) and not case.run.processes["exit_code"].any()
    return None if well else BY_SLURM.get(case.slurm_state)


def _of_cut_records(case: Case, cut: NDArray[np.int64]) -> HowEnded | None:
    return _no_memory(case) or _at_limit(case, cut) or _host_first(case, cut)


def _aborted(case: Case, cut: NDArray[np.int64]) -> HowEnded | None:
    """MPI_Abort never returns: the record ends in it."""
    inside = np.flatnonzero(case.run.functions.named("MPI_Abort")[case.run.main_call])
    if not len(inside):
        return None
    first = int(inside[np.argmin(case.run.processes["end_s"][inside])])
    others = _others_cut(len(np.setdiff1d(cut, inside)))  # MPICH's MPI_Abort exits: that rank's record has an end
    return HowEnded(
        "abort",
        f"MPI_Abort by rank {_rank(case, first)}",
        f"{_who(case, first)} called MPI_Abort{_after(case, first)}.{others}",
    )


def _no_memory(case: Case) -> HowEnded | None:
    """As its own control group counted; the machine's count may be another program's."""
    killed = memory_kills(case)
    if killed.in_group:
        says = "The kernel killed one of its processes: out of memory."
        return HowEnded("out-of-memory", "out of memory", says)
    if not killed.of_machine or case.run.launch is not None:  # it would have had an exit code of its own, or a signal
        return None
    number = f"{q.count(killed.of_machine)} process{'' if killed.of_machine == 1 else 'es'}"
    says = (
        f"While it ran, the kernel killed {number} on one of its hosts, out of memory; it is not known whether of this "
        f"job."
    )
    return HowEnded("out-of-memory", "perhaps out of memory", says)


def _at_limit(case: Case, cut: NDArray[np.int64]) -> HowEnded | None:
    batch = case.tables.job.batch
    if batch is None or batch.began_s is None or batch.limit_s is None:
        return None
    ended_s = case.run.realtime_zero_ns * 1e-9 + float(case.run.processes["end_s"][cut].max())
    late_s = ended_s - (batch.began_s + batch.limit_s)
    if not -BEFORE_LIMIT_S <= late_s <= AFTER_LIMIT_S:
        return None
    limit = q.seconds(batch.limit_s)
    return HowEnded(
        "time-limit", "stopped at its time limit", f"{batch.system} stopped it at its time limit of {limit}."
    )


def _host_first(case: Case, cut: NDArray[np.int64]) -> HowEnded | None:
    """All ranks of one host fall silent long before any other does: the host failed, or nobody can reach it."""
    ranks = case.run.processes
    if len(case.run.host_names) < 2 or len(cut) < len(ranks) or not ranks["aligned"].all():
        return None
    last_s = np.full(len(case.run.host_names), -np.inf)
    np.maximum.at(last_s, ranks["host"], ranks["end_s"])
    first = int(np.argmin(last_s))
    others_s = float(ranks["end_s"][ranks["host"] != first].min())
    if others_s - last_s[first] < HOST_FIRST_S:
        return None
    name = case.run.host_names[first]
    apart = q.seconds(others_s - float(last_s[first]))
    says = f"The records of {name} end {apart} before all others: it failed, or was killed."
    return HowEnded("host", f"{name} ended first", says)


def _killed_first(case: Case) -> HowEnded | None:
    """A signal that no launcher sends to those that are left: where a rank has one, it was the cause."""
    own = {process: number for process, number in _signals(case).items() if number not in TO_THE_REST}
    return _of_signals(case, own) if own else None


def _killed(case: Case) -> HowEnded | None:
    return _of_signals(case, signals) if (signals := _signals(case)) else None


def _signals(case: Case) -> dict[int, signal.Signals]:
    """By process; of real-time signals Python has no names."""
    told = {process: int(text) for process, text in case.run.fact(KILLED).items() if is_whole(text)}
    return {process: signal.Signals(number) for process, number in told.items() if number in set(signal.Signals)}


def _of_signals(case: Case, by_process: dict[int, signal.Signals]) -> HowEnded:
    first = min(by_process, key=lambda process: float(case.run.processes["end_s"][process]))
    number = by_process[first]
    alike = sum(each is number for each in by_process.values())
    called = f"signal {int(number)} ({number.name})"
    if alike > 1:
        who = f"all {alike} ranks" if alike == case.ranks else f"{alike} of {case.ranks} ranks"
        return HowEnded("signal", f"ended by {number.name}", f"{called[0].upper()}{called[1:]} ended {who}.")
    cut = np.flatnonzero(case.run.processes["state"] != State.EXITED)
    others = _others_cut(len(np.setdiff1d(cut, [first])))
    words = f"{number.name} in rank {_rank(case, first)}"
    return HowEnded("signal", words, f"{_who(case, first)} was ended by {called}{_after(case, first)}.{others}")


def _left_badly(case: Case, cut: NDArray[np.int64]) -> HowEnded | None:
    """The rank that left first with another exit code than 0."""
    ranks = case.run.processes
    bad = np.flatnonzero((ranks["state"] == State.EXITED) & (ranks["exit_code"] != 0))
    if not len(bad):
        return None
    first = int(bad[np.argmin(ranks["end_s"][bad])])
    code = int(ranks["exit_code"][first])
    others = _others_cut(len(cut))
    exited = "exited first," if case.ranks > 1 else "exited"
    says = f"{_who(case, first)} {exited} with code {code}{_after(case, first)}.{others}"
    return HowEnded("exit", f"exit code {code} of rank {_rank(case, first)}", says)


def _others_cut(number: int) -> str:
    """Who ended them is not in the record: most launchers do."""
    return f" {number} other{' was' if number == 1 else 's were'} ended without an exit code." if number else ""


def _by_signal(case: Case) -> HowEnded | None:
    code = case.run.launch.exit_code if case.run.launch else None
    number = 0 if code is None else -code if code < 0 else code - BY_SIGNAL
    if number not in set(signal.Signals):
        return None
    name = signal.Signals(number).name
    return HowEnded("signal", f"ended by {name}", f"The command ended by signal {number} ({name}).")


def _as_slurm_failed_it(case: Case) -> HowEnded | None:
    """ "FAILED 15": its script, or its only step, ended by that signal."""
    number = int(case.slurm_state.partition(" ")[2] or 0)
    if number not in set(signal.Signals):
        return None
    name = signal.Signals(number).name
    return HowEnded("signal", f"ended by {name}", f"Slurm says that it ended by signal {number} ({name}).")


def _rank(case: Case, process: int) -> int:
    return int(case.run.processes["rank"][process])


def _who(case: Case, process: int) -> str:
    return f"Rank {_rank(case, process)} on {case.tables.ranks[process].host}"


def _after(case: Case, process: int) -> str:
    row = case.run.processes[process]
    return f" after {q.seconds(float(row['end_s'] - row['begin_s']))}"
