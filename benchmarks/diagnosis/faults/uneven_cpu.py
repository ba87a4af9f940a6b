"""Ranks spread badly over the hosts: more of them than cores on one, cores left on the other."""

from __future__ import annotations

from clearway.testbed import DEEP, Shape
from diagnosis.jobs import Job, workload
from diagnosis.plants import Plant

STEP = workload("--steps 80 --compute-ms 10 --sleep-ms 10 --halo 5000 --allreduce 64")
NODE1_HAS_ONE_CORE = ("sh", "-c", 'if [ $(hostname) = node1 ]; then exec taskset -c 0 "$@"; fi; exec "$@"', "sh")

PLANT = Plant(
    rule="uneven-cpu",
    how="2 hosts: three ranks on node1, which has one core, and one on node2, which has two",
    instead="one rank on each",
    faulty=Job(
        program=(*NODE1_HAS_ONE_CORE, *STEP),
        shape=Shape(hosts=2, rate_bps=100_000_000, buffer_bytes=DEEP),
        per_host=(3, 1),
    ),
    sound=Job(program=(*NODE1_HAS_ONE_CORE, *STEP), shape=Shape(hosts=2, rate_bps=100_000_000, buffer_bytes=DEEP)),
    cost_known=False,
)
