"""Speedups of GROMACS 3.3 with AQP1, which the text gives (Fig. 1)."""

from __future__ import annotations

from dataclasses import replace

from clearway.predict.models.programs.gromacs33 import SYSTEMS
from papers import figures, notation
from papers.claim import Claim, Null, exactly
from papers.point import Choice, job, ready_model
from papers.published.kutzner_2007.rows import CLEAN_STEPS, LAM, ORDERED, PAUSED, point, speedup_claim

TEXT = "GROMACS Parallel Speedups"
# CPUs, CPUs of a node: with flow control.
SPEEDUPS = {(8, 1): 5.7, (16, 1): 8.4, (8, 2): 5.3, (16, 2): 7.8}
MYRINET = {8: 6.2, 16: 10.0, 32: 12.0}  # CPUs, two a node; the first two decided the workload's serial part

YOUNG = """\
in the model the first eight steps lose packets, until the connections' windows hold a message: a tenth of the paper's \
100 steps, nearly all of the 10 that are simulated"""


def claims() -> list[Claim]:
    sixteen = point("aqp1", PAUSED, 16, 1)
    return [
        *(
            replace(
                speedup_claim(TEXT, "aqp1", PAUSED, cpus, per_host, published, None),
                uncounted="the fitted 68 ms again" if (cpus, per_host) == (16, 1) else None,
            )
            for (cpus, per_host), published in SPEEDUPS.items()
        ),
        speedup_claim(TEXT, "aqp1", LAM, 4, 2, 3.1, None),
        *(myrinet_claim(cpus, published) for cpus, published in MYRINET.items()),
        Claim(
            TEXT,
            "AQP1, LAM + flow control, 16 nodes: a step",
            *exactly(68),
            notation.milliseconds,
            (sixteen,),
            figures.step_ms(CLEAN_STEPS),
            fitted="time of a step on one CPU",
        ),
        Claim(
            "GROMACS … with Ordered All-to-All",
            "AQP1, 16 nodes: ordered ÷ flow control",
            0.95,
            1.0,
            notation.times,
            (point("aqp1", ORDERED, 16, 1), sixteen),
            figures.ratio_of_times,
            reason=YOUNG,
        ),
    ]


def myrinet_claim(cpus: int, published: float) -> Claim:
    """On a cluster of Xeons, relative to one CPU there."""
    return Claim(
        "Setup",
        f"AQP1, Myrinet, {cpus} CPUs, 2 a node",
        *exactly(published),
        notation.times,
        (job(ready_model("myrinet-2000", cpus // 2), ("gromacs33", "aqp1"), Choice("direct"), CLEAN_STEPS),),
        figures.speedup(SYSTEMS["aqp1"].serial_ns, CLEAN_STEPS),
        fitted="serial part of a step" if cpus < 32 else None,
        nulls=(Null("speedup = N", (), lambda _: cpus),),
    )
