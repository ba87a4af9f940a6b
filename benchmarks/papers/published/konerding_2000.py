"""D. Konerding, "beowulf performance with MPI", Beowulf list, 24 June 2000."""

from __future__ import annotations

from clearway.base import quantities as q
from clearway.predict.models.programs.amber6 import SYSTEMS
from papers import figures, notation
from papers.claim import Assumption, Claim, Null, Paper, exactly
from papers.point import Choice, job, ready_model

STEPS = 20
MPICH = {8: 3.79, 10: 3.99}


def paper() -> Paper:
    return Paper(
        "konerding-2000",
        "AMBER 6 on Fast Ethernet",
        "D. Konerding, Beowulf list, 24 June 2000: DHFR in water, 1,000 steps, dual Pentium III on a 100BT switch",
        (
            "given: the time of a step on one CPU, 5.539 s",
            "assumed: the cluster `fast-ethernet`; MPICH's MPI_Allgatherv goes around a ring",
        ),
        tuple(claim(cpus, published) for cpus, published in MPICH.items()),
        (
            "the same with MPI/Pro, 6.97 and 8.00 times as fast as one CPU: its algorithms are not known",
            "the profile that names MPI_Allgatherv: it gives no figures",
        ),
        assumptions=assumptions(),
    )


def claim(cpus: int, published: float) -> Claim:
    return Claim(
        "table",
        f"DHFR, MPICH, {cpus} CPUs",
        *exactly(published),
        notation.times,
        (job(ready_model("fast-ethernet", cpus // 2), ("amber6", "dhfr"), Choice("direct"), STEPS),),
        figures.speedup(SYSTEMS["dhfr"].serial_ns, STEPS),
        nulls=(Null("speedup = N", (), lambda _: cpus),),
    )


def assumptions() -> tuple[Assumption, ...]:
    model = ready_model("fast-ethernet", 5)
    stack, switch = model.stack, model.network.switch
    assert switch is not None
    assert switch.buffer_bytes is not None
    buffer = switch.buffer_bytes
    return (
        Assumption("buffer of a switch port", "buffer-bytes", buffer, (buffer // 2, 2 * buffer, 4 * buffer), q.bytes_),
        Assumption("CPU time per message", "message-ns", stack.message_ns, (15_000, 60_000), notation.nanoseconds),
        Assumption("CPU time per kilobyte", "kilobyte-ns", stack.kilobyte_ns, (2_500, 10_000), notation.nanoseconds),
        Assumption("TCP's initial window", "initial-window", stack.initial_window, (1, 3), notation.number),
    )
