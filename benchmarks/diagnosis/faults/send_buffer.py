"""Send buffers smaller than what the link holds."""

from __future__ import annotations

from dataclasses import replace

from clearway.job.change import Change
from clearway.testbed import DEEP, Shape
from diagnosis.jobs import Job, workload
from diagnosis.plants import Plant

SOUND = Job(
    program=workload("--steps 30 --sleep-ms 20 --halo 200000"),
    shape=Shape(hosts=2, rate_bps=50_000_000, buffer_bytes=DEEP, latency_us=5000),
)

PLANT = Plant(
    rule="send-buffer",
    how="2 hosts, 50 Mbit/s, 10 ms round trip: 62 kB are in flight; Open MPI is told to use send buffers of 16 kB",
    instead="the kernel chooses",
    faulty=replace(SOUND, change=Change(parameters=(("btl_tcp_sndbuf", "16384"),))),
    sound=SOUND,
)
