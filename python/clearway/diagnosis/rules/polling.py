"""Ranks that wait for a message ask for it without pause, on cores that others need to get on."""

from __future__ import annotations

import numpy as np

from clearway.base import quantities as q
from clearway.diagnosis.facts import Case
from clearway.diagnosis.facts.core_use import asked, at_work, burnt, occupation
from clearway.diagnosis.facts.counters import machines
from clearway.diagnosis.facts.part_of_loss import charged_s, late_in_turns_s
from clearway.diagnosis.facts.shared_processors import crowds
from clearway.diagnosis.finding import Evidence
from clearway.diagnosis.rules import Suspicion

TITLE = "Waiting ranks poll on cores that others need"
REMEDIES = ("yield-when-idle", "one-rank-a-core", "spread-hosts", "fewer-ranks")

SOME = 0.2  # of the CPU time of work: every program asks now and then


def examine(case: Case) -> Suspicion | None:
    """Claims run delay of ranks at work that share cores, as far as those that only waited had the cores.

    For each second of it, every other rank that polls goes on polling, or waiting for a core to poll on, or waits in a
    call that does not return, for up to a second.
    """
    # A rank that shares its cores with none (with a quota, or its own threads) is kept from them by no other's polling.
    sharing = {process for crowd in crowds(case) if len(crowd.processes) > 1 for process in crowd.processes}
    core_wait_s, working_s, asked_s = case.books.ledger["core_wait_s"], at_work(case), asked(case)
    delayed_s = own_s = 0.0
    for members in machines(case).values():
        inside = [process for process in members if process in sharing]
        used = occupation(case, members)
        share = used.waiting if used.waiting > SOME * used.work else 0.0
        part = share * float(working_s[inside].sum()) / max(float(core_wait_s[inside].sum()), 1e-9)
        delayed_s += part * charged_s(case, "core_wait_s", inside)
        own_s += share * float(working_s[inside].sum())
    if delayed_s <= 0:
        return None
    harmless_s = core_wait_s - working_s
    of_others_s = own_s * (1 - working_s / max(float(working_s.sum()), 1e-9))
    prolonged = np.minimum(of_others_s / np.maximum(asked_s + harmless_s, 1e-9), 1.0)
    claims = {
        "core_wait_s": delayed_s + float((prolonged * harmless_s).sum()),
        "transfer_s": float((prolonged * asked_s).sum()),
        "wait_s": min(late_in_turns_s(case, "core_wait_s"), (case.ranks - 1) * own_s),
    }
    evidence = (
        Evidence("used by polling", f"{burnt(case).sum():.2f} CPU-seconds", "thread CPU time beside computing"),
        Evidence("MPI calls that only test", q.percent(case.tables.messages.poll_share), "MPI_Iprobe, MPI_Test…"),
        Evidence("ranks waited for their cores", f"{own_s:.2f} rank-seconds", "schedstat: run delay, this part of it"),
    )
    says = (
        f"{len(sharing):,} ranks share cores. Ranks that wait for a message poll for it all the time, and keep those "
        f"with work from running."
    )
    return Suspicion(claims, says, evidence, confidence=0.96)
