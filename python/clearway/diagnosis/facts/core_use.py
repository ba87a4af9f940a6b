"""Who had the cores that others waited for: ranks at work, ranks that only waited, programs of others.

Run delay on shared cores is charged in proportion to the CPU time that each of the three used there.
"""

from __future__ import annotations

from collections.abc import Collection
from dataclasses import dataclass
from math import inf

import numpy as np
from numpy.typing import NDArray

from clearway.diagnosis.facts import Case
from clearway.diagnosis.facts.counters import process_rises
from clearway.diagnosis.facts.granted_processors import allowed
from clearway.diagnosis.facts.once import once
from clearway.diagnosis.facts.other_programs import beside_each_s, foreign_load
from clearway.diagnosis.facts.shared_processors import crowded
from clearway.run.layout import FunctionClass

YIELDING = ("mpi_yield_when_idle", "mpi_oversubscribe")  # Open MPI: either makes waiting ranks give way


@dataclass(frozen=True, slots=True)
class Occupation:
    """Shares of the CPU time used on a machine; they add up to 1."""

    work: float
    waiting: float  # polling, by ranks that had nothing to do
    others: float


def occupation(case: Case, members: Collection[int]) -> Occupation:
    """`members`: all the job's processes on the machine."""
    used_ns = process_rises(case, "process.cpu_all_threads_ns")
    own_s = sum(used_ns.get(process, 0) for process in members) * 1e-9
    burnt_s = min(float(burnt(case)[list(members)].sum()), own_s)
    others_s = min(foreign_load(case, members)[0], _left_s(case, members, own_s))
    all_s = own_s + others_s
    if all_s <= 0:
        return Occupation(1.0, 0.0, 0.0)
    return Occupation((own_s - burnt_s) / all_s, burnt_s / all_s, others_s / all_s)


def taken_by_others(case: Case, members: Collection[int]) -> dict[int, float]:
    """By process of a machine: the part of its waiting for a core that programs of others explain.

    Of ranks with room of their own it is as far as others' CPU time reaches, there if they are bound; of ranks that
    share cores, the others' part of the CPU time that was used there.
    """
    sharing = set(crowded(case))
    alone = [process for process in members if process not in sharing]
    waited_s = case.books.ledger["core_wait_s"]
    of_alone = _explained(foreign_load(case, members)[0], float(waited_s[alone].sum()))
    of_sharing = occupation(case, members).others if len(alone) < len(members) else 0.0
    beside_s = beside_each_s(case, members)
    of_bound = {
        process: _explained(beside_s[process], float(waited_s[process])) for process in alone if process in beside_s
    }
    return {process: of_sharing if process in sharing else of_bound.get(process, of_alone) for process in members}


def _explained(used_s: float, waited_s: float) -> float:
    return min(1.0, used_s / waited_s) if waited_s > 0 else 0.0


def _left_s(case: Case, members: Collection[int], own_s: float) -> float:
    """What the processors on which these may run could do besides; others also run elsewhere."""
    masks = [allowed(case.tables.ranks[process].cpus) for process in members]
    if not all(masks):
        return inf
    _, span_s = foreign_load(case, members)
    return max(len(frozenset[int]().union(*masks)) * span_s - own_s, 0.0)


@once
def burnt(case: Case) -> NDArray[np.float64]:
    """By process: CPU time of the main thread in asking for messages and, unless the MPI gives way there, in waits."""
    if _gives_way(case):
        return _asking(case)
    ledger = case.books.ledger
    beside_s = case.run.threads.data["cpu_in_mpi_ns"] * 1e-9 - _in_calls(case, FunctionClass.LIFE)
    return _asking(case) + np.clip(beside_s, 0.0, ledger["mpi_wait_s"] + ledger["mpi_undivided_s"])


@once
def asked(case: Case) -> NDArray[np.float64]:
    """By process: time in calls that return at once, MPI_Iprobe and MPI_Test."""
    return _in_calls(case, FunctionClass.POLL)


def at_work(case: Case) -> NDArray[np.float64]:
    """By process: the part of its run delay that kept it from work. What kept it from asking for messages is harmless.

    Both are as long as the CPU time that was wanted for either.
    """
    compute_s, core_wait_s = case.books.ledger["compute_s"], case.books.ledger["core_wait_s"]
    working_s: NDArray[np.float64] = core_wait_s * compute_s / np.maximum(compute_s + _asking(case), 1e-9)
    return working_s


def _asking(case: Case) -> NDArray[np.float64]:
    """By process: CPU time in these calls. They are as often off the core as the thread is at all."""
    threads = case.run.threads.data
    ready_ns = np.maximum(threads["cpu_ns"] + threads["run_delay_ns"], 1)
    on_core_s: NDArray[np.float64] = asked(case) * threads["cpu_ns"] / ready_ns
    return on_core_s


def _in_calls(case: Case, kind: FunctionClass) -> NDArray[np.float64]:
    calls = case.run.calls
    those = (case.run.functions.classes()[calls.function] == kind) & calls.main
    elapsed_s = case.run.seconds(calls.process[those], calls.data["ticks"][those])
    return np.bincount(calls.process[those], elapsed_s, minlength=case.ranks).astype(np.float64)


def _gives_way(case: Case) -> bool:
    return any(case.environment(f"OMPI_MCA_{name}") in ("1", "true") for name in YIELDING)
