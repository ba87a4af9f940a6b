"""HPC Advisory Council, "NAMD: Performance Benchmark and Profiling", February 2012."""

from __future__ import annotations

from clearway.base import quantities as q
from clearway.predict.models import make_script
from papers import figures, notation
from papers.claim import Claim, Paper, at_least, exactly
from papers.point import Choice, Point, job, ready_model

WHERE = "NAMD Performance – Interconnects"
CORES = 64
WORKLOAD = ("namd", "apoa1")
GIGABIT, TEN, INFINIBAND = "gigabit", "ten-gigabit", "infiniband-fdr"
PLATFORM_GAIN = {"apoa1": 0.08, "f1atpase": 0.13}
SLOWER = "the model's 10 GbE has a current switch and Linux; the slides do not describe those of 2012"


def paper() -> Paper:
    return Paper(
        "hpc-advisory-council-2012",
        "NAMD on Ethernet and InfiniBand",
        "HPC Advisory Council, NAMD: Performance Benchmark and Profiling, February 2012: ApoA1, nodes of 64 cores",
        (
            "nothing was fitted",
            "assumed: the clusters `gigabit`, `ten-gigabit` and `infiniband-fdr`, and the workload `namd`",
        ),
        (
            claim("1 GbE: speed, 3 nodes ÷ 2 nodes (plummets)", 0, 1, speeds(GIGABIT, 2, 3)),
            claim("10 GbE: speed, 4 nodes ÷ 2 nodes (no gain)", 0, 1, speeds(TEN, 2, 4)),
            claim("InfiniBand: speed, 4 nodes ÷ 2 nodes", *at_least(1), speeds(INFINIBAND, 2, 4)),
            claim("InfiniBand: speed, 7 nodes ÷ 4 nodes", *at_least(1), speeds(INFINIBAND, 4, 7)),
            claim("7 nodes: speed, InfiniBand ÷ 10 GbE", 4, 5, (point(TEN, 7), point(INFINIBAND, 7)), SLOWER),
            *(platform_claim(system, published) for system, published in PLATFORM_GAIN.items()),
            *(mpi_claim(nodes) for nodes in (3, 7)),
            Claim("NAMD Profiling – MPI Message Sizes", "7 nodes: share of messages of 4 to 16 kB (the majority)",
                  0.5, 1, q.percent, (), lambda _: share_of_usual_sizes(7)),
            Claim("NAMD Profiling – Data Transfer Per Process", "bytes sent per rank, 1 node ÷ 4 nodes",
                  300 / 200, 600 / 150, notation.times, (), lambda _: bytes_of_a_rank(1) / bytes_of_a_rank(4)),
        ),
        (
            "the heights of bars: the slides give no numbers",
            "processors, flags of the MPIs, XRC and SRQ: their effects are not modelled",
            "numbers of MPI calls: they include MPI_Iprobe, which the model does not call",
        ),
    )  # fmt: skip


def platform_claim(system: str, published: float) -> Claim:
    """On the same network, with the same messages: a model that knows no library's inside sees no difference."""
    same = job(ready_model(INFINIBAND, 7, CORES), ("namd", system), Choice("direct"), 1)
    return Claim(
        "NAMD Performance – MPI Implementations",
        f"{system}, 7 nodes: Platform MPI is faster than Open MPI by",
        *exactly(published),
        q.percent,
        (same, same),
        lambda outcomes: figures.ratio_of_speeds(outcomes) - 1,
        reason="in the model two MPIs differ only in their eager limits and algorithms, which the slides do not give",
        is_unseen=True,
    )


def mpi_claim(nodes: int) -> Claim:
    return Claim(
        "NAMD Profiling – MPI/User Time Ratio",
        f"{nodes} nodes, InfiniBand: time in MPI ÷ user time (MPI dominates)",
        *at_least(1),
        notation.times,
        (point(INFINIBAND, nodes),),
        figures.mpi_by_computing,
        is_unseen=True,
    )


def sent_by(nodes: int) -> list[tuple[int, int]]:
    """Of a cycle of apoa1's: how often, and how many bytes."""
    script = make_script(*WORKLOAD, nodes * CORES, 1.0, 1)
    sends = [(ranks, each) for ranks, each in script.activities() if each.kind == "isend"]
    return [(ranks * each.copies, each.bytes) for ranks, each in sends]


def share_of_usual_sizes(nodes: int) -> float:
    sent = sent_by(nodes)
    return sum(often for often, size in sent if 4096 <= size <= 16384) / sum(often for often, _ in sent)


def bytes_of_a_rank(nodes: int) -> float:
    return sum(often * size for often, size in sent_by(nodes)) / (nodes * CORES)


def claim(what: str, low: float, high: float, points: tuple[Point, Point], reason: str | None = None) -> Claim:
    """How many times as fast the second point is."""
    return Claim(WHERE, what, low, high, notation.times, points, figures.ratio_of_speeds, reason=reason)


def speeds(cluster: str, before: int, after: int) -> tuple[Point, Point]:
    return point(cluster, before), point(cluster, after)


def point(cluster: str, nodes: int) -> Point:
    """A cycle of NAMD's time steps."""
    return job(ready_model(cluster, nodes, CORES), WORKLOAD, Choice("direct"), 1)
