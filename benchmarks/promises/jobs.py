"""Planted faults besides those of the diagnosis suite: jobs in which a remedy has something to do."""

from __future__ import annotations

from dataclasses import replace

from diagnosis.jobs import Job, workload
from diagnosis.plants import Plant

from clearway.launch.change import Change
from clearway.testbed import DEEP, Shape

SMALL_PORTS = Shape(hosts=8, rate_bps=20_000_000, buffer_bytes=20_000)


def all_to_all(block_bytes: int, steps: int) -> Plant:
    """Large blocks, which the MPI's own algorithm loses packets of."""
    faulty = Job(program=workload(f"--steps {steps} --sleep-ms 20 --alltoall {block_bytes}"), shape=SMALL_PORTS)
    return Plant(
        rule="congestion-loss",
        how=f"8 hosts, links of 20 Mbit/s, ports of 20 kB; all-to-alls with blocks of {block_bytes:,} bytes",
        instead="no port ever drops",
        faulty=faulty,
        sound=replace(faulty, shape=replace(SMALL_PORTS, buffer_bytes=DEEP)),
    )


WAITING = Job(program=workload("--steps 60 --turn-ms 10 --halo 10000 --allreduce 64"), ranks=4)
SLOTS = Change(launcher_options=("--host", "localhost:4"))
COMPUTING = Job(program=workload("--steps 200 --compute-ms 10 --halo 10000 --allreduce 64"))

LARGE_BLOCKS = all_to_all(100_000, 10)
MIDDLING_BLOCKS = all_to_all(40_000, 15)
BRUCK = Change(parameters=(("coll_tuned_use_dynamic_rules", "1"), ("coll_tuned_alltoall_algorithm", "3")))

PLANTS = {
    "large-blocks": LARGE_BLOCKS,
    "bruck": replace(
        MIDDLING_BLOCKS,
        rule="naive-collective",
        how="the same with blocks of 40,000 bytes; Open MPI is told to use Bruck's algorithm",
        faulty=replace(MIDDLING_BLOCKS.faulty, change=BRUCK),
        instead="it chooses itself",
        sound=MIDDLING_BLOCKS.faulty,
    ),
    "busy-waiting": Plant(
        rule="polling",
        how="4 ranks on 2 cores, of which one in turn computes; Open MPI is told that there are four slots, so that "
        "those that wait do not yield",
        instead="it is told to yield",
        faulty=replace(WAITING, change=SLOTS),
        sound=replace(WAITING, change=replace(SLOTS, parameters=(("mpi_yield_when_idle", "1"),))),
    ),
    "one-core": Plant(
        rule="shared-core",
        how="2 ranks that MPICH is told to keep on core 0 (`-bind-to user:0,0`)",
        instead="each on its own",
        faulty=replace(COMPUTING, change=Change(launcher_options=("-bind-to", "user:0,0"))),
        sound=replace(COMPUTING, change=Change(launcher_options=("-bind-to", "core"))),
        mpis=("mpich",),
    ),
}
