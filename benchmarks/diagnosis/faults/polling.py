"""Ranks that ask without a pause whether a message has come, on cores that others need."""

from __future__ import annotations

from dataclasses import replace

from diagnosis.jobs import Job, workload
from diagnosis.plants import Plant

STEP = "--steps 150 --turn-ms 10 --compute-ms 1 --halo 10000 --poll 1"
FAULTY = Job(program=workload(STEP), ranks=4)

PLANT = Plant(
    rule="polling",
    how="4 ranks on 2 cores; one at a time computes while the others call MPI_Iprobe without a pause",
    instead="they sleep 0.2 ms between two calls",
    faulty=FAULTY,
    sound=replace(FAULTY, program=workload(f"{STEP} --poll-pause-us 200")),
    # Four ranks do share two cores, and do compute in turns; those that sleep do so when the message has come, too.
    besides=frozenset({"shared-core", "load-imbalance", "blocked"}),
    cost_known=False,  # ranks that sleep are late, too
)
