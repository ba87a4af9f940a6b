"""What is lost where data goes from one switch to another: by what connections carried while they were busy."""

from __future__ import annotations

from collections import defaultdict
from dataclasses import dataclass
from statistics import median

from clearway.diagnosis.facts import Case
from clearway.diagnosis.facts.batch_job import switches
from clearway.diagnosis.facts.card_loads import loads
from clearway.diagnosis.facts.connections import Connection
from clearway.diagnosis.facts.share_lost import transfer_s
from clearway.diagnosis.facts.slow_ways import LEAST_QUEUE_S, SLOWER, busy_of, queue_of, speed_of


@dataclass(frozen=True, slots=True)
class BetweenSwitches:
    """With the speed of a connection while it is busy, in bytes/s."""

    switches: tuple[str, ...]
    bytes_per_s: float
    sound_bytes_per_s: float  # of those within a switch; of the cards, where there are none
    compared_within: bool
    queue_s: float  # what packets wait on the way
    bytes_sent: int
    share_lost: float  # of all rank-seconds of moving data


def between_switches(case: Case) -> BetweenSwitches | None:
    """None where Slurm knows of one switch, or the way between them is as good as within one."""
    on = switches(case)
    known = [each for each in case.connections if each.from_host in on and each.to_host in on]
    carrying = [each for each in known if not each.inside_host and busy_of(each) > 0]
    across = [each for each in carrying if on[each.from_host] != on[each.to_host]]
    within = [each for each in carrying if on[each.from_host] == on[each.to_host]]
    cards = [each.bytes_per_s for each in across if each.bytes_per_s]
    if not across or not (within or cards):
        return None
    rate, sound = median(map(speed_of, across)), median(map(speed_of, within)) if within else min(cards)
    queued_s, usual_s = queue_of(across), queue_of(within) if within else 0.0
    if rate >= SLOWER * sound or queued_s < usual_s + LEAST_QUEUE_S:
        return None
    return BetweenSwitches(
        switches=tuple(sorted(set(on.values()))),
        bytes_per_s=rate,
        sound_bytes_per_s=sound,
        compared_within=bool(within),
        queue_s=queued_s,
        bytes_sent=sum(each.sender.bytes_sent for each in across),
        share_lost=_share_lost(case, across, 1 - rate / sound),
    )


def _share_lost(case: Case, across: list[Connection], slower: float) -> float:
    """A rank lost no more than its connections took too long one after another, nor than their part of the time in
    which it moved data, nor what is left of that beside the least time that its card needs."""
    too_long_s: dict[int, float] = defaultdict(float)
    for each in across:
        for rank in (each.from_rank, each.to_rank):
            too_long_s[rank] += slower * busy_of(each)
    least_s = {rank: load.wire_s or 0.0 for load in loads(case.connections) for rank in load.ranks}
    moving_s = transfer_s(case.tables)
    total_s = sum(moving_s.values())
    lost_s = sum(
        max(min(seconds, slower * moving_s.get(rank, 0.0), moving_s.get(rank, 0.0) - least_s.get(rank, 0.0)), 0.0)
        for rank, seconds in too_long_s.items()
    )
    return lost_s / total_s if total_s > 0 else 0.0
