"""What the curves of Figs. 1, 3, 4 and 9 look like, as far as the text says it in words."""

from __future__ import annotations

from collections.abc import Sequence

from clearway.predict.models.grids import SINGLE_COMPLEX, divisible, transpose_bytes
from clearway.predict.models.programs.gromacs33 import SYSTEMS
from papers import figures, notation
from papers.claim import Claim, at_least, exactly
from papers.point import Outcome, Point, alltoall, ready_model
from papers.published.kutzner_2007.rows import (
    LAM,
    LOSSY_STEPS,
    MPICH_SHORT_BYTES,
    ORDERED,
    PAUSED,
    point,
    with_mpich,
    with_pause,
)

SIZES = [1 << power for power in range(8, 19)]
UP_TO_64_KIB = [1 << power for power in range(10, 17, 2)]
BRUCK_BYTES = 256
HARDLY = 0.5  # of the throughput is left where "performance is degenerated"

OUT_OF_STEP = """\
in the model blocks of 32 KiB sent all at once lose packets, as on scattered ports; from 128 KiB on, pairs get out of \
step, so that two long messages meet at a port"""


def claims() -> list[Claim]:
    return [*speedups(), *throughputs(), *depths(), *without_flow_control(), *bruck(), *ports()]


def speedups() -> list[Claim]:
    """Fig. 1."""
    on_four, on_two = (point("aqp1", LAM, cpus, 2) for cpus in (8, 4))
    without_losses = ((8, 1), (8, 2), (16, 2))
    return [
        Claim(
            "Fig. 1",
            "AQP1, LAM: speed on four dual-CPU nodes ÷ on two",
            0,
            1,
            notation.times,
            (on_two, on_four),
            speed,
        ),
        Claim(
            "Fig. 1",
            "AQP1, LAM: shortest step on 4, 8 and 16 nodes",
            *at_least(200),
            notation.milliseconds,
            tuple(point("aqp1", LAM, cpus, 1) for cpus in (4, 8, 16)),
            lambda outcomes: min(one.median_ns for one in outcomes) * 1e-6 / LOSSY_STEPS,
        ),
        *(
            Claim(
                "Fig. 1",
                f"AQP1, {cpus} CPUs, {per_host} a node: ordered ÷ flow control",
                *at_least(0.95),
                notation.times,
                (point("aqp1", ORDERED, cpus, per_host), point("aqp1", PAUSED, cpus, per_host)),
                figures.ratio_of_times,
            )
            for cpus, per_host in without_losses
        ),
    ]


def throughputs() -> list[Claim]:
    """Figs. 3 and 4."""
    few, many = (tuple(lam(nodes, size) for size in SIZES) for nodes in (8, 32))
    return [
        Claim("Fig. 3", "LAM: critical S, 8 nodes ÷ 32 nodes", *at_least(1), notation.times, (*few, *many), critical),
        *(
            Claim(
                "Fig. 3",
                f"S of AQP1, {nodes} nodes: throughput, ordered ÷ LAM",
                *at_least(1),
                notation.times,
                (lam(nodes, size), alltoall(ready_model("procurve2848", nodes), "ordered+barrier", size)),
                speed,
            )
            for nodes in (8, 16)
            for size in (transpose_bytes(divisible(SYSTEMS["aqp1"].grid, nodes), nodes, SINGLE_COMPLEX),)
        ),
        Claim(
            "Fig. 4",
            "MPICH-2, 8 nodes: fall of throughput from one S to the next",
            0,
            10,
            notation.times,
            tuple(mpich(8, size) for size in SIZES),
            figures.steepest_fall(SIZES),
            reason=OUT_OF_STEP,
        ),
    ]


def depths() -> list[Claim]:
    """Fig. 3: "the throughput drops down an order of magnitude or more"; more CPUs, a deeper drop."""
    curves = {nodes: tuple(lam(nodes, size) for size in SIZES) for nodes in (8, 16, 32)}
    fall, half = figures.deepest_fall(SIZES), len(SIZES)
    return [
        *(
            Claim(
                "Fig. 3",
                f"LAM, {nodes} nodes: fall of throughput",
                *at_least(10),
                notation.times,
                curves[nodes],
                fall,
                is_unseen=True,
            )
            for nodes in (16, 32)
        ),
        Claim(
            "Fig. 3",
            "LAM: fall of throughput, 32 nodes ÷ 8 nodes",
            *at_least(1),
            notation.times,
            (*curves[8], *curves[32]),
            lambda outcomes: fall(outcomes[half:]) / fall(outcomes[:half]),
            is_unseen=True,
        ),
    ]


def without_flow_control() -> list[Claim]:
    """Fig. 4: "packet loss degenerates performance only when using more than eight CPUs"."""
    few = SIZES[::2]

    def worst(outcomes: Sequence[Outcome]) -> float:
        pairs = zip(outcomes[: len(few)], outcomes[len(few) :], strict=True)
        return min(paused.mean_ns / lossy.mean_ns for lossy, paused in pairs)

    return [
        Claim(
            "Fig. 4",
            f"MPICH-2, {nodes} nodes: throughput at the worst S, without ÷ with flow control",
            HARDLY if nodes <= 8 else 0,
            float("inf") if nodes <= 8 else HARDLY,
            notation.times,
            (*(mpich(nodes, size) for size in few), *(mpich(nodes, size, is_paused=True) for size in few)),
            worst,
            reason=OUT_OF_STEP,
            is_unseen=True,
        )
        for nodes in (8, 16, 32)
    ]


def bruck() -> list[Claim]:
    """Fig. 4: "the higher throughput for messages S ≤ 256 byte … can be attributed to this algorithm"."""
    dual = with_mpich(ready_model("procurve2848", 16, 2))
    return [
        Claim(
            "Fig. 4",
            "MPICH-2, 16 dual-CPU nodes, 256 bytes: throughput, Bruck's algorithm ÷ the classic one",
            *at_least(1),
            notation.times,
            (alltoall(dual, "bruck", BRUCK_BYTES), alltoall(dual, "direct", BRUCK_BYTES)),
            figures.ratio_of_times,
            is_unseen=True,
        )
    ]


def ports() -> list[Claim]:
    """Fig. 9."""
    scattered = ready_model("procurve2848", 32, 2)
    return [
        Claim(
            "Fig. 9",
            "packets lost, ordered, 64 CPUs on scattered ports",
            *exactly(0),
            notation.number,
            tuple(alltoall(scattered, "node_ordered+barrier", size) for size in UP_TO_64_KIB),
            figures.drops,
        )
    ]


def lam(nodes: int, size: int) -> Point:
    return alltoall(ready_model("procurve2848", nodes), "lam", size)


def mpich(nodes: int, size: int, is_paused: bool = False) -> Point:
    """Its choice on a power of two of nodes."""
    model = with_mpich(ready_model("procurve2848", nodes))
    choice = "bruck" if size <= BRUCK_BYTES else "direct" if size <= MPICH_SHORT_BYTES else "pairwise"
    return alltoall(with_pause(model) if is_paused else model, choice, size)


def speed(outcomes: Sequence[Outcome]) -> float:
    """How many times as fast the second one was, on average: with losses some calls take several timeouts."""
    return outcomes[0].mean_ns / outcomes[1].mean_ns


def critical(outcomes: Sequence[Outcome]) -> float:
    """How many times as large a block the first half of the points needs to lose packets as the second."""
    half = len(outcomes) // 2
    last_without = figures.largest_without_loss(SIZES)
    return last_without(outcomes[:half]) / last_without(outcomes[half:])
