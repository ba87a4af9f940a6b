"""Ranks that wait for a message ask for it without pause, on cores that others need to get on."""

from __future__ import annotations

import numpy as np
from numpy.typing import NDArray

from clearway import quantities as q
from clearway.diagnosis.case import Case
from clearway.diagnosis.charged import charged_s
from clearway.diagnosis.crowding import crowded
from clearway.finding import Evidence
from clearway.rules import Suspicion
from clearway.run.layout import FunctionClass

Seconds = NDArray[np.float64]  # by process

TITLE = "Waiting ranks burn the cores that others need"
REMEDIES = ("yield-when-idle", "one-rank-a-core", "spread-hosts")
ELSEWHERE = ("mpi_yield_when_idle", "mpi_oversubscribe")  # Open MPI: either makes waiting ranks give way


def examine(case: Case) -> Suspicion | None:
    """Claims run delay of ranks that share cores, as far as CPU time burnt in waiting explains it.

    While a rank waits for the core, all that poll for its message go on polling: for each second of run delay, up to
    a second of each other rank's polling.
    """
    sharing = crowded(case)
    if not sharing:
        return None
    asked_s = _in_polls_s(case)[sharing]
    burnt_s = asked_s if _gives_way(case) else asked_s + _burnt_in_waits_s(case)[sharing]
    waited_s = charged_s(case, "core_wait_s", sharing)
    delayed_s = min(waited_s, float(burnt_s.sum()))
    if delayed_s <= 0:
        return None
    own_s = float(case.books.ledger["core_wait_s"][sharing].sum())
    prolonged_s = min(float(asked_s.sum()), (case.ranks - 1) * min(own_s, delayed_s))
    evidence = (
        Evidence("burnt in waiting", f"{burnt_s.sum():.2f} CPU-seconds", "thread CPU time in MPI calls, time in polls"),
        Evidence("MPI calls that only ask", q.percent(case.page.messages.poll_share), "MPI_Iprobe, MPI_Test…"),
        Evidence("others waited for a core", f"{own_s:.2f} rank-seconds", "schedstat: run delay"),
    )
    says = (
        f"{len(sharing)} ranks share cores. Those that wait for a message ask for it without pause, and keep those "
        "from running that have work to do."
    )
    return Suspicion({"core_wait_s": delayed_s, "transfer_s": prolonged_s}, says, evidence, confidence=0.96)


def _burnt_in_waits_s(case: Case) -> Seconds:
    """CPU time in long MPI calls: at most what they waited."""
    ledger, cpu_s = case.books.ledger, case.run.threads.data["cpu_in_mpi_ns"] * 1e-9
    burnt_s: Seconds = np.minimum(cpu_s, ledger["mpi_wait_s"] + ledger["mpi_undivided_s"])
    return burnt_s


def _in_polls_s(case: Case) -> Seconds:
    """Time in calls that return at once, less run delay."""
    calls = case.run.calls
    polls = (case.run.functions.classes()[calls.function] == FunctionClass.POLL) & calls.main
    elapsed_s = case.run.seconds(calls.process[polls], calls.data["ticks"][polls])
    inside_s = np.maximum(elapsed_s - calls.data["run_delay_ns"][polls] * 1e-9, 0.0)
    return np.bincount(calls.process[polls], inside_s, minlength=case.ranks).astype(np.float64)


def _gives_way(case: Case) -> bool:
    """Whether ranks that wait inside the MPI give their core to others."""
    return any(case.environment(f"OMPI_MCA_{name}") in ("1", "true") for name in ELSEWHERE)
