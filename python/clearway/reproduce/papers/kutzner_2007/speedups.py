"""Speedups of GROMACS 3.3: those of AQP1 in the text, and Table 1, of DPPC."""

from __future__ import annotations

from dataclasses import replace

from clearway.predict.modelled import Modelled
from clearway.reproduce import figures, words
from clearway.reproduce.claim import Claim, exactly
from clearway.reproduce.point import Point, job, ready_model
from clearway.workloads.programs.gromacs33 import SYSTEMS

TEXT, TABLE = "GROMACS Parallel Speedups", "Table 1"
LAM, PAUSED, ORDERED = "LAM", "LAM + flow control", "LAM + ordered all-to-all"
S_BARR_BYTES = {1: 16384, 2: 4096}
CLEAN_STEPS, LOSSY_STEPS = 10, 30  # with losses a step takes between 0 and several timeouts

# CPUs, CPUs of a node: with flow control, in the text.
AQP1 = {(8, 1): 5.7, (16, 1): 8.4, (8, 2): 5.3, (16, 2): 7.8}
# Row, CPUs of a node: 2 (where they are two nodes), 4, 8, 16 and 32 CPUs. Speedups relative to LAM on one CPU.
DPPC = {
    (LAM, 1): (1.96, 2.7, 1.9, 2.0, 1.9),
    (PAUSED, 1): (1.95, 3.70, 6.75, 11.2, 3.8),
    (ORDERED, 1): (1.89, 3.68, 6.43, 10.7, 14.5),
    (LAM, 2): (None, 3.44, 1.8, 2.7, 2.8),
    (PAUSED, 2): (None, 3.44, 6.13, 10.3, 12.7),
    (ORDERED, 2): (None, 3.30, 6.02, 10.2, 11.5),
}
CPUS = (2, 4, 8, 16, 32)

MYRINET = {8: 6.2, 16: 10.0, 32: 12.0}  # CPUs, two a node; the first two decided the workload's serial part

CHANCE = "with losses a step lasts as long as its timeouts, and their number depends on how far ranks are apart"
NO_LOSS = "in the model PAUSE loses nothing; of the real switch the paper reports severe loss here"
LARGE = "what 32 CPUs cannot share is extrapolated from 8 and 16 CPUs over Myrinet, where it is smaller"


def claims() -> list[Claim]:
    return [
        *text_claims(),
        *(claim for (row, per_host), told in DPPC.items() for claim in table_row(row, per_host, told)),
    ]


def text_claims() -> list[Claim]:
    sixteen = point("aqp1", PAUSED, 16, 1)
    return [
        *(
            speedup_claim(TEXT, "aqp1", PAUSED, cpus, per_host, published)
            for (cpus, per_host), published in AQP1.items()
        ),
        speedup_claim(TEXT, "aqp1", LAM, 4, 2, 3.1),
        *(myrinet_claim(cpus, published) for cpus, published in MYRINET.items()),
        Claim(
            TEXT,
            "AQP1, LAM + flow control, 16 nodes: a step",
            *exactly(68),
            words.milliseconds,
            (sixteen,),
            figures.step_ms(CLEAN_STEPS),
            fitted="time of a step on one CPU",
        ),
        Claim(
            "GROMACS … with Ordered All-to-All",
            "AQP1, 16 nodes: ordered by flow control",
            0.95,
            1.0,
            words.times,
            (point("aqp1", ORDERED, 16, 1), sixteen),
            figures.ratio_of_times,
        ),
    ]


def table_row(row: str, per_host: int, told: tuple[float | None, ...]) -> list[Claim]:
    return [
        speedup_claim(TABLE, "dppc", row, cpus, per_host, published)
        for cpus, published in zip(CPUS, told, strict=True)
        if published is not None
    ]


def speedup_claim(where: str, system: str, row: str, cpus: int, per_host: int, published: float) -> Claim:
    nodes = f"{cpus} CPUs, {per_host} a node"
    return Claim(
        where,
        f"{system.upper()}, {row}, {nodes}",
        *exactly(published),
        words.times,
        (point(system, row, cpus, per_host),),
        figures.speedup(SYSTEMS[system].serial_ns, steps_of(row)),
        reason=CHANCE if row == LAM else NO_LOSS if row == PAUSED and per_host == 1 else LARGE,
    )


def myrinet_claim(cpus: int, published: float) -> Claim:
    return Claim(
        "Setup",
        f"AQP1, Myrinet, {cpus} CPUs, 2 a node",
        *exactly(published),
        words.times,
        (job(ready_model("myrinet-2000", cpus // 2), ("gromacs33", "aqp1"), "lam", CLEAN_STEPS),),
        figures.speedup(SYSTEMS["aqp1"].serial_ns, CLEAN_STEPS),
        fitted="serial part of a step" if cpus < 32 else None,
    )


def steps_of(row: str) -> int:
    return LOSSY_STEPS if row == LAM else CLEAN_STEPS


def point(system: str, row: str, cpus: int, per_host: int) -> Point:
    model = ready_model("procurve2848", cpus // per_host, per_host)
    if row == PAUSED:
        model = with_pause(model)
    ordered = "ordered+barrier" if per_host == 1 else "node_ordered+barrier"
    alltoall = ordered if row == ORDERED else "lam"
    return job(model, ("gromacs33", system), alltoall, steps_of(row), S_BARR_BYTES[per_host])


def with_pause(model: Modelled) -> Modelled:
    switch = model.network.switch
    assert switch is not None
    return replace(model, network=replace(model.network, switch=replace(switch, flow_control=True)))
