"""Threads of a rank wait for each other in parallel regions: their shares of the work are uneven."""

from __future__ import annotations

import numpy as np

from clearway.base import quantities as q
from clearway.diagnosis.facts import Case
from clearway.diagnosis.facts.core_kinds import on_slow_ones
from clearway.diagnosis.facts.team_waits import uneven_s
from clearway.diagnosis.finding import Evidence
from clearway.diagnosis.rules import Suspicion

TITLE = "Threads wait for each other"
REMEDIES = ("dynamic-schedule", "more-ranks")
NO_REMEDY = (
    "No remedy is tried: OMP_SCHEDULE has no effect on the loops of this program, or divides them evenly already; and "
    "more ranks would need a launcher that Clearway knows, and a core for each."
)
WORTH = 0.03  # of the rank-seconds
MIXED = (0.1, 0.9)  # of a rank's time on cores, on slow ones of a processor that has fast ones as well


def examine(case: Case) -> Suspicion | None:
    """Claims what even shares would give back, of the main threads' computing (they may spin) and being blocked."""
    lost_s = uneven_s(case)
    if case.cores is None or float(lost_s.sum()) < WORTH * case.tables.ledger.wall_s:
        return None
    team = case.cores.teams
    blocked_s = np.minimum(case.cores.table["main_blocked_s"], lost_s)
    worst = int(np.argmax(lost_s))
    rank = case.tables.ranks[worst]
    waited_s = float((team.main_wait_s + team.others_wait_s).sum())
    regions, threads = int(team.regions.sum()), int(team.threads[worst])
    own_s, share = float(lost_s[worst]), q.percent(float(lost_s[worst]), float(team.parallel_s[worst]))
    says = (
        f"In its parallel regions, a thread of rank {rank.rank} waited {q.seconds(own_s)} on average for the slowest "
        f"of its {threads} threads: {share} of the time in them. With evenly divided work they would take this much "
        f"less."
    )
    slow = float(on_slow_ones(case)[worst])
    is_mixed = MIXED[0] < slow < MIXED[1]
    if is_mixed:
        says += (
            " But they were on cores of two kinds, fast and slow: even shares then take the slow ones longer. Fewer "
            "threads, on the fast cores only, may be faster, and loops that hand out their iterations one by one."
        )
    evidence = (
        Evidence("parallel regions", f"{regions:,}, of {threads} threads", "OpenMP runtime"),
        Evidence("threads waited for each other", f"{waited_s:.2f} thread-seconds", "barriers, ends of regions, locks"),
        Evidence("main threads in regions", q.seconds(float(team.parallel_s.sum())), "OpenMP runtime"),
        *([Evidence("on slow cores", q.percent(slow), "samples, cpuinfo_max_freq")] if is_mixed else []),
    )
    claims = {"blocked_s": float(blocked_s.sum()), "compute_s": float((lost_s - blocked_s).sum())}
    return Suspicion(claims, says, evidence, confidence=0.8)
