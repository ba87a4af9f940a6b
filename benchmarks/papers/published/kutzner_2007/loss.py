"""From which size on packets are lost, and what a loss costs."""

from __future__ import annotations

from clearway.base import quantities as q
from clearway.predict.models.grids import SINGLE_COMPLEX, divisible, transpose_bytes
from clearway.predict.models.programs.gromacs33 import SYSTEMS
from papers import figures, notation
from papers.claim import Claim, at_least, exactly
from papers.point import alltoall, ready_model

ORDERED, SPEEDUPS, TESTS = "Ordered All-to-All Communication", "GROMACS Parallel Speedups", "Systematic Tests"
AROUND_S_BARR = [1 << power for power in range(10, 17)]  # 1 KiB to 64 KiB
TO_THE_COLLAPSE = [1 << power for power in range(8, 19)]
ANY_SIZE = [1 << power for power in range(8, 21, 2)]


def claims() -> list[Claim]:
    single, dual = ready_model("procurve2848", 32), ready_model("procurve2848", 32, 2)
    pair, three, eight = (ready_model("procurve2848", *of) for of in ((2, 2), (3, 2), (8, 1)))
    on_six_bytes = transpose_bytes(divisible(SYSTEMS["aqp1"].grid, 6), 6, SINGLE_COMPLEX)
    return [
        Claim(
            ORDERED,
            "S_barr: largest S that needs no barrier",
            *exactly(16384),
            q.bytes_,
            tuple(alltoall(single, "ordered", size) for size in AROUND_S_BARR),
            figures.largest_without_loss(AROUND_S_BARR),
            fitted="port buffers",
        ),
        Claim(
            ORDERED,
            "S_barr of dual-CPU nodes",
            *exactly(4096),
            q.bytes_,
            tuple(alltoall(dual, "node_ordered", size) for size in AROUND_S_BARR),
            figures.largest_without_loss(AROUND_S_BARR),
        ),
        Claim(
            ORDERED,
            "packets lost, ordered, barriers, 8 to 32 nodes",
            *exactly(0),
            notation.number,
            tuple(
                alltoall(ready_model("procurve2848", hosts), "ordered+barrier", size)
                for hosts in (8, 16, 32)
                for size in ANY_SIZE
            ),
            figures.drops,
        ),
        Claim(
            ORDERED,
            "packets lost, ordered by nodes, barriers, 4 to 16 dual-CPU nodes",
            *exactly(0),
            notation.number,
            tuple(
                alltoall(ready_model("procurve2848", hosts, 2), "node_ordered+barrier", size)
                for hosts in (4, 8, 16)
                for size in ANY_SIZE
            ),
            figures.drops,
        ),
        Claim(
            TESTS,
            "packets lost, LAM, two dual-CPU nodes",
            *exactly(0),
            notation.number,
            tuple(alltoall(pair, "lam", size) for size in ANY_SIZE),
            figures.drops,
        ),
        Claim(
            TESTS,
            "LAM, 8 nodes: fall of throughput at the critical S",
            *at_least(10),
            notation.times,
            tuple(alltoall(eight, "lam", size) for size in TO_THE_COLLAPSE),
            figures.steepest_fall(TO_THE_COLLAPSE),
        ),
        Claim(
            SPEEDUPS,
            "LAM, 6 CPUs, AQP1: time of a delayed call",
            200,
            250,
            notation.milliseconds,
            (alltoall(three, "lam", on_six_bytes),),
            figures.stalled_ms,
        ),
    ]
