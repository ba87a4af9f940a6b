"""Threads of a rank wait for each other in parallel regions: their shares of the work are uneven."""

from __future__ import annotations

import numpy as np
from numpy.typing import NDArray

from clearway.base import quantities as q
from clearway.diagnosis.facts import Case
from clearway.diagnosis.facts.core_kinds import on_slow_ones
from clearway.diagnosis.facts.settings_in_force import variable
from clearway.diagnosis.facts.team_shares import most_over_mean_s
from clearway.diagnosis.facts.team_waits import uneven_s
from clearway.diagnosis.finding import Evidence
from clearway.diagnosis.rules import Suspicion

TITLE = "Threads wait for each other"
REMEDIES = ("dynamic-schedule", "more-ranks")
NO_REMEDY = (
    "No remedy is tried: OMP_SCHEDULE has no effect on the loops of this program, or divides them evenly already; and "
    "more ranks would need a launcher that Clearway knows, and a core for each."
)
TOO_SHORT = "Parallel regions are too short for their threads"
SHORT_S = 1e-4  # a region, on average: waking a thread and waiting for it takes some 10 µs, and more on busy cores
WAITS = "barriers, ends of regions, locks"
ASLEEP = {"OMP_WAIT_POLICY": ("passive",), "GOMP_SPINCOUNT": ("0",), "KMP_BLOCKTIME": ("0", "0ms")}
EVEN = 0.5  # of the waits at most are those for threads that worked longer
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
    parallel_s = float(team.parallel_s.sum())
    is_short = regions > 0 and parallel_s / regions < SHORT_S
    if is_short and float(most_over_mean_s(case).sum()) < EVEN * float(lost_s.sum()):
        return _too_short(case, worst, lost_s, blocked_s)
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
        Evidence("threads waited for each other", f"{waited_s:.2f} thread-seconds", WAITS),
        Evidence("main threads in regions", q.seconds(parallel_s), "OpenMP runtime"),
        *([Evidence("on slow cores", q.percent(slow), "samples, cpuinfo_max_freq")] if is_mixed else []),
    )
    claims = {"blocked_s": float(blocked_s.sum()), "compute_s": float((lost_s - blocked_s).sum())}
    return Suspicion(claims, says, evidence, confidence=0.8)


def _too_short(case: Case, worst: int, lost_s: NDArray[np.float64], blocked_s: NDArray[np.float64]) -> Suspicion | None:
    """The same claim: what a region takes beyond its work, which other shares would not change."""
    if case.cores is None:
        return None
    team, rank = case.cores.teams, case.tables.ranks[worst]
    regions, threads = int(team.regions.sum()), int(team.threads[worst])
    each_s, own_s = float(team.parallel_s.sum()) / regions, float(lost_s[worst])
    share = q.percent(own_s, float(team.parallel_s[worst]))
    says = (
        f"A parallel region takes {q.seconds(each_s)} on average, and in {share} of that a thread of rank "
        f"{rank.rank} waits. Most of it is not for a thread with more to do than the others: beginning and ending a "
        f"region takes that long. Make few large regions of many small ones (around an outer loop), or use fewer "
        f"threads."
    )
    asleep = _sleeps(case)
    if asleep:
        says += (
            f" {asleep} is set: threads sleep between regions, and have to be woken for each. Where each thread has a "
            f"core of its own they begin sooner without it."
        )
    evidence = (
        Evidence("parallel regions", f"{regions:,}, of {threads} threads", "OpenMP runtime"),
        Evidence("a region", q.seconds(each_s), "OpenMP runtime, mean"),
        Evidence("threads waited", f"{float((team.main_wait_s + team.others_wait_s).sum()):.2f} thread-seconds", WAITS),
    )
    claims = {"blocked_s": float(blocked_s.sum()), "compute_s": float((lost_s - blocked_s).sum())}
    return Suspicion(claims, says, evidence, confidence=0.8, title=TOO_SHORT, remedies=("more-ranks",))


def _sleeps(case: Case) -> str:
    """The variable that has waiting threads sleep at once; empty where none does."""
    for name, values in ASLEEP.items():
        value = (variable(case, name) or "").strip().lower()
        if value in values:
            return f"{name}={value}"
    return ""
