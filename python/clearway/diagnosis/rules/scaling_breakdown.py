"""More ranks have made the job no faster. Needs a Run of the same job on fewer ranks beside this one."""

from __future__ import annotations

from dataclasses import asdict

from clearway.base import quantities as q
from clearway.diagnosis.facts import Case
from clearway.diagnosis.finding import Evidence
from clearway.diagnosis.rules import Suspicion

TITLE = "Scaling has broken down: fewer ranks would be as fast"
REMEDIES = ("fewer-ranks",)
LESS = 0.95  # times what a rank does outside MPI
AS_FAST = 1.05  # times this job's time: within what two runs differ by


def examine(case: Case) -> Suspicion | None:
    """Claims the ranks' time that bought nothing: all of it, less what the smaller job took.

    Times are of a step where the engine's log has them, else of the whole job.
    """
    smaller = [other for other in case.others if _comparable(case, other)]
    if not smaller:
        return None
    best = min(smaller, key=lambda other: (other.ranks * _time_s(case, other), other.ranks))
    mine_s, its_s = _time_s(case, case), _time_s(case, best)
    needless = 1 - best.ranks * its_s / (case.ranks * mine_s)
    lost = {cause: seconds for cause, seconds in asdict(case.losses).items() if cause != "compute_s"}
    all_s = sum(lost.values())
    wanted_s = min(needless * case.ranks * case.wall_s, all_s)
    if wanted_s <= 0:
        return None
    evidence = (
        *(_time(case, other) for other in sorted([*case.others, case], key=lambda other: other.ranks)),
        Evidence("speedup", f"{its_s / mine_s:.2f}", f"of {case.ranks:,} ranks over {best.ranks}"),
        Evidence("rank time without gain", q.percent(needless), "ranks x time, compared"),
    )
    says = (
        f"{best.ranks} rank{'' if best.ranks == 1 else 's'} took {q.seconds(its_s)}, these {case.ranks:,} took "
        f"{q.seconds(mine_s)}: what more ranks save outside MPI, they lose in communicating."
    )
    return Suspicion({cause: wanted_s * seconds / all_s for cause, seconds in lost.items()}, says, evidence, 0.97)


def _comparable(case: Case, other: Case) -> bool:
    """The same program on fewer ranks, as fast, where it is communicating that takes what is saved in computing."""
    if other.tables.job.program != case.tables.job.program or other.ranks >= case.ranks:
        return False
    return 0 < _time_s(case, other) <= AS_FAST * _time_s(case, case) and _trades(case, other)


def _trades(case: Case, other: Case) -> bool:
    """Whether a rank has less to do outside MPI than on fewer ranks, and communicates more.

    Else the two differ by chance, or by what no number of ranks changes.
    """
    has_less = _outside_s(case) / case.ranks < LESS * _outside_s(other) / other.ranks
    return has_less and _communication_s(case) / case.ranks > _communication_s(other) / other.ranks


def _outside_s(case: Case) -> float:
    lines = case.tables.ledger
    return lines.compute_s + lines.io_s + lines.other_s


def _communication_s(case: Case) -> float:
    lines = case.tables.ledger
    return lines.mpi_wait_s + lines.mpi_transfer_s + lines.mpi_stall_s


def _time_s(case: Case, of: Case) -> float:
    """Of a step where both logs tell, else of the job."""
    mine, its = case.tables.engine, of.tables.engine
    return its.s_per_step if mine and its and mine.s_per_step and its.s_per_step else of.wall_s


def _time(case: Case, of: Case) -> Evidence:
    return Evidence(
        f"on {of.ranks} rank{'' if of.ranks == 1 else 's'}", q.seconds(_time_s(case, of)), "time of the Run"
    )
