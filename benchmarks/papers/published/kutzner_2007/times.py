"""How long an all-to-all takes where nothing is lost."""

from __future__ import annotations

from papers import figures, notation
from papers.claim import Claim, exactly
from papers.point import alltoall, ready_model
from papers.published.kutzner_2007.rows import with_mpich

WHERE = "Ordered All-to-All Communication"
TREE = """\
the model's barrier is dissemination, in 5 rounds; LAM's goes 5 levels up a tree and 5 down, at 25 µs each in the \
paper; in the model that would be 42 µs each, since an empty message costs as much as one with data"""
SMALL_BYTES = 256  # "for S < 512 bytes"
LARGE_BYTES = 1 << 20  # where T_asym is reached


def claims() -> list[Claim]:
    hosts = ready_model("procurve2848", 32)
    mpich = with_mpich(hosts)
    lam, ordered, barrier = (alltoall(hosts, name, SMALL_BYTES) for name in ("lam", "ordered", "ordered+barrier"))
    return [
        Claim(
            WHERE,
            "ordered, small S, 32 nodes",
            *exactly(1.4),
            notation.milliseconds,
            (ordered,),
            figures.call_ms,
            fitted="latency, time for a message",
        ),
        Claim(
            WHERE,
            "MPI_Alltoall is faster by",
            *exactly(2),
            notation.times,
            (lam, ordered),
            figures.ratio_of_times,
            fitted="latency, time for a message",
        ),
        Claim(
            WHERE,
            "ordered with barriers, small S, 32 nodes",
            *exactly(9.2),
            notation.milliseconds,
            (barrier,),
            figures.call_ms,
            reason=TREE,
        ),
        Claim(
            WHERE,
            "gain from leaving out the barrier",
            *exactly(6),
            notation.times,
            (ordered, barrier),
            figures.ratio_of_times,
            uncounted="the ratio of the two times above",
        ),
        Claim(
            WHERE,
            "T_asym, ordered, 32 nodes",
            *exactly(90),
            notation.mib_per_s,
            (alltoall(hosts, "ordered+barrier", LARGE_BYTES),),
            figures.throughput_mib_per_s(32, LARGE_BYTES),
        ),
        Claim(
            WHERE,
            "T_asym, MPI_Alltoall of MPICH, 32 nodes",
            *exactly(60),
            notation.mib_per_s,
            (alltoall(mpich, "pairwise", LARGE_BYTES),),
            figures.throughput_mib_per_s(32, LARGE_BYTES),
            reason="without barriers, the exchange between pairs of nodes gets out of step in the model",
        ),
        Claim(
            WHERE,
            "MPI_Alltoall of MPICH (Bruck's) is faster by, small S, 32 nodes",
            *exactly(2),
            notation.times,
            (alltoall(mpich, "bruck", SMALL_BYTES), ordered),
            figures.ratio_of_times,
            is_unseen=True,
        ),
        Claim(
            "Systematic Tests",
            "T_max, for frames of 1,526 bytes with 1,500 bytes of data",
            *exactly(117),
            notation.mib_per_s,
            (alltoall(ready_model("procurve2848", 2), "ordered", LARGE_BYTES),),
            figures.throughput_mib_per_s(2, LARGE_BYTES),
            uncounted="calculated in the paper, not measured",
        ),
    ]
