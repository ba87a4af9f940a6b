#!/usr/bin/env python3
"""Recorded jobs, replayed for the network they ran on and for another, beside what they really took there.

    PYTHONPATH=python:benchmarks .venv/bin/python benchmarks/simulator/replay_on_testbed.py --only GROMACS

Brings testbeds up, as root; prints the last table of docs/predict-benchmark.md. Quiet machines only: ranks share the
cores. The three testbeds take turns. Of three recordings the one of median length counts; in brackets the least and
the most of all three. The last column is for comparison: a job that takes as long as it took where it was recorded, as
measured.
"""

from __future__ import annotations

import argparse
import json
import os
import shutil
import subprocess
import sys
import tempfile
from collections.abc import Sequence
from dataclasses import dataclass
from itertools import product
from pathlib import Path
from statistics import median
from typing import Any

from flow_programs import inputs
from races.jobs import MDRUN, melt, water, with_changes

LIMIT_S = 85
REPETITIONS = 3

SCRIPT = """\
clearway-script 1
title exchange
ranks {hosts}
steps 12
rank 0-{last}
compute 2000000
sendrecv +1 30000 -1 30000
alltoall 30000
allreduce 800
"""

MELT_STEPS = 60
CELL = (("celldm(1) = 24.0", "celldm(1) = 14.0"),)  # of pw.x
HEAD = (
    *("job", "recorded on", "replayed for", "measured there, ms"),
    *("predicted, ms", "ratio", "with --no-core-wait, ms", "ratio", "as recorded"),
)


@dataclass(frozen=True)
class Shape:
    hosts: int
    rate: str
    buffer: str

    def __str__(self) -> str:
        return f"{self.hosts} hosts, {self.rate.replace('mbit', ' Mbit/s')}, buffers {self.buffer}"


@dataclass(frozen=True)
class Job:
    name: str
    mpi: str
    command: tuple[str, ...]  # in a folder with its inputs
    options: tuple[str, ...] = ("--alltoall", "ordered")  # what the MPI takes for these sizes, as far as we have it


SLOW, FAST, SHALLOW = Shape(4, "20mbit", "deep"), Shape(4, "60mbit", "deep"), Shape(4, "30mbit", "64k")
LARGE = Shape(8, "20mbit", "64k")
PAIRS = tuple(product((SLOW, FAST, SHALLOW), repeat=2))  # recorded, predicted for
EXCHANGE = ("clearway-workload", "{hosts}.script")
# What Open MPI does with blocks of these sizes on four ranks (coll/tuned).
DIRECT = ("--alltoall", "direct")
# UCX's limit over TCP, how it ends a longer message, and what messages cost (docs/simulator-mpis.md, "Five MPIs").
UCX_KEYS = ("mpi.confirms=true", "mpi.header=13", "mpi.message=4us")
AS_UCX = ("--alltoall", "direct", "--eager", "18000", *(word for key in UCX_KEYS for word in ("--set", key)))
JOBS = {
    Job("exchange, Open MPI", "openmpi", EXCHANGE): (*PAIRS, (LARGE, LARGE)),
    Job("exchange, MPICH", "mpich", EXCHANGE, AS_UCX): PAIRS,
    Job("LAMMPS, 16,384 atoms", "openmpi", ("lmp", "-in", "in.melt", "-log", "none")): PAIRS,
    Job("GROMACS, water, NVT", "openmpi", (*MDRUN, "-nsteps", "100", "-notunepme", "-npme", "0")): PAIRS,
    Job("pw.x, water in a cell", "openmpi", ("pw.x", "-in", "water.pw"), DIRECT): PAIRS,
    Job("CP2K, 32 molecules of water", "openmpi", ("cp2k.psmp", "-i", "water.cp2k"), DIRECT): PAIRS,
}


def tool(name: str) -> str:
    """As built: $CLEARWAY_BIN, else the PATH."""
    found = shutil.which(name, path=os.environ.get("CLEARWAY_BIN")) or shutil.which(name)
    if found is None:
        sys.exit(f"error: {name} is not on the PATH\n\nhint: make build; PATH=.venv/bin:$PATH")
    return found


def write_inputs(folder: Path) -> None:
    for hosts in {SLOW.hosts, LARGE.hosts}:
        (folder / f"{hosts}.script").write_text(SCRIPT.format(hosts=hosts, last=hosts - 1))
    melt(folder, MELT_STEPS)
    water(folder)
    inputs.espresso("water.pw")(folder)
    with_changes(folder / "water.pw", CELL)
    inputs.cp2k(folder)


def record(job: Job, shape: Shape, folder: Path, repetition: int) -> Path:
    run = folder / f"{job.name}-{shape.hosts}-{shape.rate}-{repetition}"
    program, *arguments = (word.format(hosts=shape.hosts) for word in job.command)
    testbed = [tool("clearway"), "testbed", "run", "--mpi", job.mpi, "--hosts", str(shape.hosts), "--rate", shape.rate]
    recorded = [tool("clearway-record"), "--timeline", "-o", str(run), tool(program), *arguments]
    command = [*testbed, "--buffer", shape.buffer, "--timeout", str(LIMIT_S), "--", *recorded]
    environment = {**os.environ, "OMP_NUM_THREADS": "1"}
    nowhere = subprocess.DEVNULL
    subprocess.run(command, check=True, cwd=folder, env=environment, stdout=nowhere, stderr=nowhere)
    return run


def replay(job: Job, run: Path, shape: Shape, *more: str) -> dict[str, Any]:
    cluster = ("--cluster", "testbed", "--hosts", str(shape.hosts), "--rate", shape.rate, "--buffer", shape.buffer)
    command = [tool("clearway"), "predict", "--from", str(run), *cluster, *job.options, *more, "--quiet", "--json", "-"]
    told: dict[str, Any] = json.loads(subprocess.run(command, check=True, capture_output=True, text=True).stdout)
    return told


def measure(job: Job, folder: Path) -> None:
    pairs = JOBS[job]
    took = recordings(job, list(dict.fromkeys(source for source, _ in pairs)), folder)
    for source, target in pairs:
        measured_ms = [recorded_ms for recorded_ms, _ in took[target]]
        middle_ms = median(measured_ms)
        told = [
            f"{spread(predicted_ms)} | {predicted_ms[REPETITIONS // 2] / middle_ms:.2f}"
            for option in ((), ("--no-core-wait",))
            for predicted_ms in [[predicted(job, run, target, option) for _, run in took[source]]]
        ]
        as_recorded = f"{took[source][REPETITIONS // 2][0] / middle_ms:.2f}"
        cells = (job.name, source, target, spread(measured_ms), *told, as_recorded)
        print(f"| {' | '.join(map(str, cells))} |", flush=True)


def predicted(job: Job, run: Path, shape: Shape, option: tuple[str, ...]) -> float:
    """In ms."""
    (point,) = replay(job, run, shape, *option)["points"]
    return float(point["duration_ns"]) * 1e-6


def recordings(job: Job, shapes: Sequence[Shape], folder: Path) -> dict[Shape, list[tuple[float, Path]]]:
    """By testbed the shortest first, in ms."""
    took: dict[Shape, list[tuple[float, Path]]] = {shape: [] for shape in shapes}
    for repetition, shape in product(range(REPETITIONS), shapes):
        run = record(job, shape, folder, repetition)
        took[shape].append((replay(job, run, shape)["recorded_ns"] * 1e-6, run))
    return {shape: sorted(runs) for shape, runs in took.items()}


def spread(values_ms: list[float]) -> str:
    return f"{values_ms[REPETITIONS // 2]:.0f} ({min(values_ms):.0f} to {max(values_ms):.0f})"


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--only", default="", metavar="NAME", help="jobs whose names begin so")
    only = parser.parse_args().only
    with tempfile.TemporaryDirectory(prefix="clearway-replay-") as name:
        write_inputs(Path(name))
        print(f"| {' | '.join(HEAD)} |")
        print(f"|{' --- |' * len(HEAD)}")
        for job in JOBS:
            if job.name.startswith(only):
                measure(job, Path(name))


if __name__ == "__main__":
    main()
