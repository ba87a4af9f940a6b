"""Many short MPI jobs through Slurm's plugin, at the rate that Slurm manages, while nodes are killed and come back.

python storm.py [--jobs N] [--kills N] [--hosts N] [--mpirun]

Counted: jobs that failed, jobs that ended well without a Run of both ranks, and Runs that are there twice. A node is
killed with all that runs on it: slurmd, slurmstepd and ranks, by SIGKILL; its spool goes with it, as a node's memory
does. Slurm starts a killed job again.
"""

from __future__ import annotations

import argparse
import contextlib
import os
import random
import re
import shlex
import signal
import subprocess
import sys
import time
from collections import Counter
from pathlib import Path

sys.path.insert(0, str(Path(__file__).parents[2] / "tests"))

from every_job.cluster import Cluster
from harness.mpis import mpi
from harness.programs import ProgramBuilder

from clearway.base.errors import ClearwayError
from clearway.run import load
from clearway.testbed import Shape, Testbed
from clearway.testbed.kernel import processes_in

SOURCE = Path(__file__).parents[2] / "tests" / "every_job" / "late.c"
AWAY_S = 1.0
PATIENCE_S = 900.0


def kill_node(cluster: Cluster, host: str) -> int:
    """How many processes that were."""
    killed = 0
    for pid in processes_in([cluster.testbed.layout.namespace(host)]):
        with contextlib.suppress(ProcessLookupError):
            os.kill(pid, signal.SIGKILL)
            killed += 1
    return killed


def start_node(cluster: Cluster, host: str) -> None:
    line = cluster.testbed.on_host(host, ["slurmd", "-D"])
    nothing = subprocess.DEVNULL
    subprocess.run(["setsid", "--fork", *line], stdin=nothing, stdout=nothing, stderr=nothing, check=True)
    time.sleep(AWAY_S)
    cluster.run("scontrol", "update", f"NodeName={host}", "State=RESUME", user=None)


def queue(cluster: Cluster) -> list[tuple[str, str]]:
    lines = cluster.run("squeue", "-h", "-r", "-o", "%A %r", user=None).stdout.splitlines()
    return [(job, reason) for job, _, reason in (line.partition(" ") for line in lines)]


def submit(cluster: Cluster, script: Path, number: int) -> list[str]:
    """By one array: submitting them singly would be what takes longest."""
    words = ["sbatch", "--parsable", "--requeue", "-N1", "-n2", "--output=/dev/null", f"--array=1-{number}", script]
    array = cluster.run(*words).stdout.strip()
    return [f"{array}_{task}" for task in range(1, number + 1)]


def states(cluster: Cluster) -> dict[str, tuple[str, str, int]]:
    """By array task: its own number, its state, how often it was started again."""
    found = {}
    for line in cluster.run("scontrol", "-o", "show", "jobs", user=None).stdout.splitlines():
        told = dict(re.findall(r"(\w+)=(\S*)", line))
        name = f"{told.get('ArrayJobId', '')}_{told.get('ArrayTaskId', '')}"
        found[name] = (told["JobId"], told["JobState"], int(told.get("Restarts", 0)))
    return found


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--jobs", type=int, default=1000)
    parser.add_argument("--kills", type=int, default=20)
    parser.add_argument("--hosts", type=int, default=4)
    parser.add_argument("--mpirun", action="store_true", help="in the batch script, in place of srun")
    options = parser.parse_args()
    with Testbed(Shape(hosts=options.hosts, slurm=True, host_cpus=8)) as testbed:
        cluster = Cluster(testbed)
        built = ProgramBuilder(cluster.configuration.parent / "programs").build(
            mpi("mpich-debian"), "late", str(SOURCE)
        )
        program = cluster.copy(built)
        script = cluster.home / "job.sh"
        launch = shlex.join(mpi("mpich-debian").launcher) if options.mpirun else "srun --mpi=pmi2"
        script.write_text(f"#!/bin/sh\nexec {launch} -n 2 {program} 3\n")
        began = time.monotonic()
        jobs = submit(cluster, script, options.jobs)
        run_all(cluster, options.jobs, options.kills)
        report(cluster, jobs, "mpirun1" if options.mpirun else "0", time.monotonic() - began)


def run_all(cluster: Cluster, jobs: int, kills: int) -> None:
    """Until the queue is empty, with the kills spread over it."""
    random_ = random.Random(1)
    released: Counter[str] = Counter()
    seen: set[str] = set()
    hosts = [host.name for host in cluster.testbed.layout.hosts]
    end = time.monotonic() + PATIENCE_S + jobs
    killed = processes = 0
    while left := queue(cluster):
        if time.monotonic() > end:
            raise SystemExit(f"error: {len(left)} jobs are left: {Counter(reason for _, reason in left)}")
        if killed < kills and len(left) <= jobs * (kills - killed) / (kills + 1):
            host = random_.choice(hosts)
            processes += kill_node(cluster, host)
            killed += 1
            time.sleep(AWAY_S)
            start_node(cluster, host)
        for job, reason in left:
            # Slurm lets a job that it starts again wait for two minutes. A node refuses one that it was told not to run
            # in the same second.
            if reason == "BeginTime" and job in seen:
                cluster.run("scontrol", "update", f"JobId={job}", "StartTime=now", user=None)
            if "held" in reason.lower():  # nor does it start one again whose node was dead when it was to begin
                cluster.run("scontrol", "release", job, user=None)
                released[reason] += 1
        seen = {job for job, reason in left if reason == "BeginTime"}
        time.sleep(1)
    held = f"; held by Slurm and released: {dict(released)}" if released else ""
    print(f"nodes killed: {killed} times, {processes} processes{held}")


def report(cluster: Cluster, jobs: list[str], step: str, wall_s: float) -> None:
    told = states(cluster)
    for host in cluster.testbed.layout.hosts:  # what is left in the spool is gathered with the next step
        cluster.srun("-w", host.name, "-n1", "true")
    good = [job for job in jobs if told[job][1] == "COMPLETED"]
    lost, twice, ranks = [], [], 0
    for job in good:
        number, _, restarts = told[job]
        last = f"{number}.{step}{f'-{restarts + 1}' if restarts else ''}.{job}"
        folders = [name for name in cluster.runs() if name == last]
        if len(folders) != 1:
            lost.append(job)
            continue
        try:
            run = load(cluster.folder / last)
        except ClearwayError as error:
            print(f"cannot be read: {error.message}")
            lost.append(job)
            continue
        ranks += len(run.processes)
        if sorted(run.processes["rank"].tolist()) != [0, 1]:
            lost.append(job)
        files = [path.name for path in (cluster.folder / last).glob("rank.*.cwr")]
        if len(files) != 2:
            twice.append(job)
    sizes = [path.stat().st_size for path in cluster.folder.glob("*/rank.*.cwr")]
    restarted = sum(told[job][2] > 0 for job in jobs)
    print(f"{len(jobs)} jobs in {wall_s:.0f} s, {len(jobs) / wall_s:.1f} a second; Slurm started {restarted} again")
    print(f"states: {dict(Counter(told[job][1] for job in jobs))}")
    print(f"ended well: {len(good)}; without a whole Run: {len(lost)} {lost[:5]}; with a record twice: {len(twice)}")
    print(f"Runs: {len(cluster.runs())}, of them of attempts that were killed: {len(cluster.runs()) - len(good)}")
    print(f"bytes of a rank: {min(sizes)} to {max(sizes)}; left in the spools: {left_in_spools(cluster)}")


def left_in_spools(cluster: Cluster) -> int:
    return sum(len(cluster.spool(host.name)) for host in cluster.testbed.layout.hosts)


if __name__ == "__main__":
    main()
