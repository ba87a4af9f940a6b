#!/usr/bin/env python3
"""How many calls of MPI_Allreduce end long after the last rank has come, where ranks share a machine's cores.

    PYTHONPATH=python:benchmarks .venv/bin/python benchmarks/simulator/late_exits.py

Two ranks on two hosts of a testbed compute between the calls. One that the kernel wakes on the core of the other, which
computes again, waits there until that ends. Brings testbeds up, as root; quiet machines only. Prints a table of
docs/simulator.md.
"""

from __future__ import annotations

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
TWO = Shape(2, "1gbit", "deep")
MPIS = ("mpich", "openmpi")
REPETITIONS = 3
HEAD = ("MPI", "calls", "late, % of them", "a late one, ms")


def after_the_last_s(run_directory: Path) -> NDArray[np.float64]:
    """By call: how long after both had come the later of the two left it."""
    run = load(run_directory)
    calls = run.collectives
    chosen = np.flatnonzero(run.functions.named("MPI_Allreduce")[calls.function] & calls.whole)
    entered_s = np.maximum.reduceat(run.events.entry_s[calls.events], calls.first[:-1])[chosen]
    left_s = np.maximum.reduceat(run.events.exit_s[calls.events], calls.first[:-1])[chosen]
    taken_s: NDArray[np.float64] = left_s - entered_s
    return taken_s


def row(mpi: str) -> str:
    job = Job("late exits", mpi, ("clearway-workload", "late.script"))
    shares, longer_ms, numbers = [], [], []
    for repetition in range(REPETITIONS):
        with tempfile.TemporaryDirectory(prefix="clearway-late-") as folder:
            (Path(folder) / "late.script").write_text(SCRIPT)
            taken_s = after_the_last_s(record(job, TWO, Path(folder), repetition))
        late = taken_s > LATE_S
        shares.append(100 * float(late.mean()))
        longer_ms.append(1e3 * float(np.median(taken_s[late])) if late.any() else 0.0)
        numbers.append(len(taken_s))
    told = f"{median(shares):.1f} ({min(shares):.1f} to {max(shares):.1f})"
    return f"| {mpi} | {max(numbers)} | {told} | {median(longer_ms):.2f} |"


def main() -> None:
    print(f"| {' | '.join(HEAD)} |\n|{' --- |' * len(HEAD)}", flush=True)
    for mpi in MPIS:
        print(row(mpi), flush=True)


if __name__ == "__main__":
    main()
