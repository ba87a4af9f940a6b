"""Fewer ranks: as many as there are cores, or as many as the job was fastest with."""

from __future__ import annotations

from clearway.base import quantities as q
from clearway.diagnosis.facts import Case
from clearway.diagnosis.facts.rank_places import cores_of_all
from clearway.diagnosis.facts.settings_in_force import threads_per_rank
from clearway.diagnosis.facts.shared_processors import crowds
from clearway.diagnosis.facts.speed import has_speed, s_per_work
from clearway.diagnosis.finding import Finding
from clearway.diagnosis.remedies import Offer
from clearway.job.change import Change

EXCLUDES = frozenset({"cores-for-threads", "one-rank-a-core", "pin-ranks", "ranks-and-threads", "spread-hosts"})
MORE_THAN_NOISE = 1.05  # times
LESS = 0.95  # times what a rank computes on fewer ranks
BUSY = 0.8  # of the cores: below, ranks wait for something else than a core


def offer(case: Case, finding: Finding) -> Offer | None:
    faster = [other for other in case.others if other.ranks < case.ranks and _is_faster(other, case)]
    return _as_measured(case, finding, faster) if faster else _as_many_as_cores(case, finding)


def _is_faster(other: Case, case: Case) -> bool:
    """By more than what two runs of one job differ by, at the same work."""
    if other.tables.job.program != case.tables.job.program or not _same_work(case, other):
        return False
    return MORE_THAN_NOISE * s_per_work(other, case) <= s_per_work(case, other)


def _same_work(case: Case, other: Case) -> bool:
    """As their engine tells; else a rank must have had more to compute on the fewer ranks, as it has at equal work."""
    if has_speed(case) and has_speed(other):
        return True
    here_s, there_s = (each.tables.ledger.compute_s / each.ranks for each in (case, other))
    return here_s < LESS * there_s


def _as_measured(case: Case, finding: Finding, faster: list[Case]) -> Offer:
    """gain: measured, by a Run on that number of ranks."""
    best = min(faster, key=lambda other: (s_per_work(other, case), other.ranks))
    its_s, mine_s = s_per_work(best, case), s_per_work(case, best)
    what = "the job" if its_s == best.wall_s else "a step"
    return Offer(
        what=f"use {best.ranks} rank{'' if best.ranks == 1 else 's'}",
        why=f"on {best.ranks} {what} took {q.seconds(its_s)}, on {case.ranks} {q.seconds(mine_s)}",
        gain=_share(case.wall_s * (1 - its_s / mine_s), finding),
        change=Change(ranks=best.ranks),
    )


def _as_many_as_cores(case: Case, finding: Finding) -> Offer | None:
    """Only where the ranks keep the cores busy. gain: what is left of the wall-clock when the cores do nothing but the
    same computing, and each of the fewer ranks communicates, reads, writes and sleeps as long as one did.

    None of an unknown program: it may compute so much a rank, and then fewer ranks do less, not the same sooner.
    """
    cores = _cores(case)
    ranks = cores // threads_per_rank(case)
    used_s = sum(rank.cpu_s for rank in case.tables.ranks)
    if not 0 < ranks < case.ranks or used_s < BUSY * ranks * case.wall_s:
        return None
    lines = case.tables.ledger
    elsewhere_s = lines.mpi_transfer_s + lines.mpi_stall_s + lines.io_s + lines.other_s
    then_s = lines.compute_s / ranks + elsewhere_s / case.ranks
    return Offer(
        what=f"use {ranks} rank{'' if ranks == 1 else 's'}",
        why=f"{case.ranks} ranks share {cores} core{'' if cores == 1 else 's'} and take turns{_if_same(case)}",
        gain=_share(case.wall_s - then_s, finding) if has_speed(case) else None,
        change=Change(ranks=ranks),
    )


def _if_same(case: Case) -> str:
    return (
        "" if has_speed(case) else "; this helps if fewer ranks do the same total work, which no log of this job shows"
    )


def _cores(case: Case) -> int:
    """That the job may use: no more than its control groups grant, where all ranks are held back by theirs."""
    held = [crowd for crowd in crowds(case) if crowd.granted]
    granted = sum(crowd.processors for crowd in held)
    everyone = sum(len(crowd.processes) for crowd in held) == case.ranks
    return min(cores_of_all(case), int(granted)) if everyone else cores_of_all(case)


def _share(saved_s: float, finding: Finding) -> float:
    return min(max(saved_s / finding.cost_s, 0.0), 1.0) if finding.cost_s > 0 else 0.0
