"""How far flow control goes: "the all-to-all works without packet loss for up to 8 nodes in the case of LAM, and for up
to 16 nodes in the case of MPICH"."""

from __future__ import annotations

from collections.abc import Callable, Sequence

from papers import notation
from papers.claim import Claim, exactly
from papers.point import Outcome, Point, alltoall, ready_model
from papers.published.kutzner_2007.rows import with_pause
from papers.published.kutzner_2007.shapes import mpich

WHERE = "Systematic Tests"
NODES = (4, 8, 16, 32)
SIZES = (4096, 16384, 65536)  # where molecular dynamics is
NO_LOSS = "it is unknown how much data from other parts a part of the real switch can buffer"


def claims() -> list[Claim]:
    return [
        claim("LAM", 8, lambda nodes, size: alltoall(with_pause(ready_model("procurve2848", nodes)), "lam", size)),
        claim("MPICH-2", 16, lambda nodes, size: mpich(nodes, size, is_paused=True)),
    ]


def claim(mpi: str, published: int, point: Callable[[int, int], Point]) -> Claim:
    return Claim(
        WHERE,
        f"{mpi} + flow control: largest number of nodes without packet loss",
        *exactly(published),
        notation.number,
        tuple(point(nodes, size) for nodes in NODES for size in SIZES),
        most_without_loss,
        reason=NO_LOSS,
        is_unseen=True,
    )


def most_without_loss(outcomes: Sequence[Outcome]) -> float:
    most = 0
    for at, nodes in enumerate(NODES):
        if any(one.drops for one in outcomes[at * len(SIZES) : (at + 1) * len(SIZES)]):
            break
        most = nodes
    return float(most)
