#!/usr/bin/env python3
"""One collective operation of Open MPI at a time, replayed on the network it ran on with either MPI's algorithms.

    PYTHONPATH=python:benchmarks .venv/bin/python benchmarks/simulator/replay_of_collectives.py

Brings testbeds up, as root; prints a table of docs/predict-benchmark.md: predicted ÷ recorded.
"""

from __future__ import annotations

import tempfile
from pathlib import Path
from statistics import median

from simulator.replay_on_testbed import DIRECT, SLOW, Job, record, replay

REPETITIONS = 3
CALLS = {  # of a step, and how many steps
    "bcast 0 20000": 12,
    "bcast 0 100000": 12,
    "bcast 0 1200000": 2,
    "reduce 0 20000": 12,
    "reduce 0 100000": 12,
    "allreduce 5000": 12,
    "barrier": 12,
}
JOB = Job("collective", "openmpi", ("clearway-workload", "collective.script"), DIRECT)
LIBRARIES = ("openmpi", "mpich")
HEAD = ("call", "recorded, ms", "with Open MPI's algorithms", "with MPICH's")


def script(call: str, steps: int) -> str:
    head = f"clearway-script 1\nranks {SLOW.hosts}\nsteps {steps}\nrank 0-{SLOW.hosts - 1}\n"
    return f"{head}compute 1000000\n{call}\nallreduce 8\n"


def row(call: str, steps: int) -> str:
    recorded_ms: list[float] = []
    ratios: dict[str, list[float]] = {library: [] for library in LIBRARIES}
    for repetition in range(REPETITIONS):
        with tempfile.TemporaryDirectory(prefix="clearway-replay-") as folder:
            (Path(folder) / "collective.script").write_text(script(call, steps))
            run = record(JOB, SLOW, Path(folder), repetition)
            for library in LIBRARIES:
                told = replay(JOB, run, SLOW, "--set", f"mpi.collectives={library}")
                ratios[library].append(told["points"][0]["duration_ns"] / told["recorded_ns"])
        recorded_ms.append(told["recorded_ns"] * 1e-6)
    cells = [spread(ratios[library], "{:.2f}") for library in LIBRARIES]
    return f"| {' | '.join([f'`{call}`', spread(recorded_ms, '{:.0f}'), *cells])} |"


def spread(values: list[float], form: str) -> str:
    return f"{form.format(median(values))} ({form.format(min(values))} to {form.format(max(values))})"


def main() -> None:
    print(f"| {' | '.join(HEAD)} |\n|{' --- |' * len(HEAD)}", flush=True)
    for call, steps in CALLS.items():
        print(row(call, steps), flush=True)


if __name__ == "__main__":
    main()
