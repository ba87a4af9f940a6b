#!/usr/bin/env python3
"""How many calls of MPI_Allreduce end long after the last rank has come, where ranks share a machine's cores.

    PYTHONPATH=python:benchmarks .venv/bin/python benchmarks/simulator/late_exits.py --rate 20mbit --jobs 12

Two ranks on two hosts of a testbed compute between the calls. One that the kernel wakes on the core of the other, which
computes again, waits there until that ends. Brings testbeds up, as root. Prints shares of the calls, the least, the
median and the most of all jobs, as docs/simulator-mpis.md tells them; they depend on what else runs.
"""

from __future__ import annotations

import argparse
import tempfile
from pathlib import Path
from statistics import median

import numpy as np
from numpy.typing import NDArray
from simulator.replay_on_testbed import Job, Shape, record

from clearway.run import load

COMPUTE_NS, STEPS = 500_000, 600
LATE_S = 0.4e-3
SCRIPT = f"clearway-script 1\nranks 2\nsteps {STEPS}\nrank 0-1\ncompute {COMPUTE_NS}\nallreduce 8\n"
MPIS = ("mpich", "openmpi")
HEAD = ("MPI", "calls of a job", "late, % of them", "a late one, ms")


def after_the_last_s(run_directory: Path) -> NDArray[np.float64]:
    """By call: how long after both had come the later of the two left it."""
    run = load(run_directory)
    calls = run.collectives
    chosen = np.flatnonzero(run.functions.named("MPI_Allreduce")[calls.function] & calls.whole)
    entered_s = np.maximum.reduceat(run.events.entry_s[calls.events], calls.first[:-1])[chosen]
    left_s = np.maximum.reduceat(run.events.exit_s[calls.events], calls.first[:-1])[chosen]
    taken_s: NDArray[np.float64] = left_s - entered_s
    return taken_s


def row(mpi: str, shape: Shape, jobs: int) -> str:
    job = Job("late exits", mpi, ("clearway-workload", "late.script"))
    shares, longer_ms, numbers = [], [], []
    for number in range(jobs):
        with tempfile.TemporaryDirectory(prefix="clearway-late-") as folder:
            (Path(folder) / "late.script").write_text(SCRIPT)
            taken_s = after_the_last_s(record(job, shape, Path(folder), number))
        late = taken_s > LATE_S
        shares.append(100 * float(late.mean()))
        longer_ms.append(1e3 * float(np.median(taken_s[late])) if late.any() else 0.0)
        numbers.append(len(taken_s))
    told = f"{median(shares):.1f} ({min(shares):.1f} to {max(shares):.1f})"
    return f"| {mpi} | {max(numbers)} | {told} | {median(longer_ms):.2f} |"


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--rate", default="20mbit", help="of the links")
    parser.add_argument("--jobs", type=int, default=12, metavar="N", help="with each MPI")
    arguments = parser.parse_args()
    print(f"| {' | '.join(HEAD)} |\n|{' --- |' * len(HEAD)}", flush=True)
    for mpi in MPIS:
        print(row(mpi, Shape(2, arguments.rate, "deep"), arguments.jobs), flush=True)


if __name__ == "__main__":
    main()
