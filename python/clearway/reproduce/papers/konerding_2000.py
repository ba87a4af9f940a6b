"""D. Konerding, "beowulf performance with MPI", Beowulf list, 24 June 2000."""

from __future__ import annotations

from clearway.reproduce import figures, words
from clearway.reproduce.claim import Claim, Paper, exactly
from clearway.reproduce.point import Choice, job, ready_model
from clearway.workloads.programs.amber6 import SYSTEMS

STEPS = 20
MPICH = {8: 3.79, 10: 3.99}


def paper() -> Paper:
    return Paper(
        "konerding-2000",
        "AMBER 6 on Fast Ethernet",
        "D. Konerding, Beowulf list, 24 June 2000: DHFR in water, 1,000 steps, dual Pentium III on a 100BT switch",
        (
            "nothing was fitted but the time of a step on one CPU, 5.539 s, which the post gives",
            "assumed: as the cluster `fast-ethernet` says; MPICH's MPI_Allgatherv goes around a ring",
        ),
        tuple(claim(cpus, published) for cpus, published in MPICH.items()),
        (
            "the same with MPI/Pro, 6.97 and 8.00 times as fast as one CPU: its algorithms are not known",
            "the profile that names MPI_Allgatherv: it has no figures",
        ),
    )


def claim(cpus: int, published: float) -> Claim:
    return Claim(
        "table",
        f"DHFR, MPICH, {cpus} CPUs",
        *exactly(published),
        words.times,
        (job(ready_model("fast-ethernet", cpus // 2), ("amber6", "dhfr"), Choice("direct"), STEPS),),
        figures.speedup(SYSTEMS["dhfr"].serial_ns, STEPS),
    )
