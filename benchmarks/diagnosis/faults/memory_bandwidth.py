"""Ranks go through arrays that fit into no cache, faster than memory brings them."""

from __future__ import annotations

from dataclasses import replace

from diagnosis.jobs import Job, workload
from diagnosis.plants import Plant

MIB = 1 << 20


def on(ranks: int, sweeps: int, sweep_bytes: int, compute_ms: int = 0) -> Job:
    step = f"--steps 150 --allreduce 64 --compute-ms {compute_ms} --sweeps {sweeps} --sweep {sweep_bytes}"
    return Job(program=workload(step), ranks=ranks)


PLANT = Plant(
    rule="memory-bandwidth",
    how="2 ranks read and write an array of 256 MiB each in each step; looked at together with the same job on 1 rank",
    instead="an array of 256 KiB each, 1,024 times",
    faulty=on(2, 1, 256 * MIB),
    others=(on(1, 1, 256 * MIB),),
    sound=on(2, 1024, MIB // 4),
    others_of_sound=(on(1, 1024, MIB // 4),),
    cost_known=False,  # what the two jobs take is not the same without the fault, either
    quick=False,
)

HARD = replace(
    PLANT,
    how="the same, and each computes 5 ms a step besides, from its registers",
    faulty=on(2, 1, 256 * MIB, compute_ms=5),
    others=(on(1, 1, 256 * MIB, compute_ms=5),),
    sound=on(2, 1024, MIB // 4, compute_ms=5),
    others_of_sound=(on(1, 1024, MIB // 4, compute_ms=5),),
)
