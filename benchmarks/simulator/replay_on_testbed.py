#!/usr/bin/env python3
"""Recorded jobs, replayed for the network they ran on and for another, beside what they really took there.

Brings testbeds up, as root; prints the table of docs/predict.md. Quiet machines only: ranks share the cores. Of three
recordings the one of median length counts.
"""

from __future__ import annotations

import argparse
import json
import os
import shutil
import subprocess
import sys
import tempfile
from dataclasses import dataclass
from pathlib import Path
from typing import Any

LIMIT_S = 85
REPETITIONS = 3
REPOSITORY = Path(__file__).resolve().parents[2]

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


# 16,384 atoms that melt.
LAMMPS = """\
units lj
atom_style atomic
lattice fcc 0.8442
region box block 0 16 0 16 0 16
create_box 1 box
create_atoms 1 box
mass 1 1.0
velocity all create 1.44 87287 loop geom
pair_style lj/cut 2.5
pair_coeff 1 1 1.0 1.0 2.5
neigh_modify every 20 delay 0 check no
fix 1 all nve
run 60
"""


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


SLOW, FAST, LARGE = Shape(4, "20mbit", "deep"), Shape(4, "60mbit", "deep"), Shape(8, "20mbit", "64k")
PAIRS = ((SLOW, SLOW), (SLOW, FAST), (FAST, FAST), (FAST, SLOW))  # recorded, predicted for
EXCHANGE = ("clearway-workload", "{hosts}.script")
# UCX sends what is longer than some 8 kB over TCP when it is expected.
AS_UCX = ("--alltoall", "direct", "--eager", "8Ki")
MDRUN = ("gmx_mpi", "mdrun", "-s", "run.tpr", "-ntomp", "1", "-nsteps", "100", "-notunepme", "-npme", "0")
JOBS = {
    Job("exchange, Open MPI", "openmpi", EXCHANGE): (*PAIRS, (LARGE, LARGE)),
    Job("exchange, MPICH", "mpich", EXCHANGE, AS_UCX): PAIRS,
    Job("LAMMPS, 16,384 atoms", "openmpi", ("lmp", "-in", "melt.lammps", "-log", "none")): PAIRS,
    Job("GROMACS, water, NVT", "openmpi", MDRUN): PAIRS,
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
    (folder / "melt.lammps").write_text(LAMMPS)
    subprocess.run([REPOSITORY / "examples/water/make-input", folder, "2.5"], check=True, stdout=subprocess.DEVNULL)


def record(job: Job, shape: Shape, folder: Path, repetition: int) -> Path:
    run = folder / f"{job.name}-{shape.hosts}-{shape.rate}-{repetition}"
    program, *arguments = (word.format(hosts=shape.hosts) for word in job.command)
    testbed = [tool("clearway"), "testbed", "run", "--mpi", job.mpi, "--hosts", str(shape.hosts), "--rate", shape.rate]
    recorded = [tool("clearway-record"), "--timeline", "-o", str(run), tool(program), *arguments]
    command = [*testbed, "--buffer", shape.buffer, "--timeout", str(LIMIT_S), "--", *recorded]
    subprocess.run(command, check=True, cwd=folder, stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL)
    return run


def replay(job: Job, run: Path, shape: Shape) -> dict[str, Any]:
    cluster = ("--cluster", "testbed", "--hosts", str(shape.hosts), "--rate", shape.rate, "--buffer", shape.buffer)
    command = [tool("clearway"), "predict", "--from", str(run), *cluster, *job.options, "--quiet", "--json", "-"]
    told: dict[str, Any] = json.loads(subprocess.run(command, check=True, capture_output=True, text=True).stdout)
    return told


def measure(job: Job, folder: Path) -> None:
    pairs = JOBS[job]
    took: dict[Shape, tuple[float, Path]] = {}
    for shape in dict.fromkeys(source for source, _ in pairs):
        recorded = [record(job, shape, folder, repetition) for repetition in range(REPETITIONS)]
        took[shape] = sorted((replay(job, run, shape)["recorded_ns"], run) for run in recorded)[REPETITIONS // 2]
    for source, target in pairs:
        (point,) = replay(job, took[source][1], target)["points"]
        measured_ms, predicted_ms = took[target][0] * 1e-6, point["duration_ns"] * 1e-6
        figures = f"{measured_ms:.0f} | {predicted_ms:.0f} | {predicted_ms / measured_ms:.2f}"
        print(f"| {job.name} | {source} | {target} | {figures} |", flush=True)


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--only", default="", metavar="NAME", help="jobs whose names begin so")
    only = parser.parse_args().only
    with tempfile.TemporaryDirectory(prefix="clearway-replay-") as name:
        write_inputs(Path(name))
        print("| job | recorded on | replayed for | measured there, ms | predicted, ms | ratio |")
        print("| --- | --- | --- | --- | --- | --- |")
        for job in JOBS:
            if job.name.startswith(only):
                measure(job, Path(name))


if __name__ == "__main__":
    main()
