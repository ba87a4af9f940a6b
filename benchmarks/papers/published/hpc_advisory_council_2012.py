"""HPC Advisory Council, "NAMD: Performance Benchmark and Profiling", February 2012."""

from __future__ import annotations

from papers import figures, notation
from papers.claim import Claim, Paper, at_least
from papers.point import Choice, Point, job, ready_model

WHERE = "NAMD Performance – Interconnects"
CORES = 64
WORKLOAD = ("namd", "apoa1")
GIGABIT, TEN, INFINIBAND = "gigabit", "ten-gigabit", "infiniband-fdr"
SLOWER = "the model's 10 GbE has a switch and a Linux of today; of those of 2012 the slides say nothing"


def paper() -> Paper:
    return Paper(
        "hpc-advisory-council-2012",
        "NAMD on Ethernet and InfiniBand",
        "HPC Advisory Council, NAMD: Performance Benchmark and Profiling, February 2012: ApoA1, nodes of 64 cores",
        (
            "nothing was fitted",
            "assumed: what the clusters gigabit, ten-gigabit and infiniband-fdr say, and the workload namd",
        ),
        (
            claim("1 GbE: speed on 3 nodes, by that on 2 (plummets)", 0, 1, speeds(GIGABIT, 2, 3)),
            claim("10 GbE: speed on 4 nodes, by that on 2 (no gain)", 0, 1, speeds(TEN, 2, 4)),
            claim("InfiniBand: speed on 4 nodes, by that on 2", *at_least(1), speeds(INFINIBAND, 2, 4)),
            claim("InfiniBand: speed on 7 nodes, by that on 4", *at_least(1), speeds(INFINIBAND, 4, 7)),
            claim("7 nodes: InfiniBand by 10 GbE", 4, 5, (point(TEN, 7), point(INFINIBAND, 7)), SLOWER),
        ),
        (
            "the heights of bars: the slides have no numbers for them",
            "processors, flags of the MPIs, XRC and SRQ: no model of what they change",
            "numbers of MPI calls: they count MPI_Iprobe, which a model has no use for",
        ),
    )


def claim(what: str, low: float, high: float, points: tuple[Point, Point], reason: str | None = None) -> Claim:
    """How many times as fast the second point is."""
    return Claim(WHERE, what, low, high, notation.times, points, figures.ratio_of_speeds, reason=reason)


def speeds(cluster: str, before: int, after: int) -> tuple[Point, Point]:
    return point(cluster, before), point(cluster, after)


def point(cluster: str, nodes: int) -> Point:
    """A cycle of NAMD's time steps."""
    return job(ready_model(cluster, nodes, CORES), WORKLOAD, Choice("direct"), 1)
