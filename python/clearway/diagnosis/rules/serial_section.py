"""One thread of a rank computes while the cores of the others are idle."""

from __future__ import annotations

import numpy as np

from clearway.base import quantities as q
from clearway.diagnosis.facts import Case
from clearway.diagnosis.facts.team_waits import alone_s
from clearway.diagnosis.finding import Evidence
from clearway.diagnosis.rules import Suspicion

TITLE = "One thread computes while the others are idle"
REMEDIES = ("more-ranks",)
NO_REMEDY = "No remedy is tried: more ranks would need a launcher that Clearway knows, and a core for each."
WORTH = 0.06  # of the wall-clock: every program has a part that one thread does
FEWEST_SAMPLES = 10


def examine(case: Case) -> Suspicion | None:
    """Claims what the same work would take less, if all threads of the rank shared it: the most that can come back."""
    seconds = alone_s(case)
    if case.cores is None or float(seconds.sum()) < WORTH * case.tables.ledger.wall_s or not _is_known(case):
        return None
    table = case.cores.table
    threads = np.maximum(np.minimum(table["cores"], table["threads"]), 1)
    lost_s = float((seconds * (1 - 1 / threads)).sum())
    worst = int(np.argmax(seconds))
    rank, number = case.tables.ranks[worst], int(table["threads"][worst])
    share = q.percent(float(seconds[worst]), float(case.books.ledger["wall_s"][worst]))
    others = "other thread" if number == 2 else f"{number - 1} other threads"
    says = (
        f"For {share} of the wall-clock the main thread of rank {rank.rank} computed alone, while its {others} had "
        f"nothing to do. If all of them shared that work, at most this much would be gained."
    )
    idle_s = float(table["serial_s"].sum())
    evidence = (
        Evidence("one thread computed alone", f"{float(seconds.sum()):.2f} rank-seconds", _source(case)),
        Evidence("idle cores meanwhile", f"{idle_s:.2f} core-seconds", "ledger of core-seconds"),
    )
    return Suspicion({"compute_s": lost_s}, says, evidence, confidence=0.5)


def _is_known(case: Case) -> bool:
    told = case.cores is not None and bool(case.cores.runtime_told.any())
    return told or int(case.run.concurrency.data["samples"].sum()) >= FEWEST_SAMPLES


def _source(case: Case) -> str:
    if case.cores is not None and case.cores.runtime_told.any():
        return "OpenMP runtime: outside parallel regions"
    return f"CPU time of the threads, and {int(case.run.concurrency.data['samples'].sum()):,} samples of all of them"
