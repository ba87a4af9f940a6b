"""Some ranks compute longer than others, which wait for them."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from clearway.base import quantities as q
from clearway.diagnosis.facts import Case
from clearway.diagnosis.facts.counters import machines
from clearway.diagnosis.facts.engine_words import evidence as engine_evidence
from clearway.diagnosis.facts.engine_words import word
from clearway.diagnosis.facts.growth import growing_computing
from clearway.diagnosis.facts.k_points import pools_of
from clearway.diagnosis.facts.lateness import lateness
from clearway.diagnosis.facts.longer_in import longer_in
from clearway.diagnosis.facts.other_programs import foreign_load
from clearway.diagnosis.facts.own_program import own_program
from clearway.diagnosis.facts.shared_processors import crowds
from clearway.diagnosis.facts.stretches import Stretch, stretches
from clearway.diagnosis.facts.turns import computing
from clearway.diagnosis.facts.waited_for import for_targets_s, waited_for_s
from clearway.diagnosis.finding import Evidence
from clearway.diagnosis.rules import Suspicion
from clearway.engines.words import About
from clearway.ledger.timelines import COMPUTE

TITLE = "Some ranks compute longer than others"
REMEDIES = ("balance-load", "k-point-pools", "pme-ranks", "ranks-and-threads")
ENGINE = (About.IMBALANCE, About.NOT_BALANCED, About.PME_MORE, About.PME_LESS, About.EMPTY, About.WARNING)
ENOUGH = 5  # calls
ENOUGH_FOR_A_BURST, BURST = 20, 0.25  # calls, and the share of them that holds nearly all waiting
MOSTLY_WAITED_IN = 0.5  # of the waiting of all calls
ENOUGH_TURNS, FEW_TURNS = 10, 4  # times that a rank was waited for; and where each took long
FEW_STRETCHES = 3  # that are named
MOSTLY_ONE = 0.6  # of the waiting, for one rank of several: it is no matter of turns
UNEVEN = 1.03  # the longest stretch of computing over the mean, time by time
ALONE = 1.1  # ranks that compute at once where they take turns
MOSTLY_WAITED = 0.5  # of the time that others computed
LONG_S, VERY_LONG_S = 2e-3, 2e-2  # waits that are shorter come from what the machine does beside
MUCH_OUTPUT = 0.05  # of the engine's time
WORTH = 0.03  # of the rank-seconds
NEXT_TO_NOTHING = 0.05  # of what the others compute, each
A_LITTLE = 1.25  # the longest computing over the mean
BESIDE_OTHERS = 1.4  # of two ranks, one of which is half as fast, it is 1.33
OTHERS = 0.25  # of a processor
ORDINARY = 1.05  # longest computing over the others': engines with a part that one rank does alone come near it


def examine(case: Case) -> Suspicion | None:
    """Claims what ranks waited for one that always computes longer, and for others that do so in turn.

    Where no two ranks compute at a time, whatever they waited while another did. But nothing where all share one
    processor: however they divide the work, it takes as long.
    """
    if any(len(crowd.processes) == case.ranks and crowd.processors <= 1 for crowd in crowds(case)):
        return None
    one_by_one = _one_by_one(case)
    if one_by_one is not None:
        return one_by_one
    compute_s = case.books.ledger["compute_s"]
    lost_s, mean_s, longest = case.losses.imbalance_s, float(compute_s.mean()), int(np.argmax(compute_s))
    turns = _turns(case)
    if case.ranks < 2 or lost_s <= 0 or compute_s[longest] <= ORDINARY * np.delete(compute_s, longest).mean():
        return None if turns is None else _in_turns(case, turns)
    rank = case.tables.ranks[longest]
    evidence = (
        Evidence("longest computing", f"{q.seconds(float(compute_s.max()))} (rank {rank.rank})", "ledger"),
        Evidence("mean computing", q.seconds(mean_s), "ledger"),
        Evidence("load balance", q.ratio(case.tables.pop.load_balance), "POP: mean over longest computing"),
        Evidence(
            "others waited", f"{lost_s:.2f} rank-seconds", "ledger: waiting beyond that of the rank that waits least"
        ),
        *engine_evidence(case, *ENGINE),
    )
    program = own_program(case, longest)
    runs = f", which runs {program}," if program else ""
    says = (
        f"Rank {rank.rank} on {rank.host}{runs} computes {q.ratio(float(compute_s.max()) / mean_s)} times as long as "
        f"the mean; the others waited {q.seconds(lost_s / max(case.ranks - 1, 1))} each for it, on average."
        f"{_how_often(case, rank.rank)}{_in_which(case, longest)}{_grows(case, longest)}{_writes(case, rank.rank)}"
        f"{_in_pools(case)}{_hands_out(case)}{_or_the_core(case, float(compute_s.max()) / mean_s)}"
    )
    claims = {"imbalance_s": lost_s}
    if turns is not None:
        claims["wait_s"] = turns.seconds
        says += f" Besides, {turns.ranks} ranks were waited for in turn: {q.seconds(turns.seconds / case.ranks)} each."
    return Suspicion(claims, says, evidence, confidence=0.75)


@dataclass(frozen=True, slots=True)
class _Turns:
    """Another rank computes longest each time."""

    seconds: float  # rank-seconds of waiting, but for one that computes longer in the whole job
    ranks: int  # that were waited for
    calls: int
    ratio: float  # of the longest computing to the mean, time by time
    stretches: tuple[Stretch, ...]  # where the late rank stays the same for long


def _turns(case: Case) -> _Turns | None:
    """Waits without a lasting cause, and with one nevertheless; None where there are too few."""
    late_s = waited_for_s(case, COMPUTE)
    turns_s = min(float(late_s.sum()) - case.losses.imbalance_s - for_targets_s(case), case.losses.wait_s)
    if case.ranks < 2 or turns_s < WORTH * case.tables.ledger.wall_s:
        return None
    late_s[int(np.argmax(case.books.ledger["compute_s"]))] -= case.losses.imbalance_s
    charged = case.delays
    mine = charged.causes_s[:, COMPUTE] > 0.5 * charged.seconds
    calls = len(np.unique(charged.at_s[mine]))
    compute_s = float(case.books.ledger["compute_s"].mean())
    ratio = 1 + turns_s / case.ranks / max(compute_s, 1e-12)
    if (
        not _are_turns(charged.at_s[mine], charged.seconds[mine])
        or ratio < UNEVEN
        or late_s.max() > MOSTLY_ONE * late_s.sum()
    ):
        return None
    found = stretches(charged.at_s[mine], charged.late[mine], charged.seconds[mine])
    return _Turns(turns_s, int((late_s > 0.1 * late_s.mean()).sum()), calls, ratio, found)


def _in_turns(case: Case, turns: _Turns) -> Suspicion:
    changes = "changes each step" if turns.calls >= ENOUGH_TURNS else "changes"
    whom = f"{turns.ranks} ranks were waited for in turn, {turns.calls:,} times on record"
    if turns.stretches:
        changes, whom = "changes during the job", _in_stretches(case, turns.stretches)
    says = (
        f"Which rank computes longest {changes}: {whom}; the late rank computed {q.ratio(turns.ratio)} times as long "
        f"as the mean. The others waited {q.seconds(turns.seconds / case.ranks)} each, on average."
        f"{_or_the_core(case, turns.ratio)}"
    )
    evidence = (
        Evidence("came last", f"{turns.ranks} ranks in turn", "entries into calls: which rank the others waited for"),
        Evidence("longest computing", f"{q.ratio(turns.ratio)} of the mean", "time by time"),
        Evidence(
            "others waited", f"{turns.seconds:.2f} rank-seconds", "waits, as far as the late rank computed longer"
        ),
        *engine_evidence(case, *ENGINE),
    )
    title = f"Some ranks compute longer than others: which ones {changes}"
    # What stays with a rank for a while can be moved away from it; what changes at every step cannot.
    remedies = REMEDIES if turns.stretches else ()
    return Suspicion({"wait_s": turns.seconds}, says, evidence, 0.6, title, remedies=remedies)


def _in_stretches(case: Case, found: tuple[Stretch, ...]) -> str:
    if len(found) > FEW_STRETCHES:
        return f"each is waited for during a stretch of many steps, and the rank changed {len(found) - 1} times"
    ranks = [f"rank {case.tables.ranks[one.late].rank}" for one in found]
    ends = [f" until {q.seconds(one.until_s)}" for one in found[:-1]]
    told = [f"{rank}{end}" for rank, end in zip(ranks, [*ends, ""], strict=True)]
    return f"the others waited for {', then for '.join(told)}"


def _one_by_one(case: Case) -> Suspicion | None:
    """Each rank waits until the one before it has computed. Of a ring of such ranks no event tells who is late."""
    compute_s, at_s = case.books.ledger["compute_s"], case.delays.at_s
    newcomers_s = float(case.books.newcomers_s.sum())  # for processes outside the job
    waited_s = case.losses.wait_s + case.losses.imbalance_s - for_targets_s(case) - newcomers_s
    if case.ranks < 2 or waited_s < WORTH * case.tables.ledger.wall_s or not _are_turns(at_s, case.delays.seconds):
        return None
    found = computing(case) if compute_s.max() <= MOSTLY_ONE * compute_s.sum() else None
    if found is None or found.at_once > ALONE:
        return None
    others_s = found.seconds * (case.ranks - 1)  # in which another rank computed
    cost_s = min(waited_s, others_s)
    if cost_s < MOSTLY_WAITED * others_s:
        return None
    imbalance_s = min(case.losses.imbalance_s, cost_s)
    says = (
        f"Ranks take turns: each computes once the one before it is done, and waits while the others compute, "
        f"{q.seconds(cost_s / case.ranks)} each on average. Hardly ever do two of the {case.ranks:,} ranks compute at "
        f"the same time: {q.seconds(found.seconds)} of computing, one rank after the other."
    )
    evidence = (
        Evidence(
            "compute at a time",
            f"{q.ratio(found.at_once)} of {case.ranks:,} ranks",
            "events, as a computing rank sees it",
        ),
        Evidence("computing", f"{q.seconds(float(compute_s.mean()))} a rank, mean", "ledger"),
        Evidence("others waited", f"{cost_s:.2f} rank-seconds", "ledger: waiting, as long as one computed"),
    )
    claims = {"wait_s": cost_s - imbalance_s} | ({"imbalance_s": imbalance_s} if imbalance_s > 0 else {})
    title = "Ranks take turns: each waits for the one before it"
    return Suspicion(claims, says, evidence, 0.8, title, remedies=())


def _are_turns(at_s: NDArray[np.float64], seconds: NDArray[np.float64]) -> bool:
    """Enough of them, and long enough that they do not come from what the machine does beside."""
    if not len(at_s):
        return False
    mean_wait_s = float(np.average(seconds, weights=seconds))
    enough = FEW_TURNS if mean_wait_s >= VERY_LONG_S else ENOUGH_TURNS
    return mean_wait_s >= LONG_S and len(np.unique(at_s)) >= enough


def _writes(case: Case, rank: int) -> str:
    """Rank 0 of most engines writes for all."""
    told = word(case, About.OUTPUT) if rank == 0 else None
    if told is None or told.value is None or told.value < MUCH_OUTPUT:
        return ""
    return f" It also writes the output, {q.percent(told.value)} of the time by the engine's log: that may be why."


def _in_which(case: Case, process: int) -> str:
    found = longer_in(case, process)
    if found is None:
        return ""
    return (
        f" Most of the difference is in {found.where}: {q.seconds(found.rank_s)}, on the other ranks "
        f"{q.seconds(found.others_s)}."
    )


def _grows(case: Case, process: int) -> str:
    found = growing_computing(case)
    if found is None or not found.grown[process]:
        return ""
    first_s, last_s = float(found.first_s[process]), float(found.last_s[process])
    return (
        f" Its steps take longer and longer: for each {found.function} it computed {q.seconds(first_s)} in the first "
        f"quarter of the job, {q.seconds(last_s)} in the last."
    )


def _in_pools(case: Case) -> str:
    now = pools_of(case)
    if now is None or not now.uneven:
        return ""
    most = now.points // now.pools + 1
    return (
        f" pw.x has {now.points} k-points in {now.pools} pools ({now.option} {now.pools}): some pools have {most}, the "
        f"others {most - 1}."
    )


def _hands_out(case: Case) -> str:
    """One rank that computes next to nothing: a part of the machine's cores does so too."""
    compute_s = case.books.ledger["compute_s"]
    least = int(np.argmin(compute_s))
    if compute_s[least] > NEXT_TO_NOTHING * np.delete(compute_s, least).min() or word(case, About.EMPTY) is not None:
        return ""
    return (
        f" Rank {case.tables.ranks[least].rank} computes next to nothing, {q.seconds(float(compute_s[least]))}: if it "
        f"only hands out work, let it take some as well, or start one rank more than there are cores."
    )


def _or_the_core(case: Case, ratio: float) -> str:
    """Equal work took a third longer on one of a virtual machine's two cores, for seconds; no counter said why."""
    if ratio <= BESIDE_OTHERS and _others_ran(case):
        return (
            " That may be the work or the cores: other programs ran on them meanwhile, and where two share a core's "
            "units or its caches, both compute more slowly. If another rank is late when the job runs alone, it was "
            "the cores."
        )
    virtual = {host.name for host in case.run.hosts if host.facts.get("host.virtual") == "yes"}
    if ratio > A_LITTLE or not virtual & {rank.host for rank in case.tables.ranks}:
        return ""
    return (
        " That may be the work or the cores: this is a virtual machine, and another one on the same processor can slow "
        "a core. If another rank is late when the job runs again, it is most likely the cores."
    )


def _others_ran(case: Case) -> bool:
    loads = (foreign_load(case, members) for members in machines(case).values())
    return any(used_s > OTHERS * span_s for used_s, span_s in loads if span_s > 0)


def _how_often(case: Case, rank: int) -> str:
    """In which share of the calls that were waited in most it was the last; silence where the record has too few."""
    late = lateness(case)
    # Of collective calls that hold little of the waiting, as where neighbours wait first, it says nothing of the rest.
    telling = late is not None and late.wait_s.sum() >= MOSTLY_WAITED_IN * case.tables.ledger.mpi_wait_s
    calls = 0 if late is None else len(late.wait_s)
    if late is not None and telling and calls >= ENOUGH_FOR_A_BURST and late.decisive <= BURST * calls:
        return (
            f" It happened now and then: nine tenths of the waiting fell into {late.decisive} of the {calls:,} calls "
            f"of {late.function}."
        )
    rows = [row for row in case.tables.collectives if row.recorded >= ENOUGH and row.communicator_size == case.ranks]
    most = max(rows, key=lambda row: row.wait_s, default=None)
    if most is None or most.last_rank != rank or most.last_share is None:
        return ""
    share = q.percent(most.last_share)
    return f" It came last to {share} of the {most.recorded:,} calls of {most.function} that are on record."
