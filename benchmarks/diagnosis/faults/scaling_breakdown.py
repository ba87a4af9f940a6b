"""More hosts than the network can feed: half of them would be as fast."""

from __future__ import annotations

from clearway.testbed import DEEP, Shape
from diagnosis.jobs import Job, workload
from diagnosis.plants import Plant


def on(hosts: int) -> Job:
    """The same step on that many hosts: what is computed is divided, what is sent is not."""
    return Job(
        program=workload("--steps 30 --sleep-ms 160 --divided 1 --alltoall 15000"),
        shape=Shape(hosts=hosts, rate_bps=20_000_000, buffer_bytes=DEEP),
    )


PLANT = Plant(
    rule="scaling-breakdown",
    how="8 hosts divide what one would compute in 160 ms, and each sends 15 kB to each other; compared with "
    "the same job on 2 and 4 hosts",
    instead="2 hosts alone",
    faulty=on(8),
    others=(on(2), on(4)),
    sound=on(2),
    cost_known=False,
)
