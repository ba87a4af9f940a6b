"""From seconds that connections lost to the share of the ranks' data moving that was lost."""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Iterable

from clearway.diagnosis.facts.connections import Connection
from clearway.diagnosis.facts.tables import Tables


def transfer_s(tables: Tables) -> dict[int, float]:
    """Seconds of moving data by rank."""
    return {rank.rank: rank.ledger.mpi_transfer_s for rank in tables.ranks}


def share_held_up(tables: Tables, lost: Iterable[tuple[Connection, float, float]]) -> float:
    """Of all rank-seconds of moving data, the share in which these connections held up either end.

    `lost`: a connection, the seconds that it lost, and the share of its time that it lost. A rank cannot have lost
    more than the sum over its connections (as if they took turns), nor a larger share than the worst of them (as if
    all were busy at once): the lesser of the two is taken.
    """
    seconds: dict[int, float] = defaultdict(float)
    worst: dict[int, float] = defaultdict(float)
    for connection, lost_s, share in lost:
        for rank in {connection.from_rank, connection.to_rank}:
            seconds[rank] += lost_s
            worst[rank] = max(worst[rank], share)
    moving_s = transfer_s(tables)
    total_s = sum(moving_s.values())
    held_s = sum(min(seconds[rank], worst[rank] * moving_s.get(rank, 0.0)) for rank in seconds)
    return held_s / total_s if total_s > 0 else 0.0
