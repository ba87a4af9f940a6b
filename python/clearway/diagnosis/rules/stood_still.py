"""A rank stood still again and again for moments, with all its threads: nothing in the process can see that."""

from __future__ import annotations

import numpy as np
from numpy.typing import NDArray

from clearway.base import quantities as q
from clearway.diagnosis.facts import Case
from clearway.diagnosis.facts.shared_processors import held_back_s
from clearway.diagnosis.facts.waited_for import longest_wait_s, waited_for_s
from clearway.diagnosis.finding import Evidence
from clearway.diagnosis.rules import Suspicion
from clearway.ledger.blocked import unseen_s
from clearway.ledger.timelines import BLOCKED

TITLE = "Ranks are stopped from outside for short moments"
REMEDIES = ()
MOSTLY = 0.5  # of the time
ALL = 0.8  # of the ranks' seconds


def examine(case: Case) -> Suspicion | None:
    """Claims what ranks stood still and were waited for. Where a control group's quota stops them, `quota` tells."""
    stood_s = unseen_s(case.run, case.books)
    stood_s[list(held_back_s(case))] = 0.0
    stood_s[stood_s > case.wall_s] = 0.0  # a damaged record
    if case.at_once < case.ranks or not stood_s.any():
        return None
    blocked_s = case.run.threads.data["blocked_outside_ns"] * 1e-9
    part: NDArray[np.float64] = np.minimum(stood_s / np.maximum(blocked_s, 1e-12), 1.0)
    late_s = part * (waited_for_s(case, BLOCKED) + np.minimum(longest_wait_s(case, BLOCKED), blocked_s))
    lost_s = max(float(late_s.sum()), float(stood_s.min()) * case.ranks)
    steal_s = sum(host.steal_s or 0.0 for host in case.tables.hosts)
    stolen = steal_s > MOSTLY * stood_s.sum()
    first = int(np.argmax(stood_s))
    rank = case.tables.ranks[first]
    alone = stood_s[first] > ALL * stood_s.sum()
    who = f"Rank {rank.rank} on {rank.host}" if alone else f"{int((stood_s > 0).sum()):,} of {case.ranks:,} ranks"
    why = (
        "The hypervisor took the processors away (steal): other virtual machines run on them."
        if stolen
        else "That is what a tool does which limits a process's use of the processor by SIGSTOP and SIGCONT (cpulimit, "
        "some desktops and monitors), or that freezes a control group; or a machine beneath this one that takes "
        "processors away without counting it as steal."
    )
    says = (
        f"{who} stood still outside MPI for {q.percent(float(stood_s[first]), case.wall_s)} of the time: neither on a "
        f"core, nor waiting for one, nor in a system call. Whenever the recorder, which is a thread of the same "
        f"process, looked, it was running: so both were stopped. {why}"
    )
    evidence = (
        Evidence("stood still", f"{float(stood_s.sum()):.2f} rank-seconds", "wall-clock, less CPU time and run delay"),
        Evidence("longest", f"{q.seconds(float(stood_s[first]))} (rank {rank.rank})", "likewise"),
        Evidence("taken by the hypervisor", f"{steal_s:.2f} processor-seconds", "steal in /proc/stat"),
    )
    title = "The hypervisor takes the ranks' processors away" if stolen else ""
    return Suspicion({"blocked_s": lost_s}, says, evidence, 0.6, title)
