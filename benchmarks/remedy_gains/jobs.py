"""Planted faults besides those of the diagnosis suite: jobs in which a remedy has something to do."""

from __future__ import annotations

import subprocess
from dataclasses import replace
from pathlib import Path

from diagnosis.jobs import Job, workload
from diagnosis.plants import Plant

from clearway.job.change import Change
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

LARGE_ARRAYS = ("./churn", "40", str(5 << 20))  # of 40 MiB: the C library keeps those up to 32
SMALL_ARRAYS = ("./churn", "400", str(5 << 17))  # of 5 MiB, in ten times as many steps: as much to do


def churn(folder: Path) -> None:
    """Builds churn.c into the working directory."""
    source = Path(__file__).with_name("churn.c")
    subprocess.run(["mpicc.openmpi", "-O2", source, "-o", folder / "churn"], check=True, timeout=60)


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
        how="4 ranks on 2 cores, of which one at a time computes; Open MPI is told that there are four slots, so that "
        "those that wait do not yield",
        instead="it is told to yield",
        faulty=replace(WAITING, change=SLOTS),
        sound=replace(WAITING, change=replace(SLOTS, parameters=(("mpi_yield_when_idle", "1"),))),
    ),
    "large-arrays": Plant(
        rule="memory-churn",
        how="2 ranks free and allocate eight arrays of 40 MiB in each step",
        instead="arrays of 5 MiB, which the C library keeps",
        faulty=Job(program=LARGE_ARRAYS, prepare=churn),
        sound=Job(program=SMALL_ARRAYS, prepare=churn),
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
