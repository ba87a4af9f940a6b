"""What Slurm's plugin costs each step: the same Slurm with it and without, in turns, at 1 to 64 steps a second.

python steps.py [--rounds N] [--seconds S]

Steps are begun at a fixed rate inside one allocation, whether or not the earlier ones have ended, until the machine
cannot follow. Printed: the middle of the times from srun's begin to its end, without the plugin and with it, and their
ratio as the middle of the rounds' ratios, with the least and the most.
"""

from __future__ import annotations

import argparse
import statistics
import subprocess
import sys
import time
from concurrent.futures import ThreadPoolExecutor
from pathlib import Path

sys.path.insert(0, str(Path(__file__).parents[2] / "tests"))

from every_job.cluster import Cluster
from harness.mpis import mpi
from harness.programs import ProgramBuilder

from clearway.testbed import Shape, Testbed

SOURCE = Path(__file__).parents[2] / "tests" / "every_job" / "late.c"
RATES = (1, 2, 4, 8, 16, 32, 64)
MOST_STEPS = 64  # a block: beyond, the machine's queue is measured


def one_step(cluster: Cluster, job: str, words: list[str]) -> float:
    began = time.monotonic()
    done = cluster.run("srun", f"--jobid={job}", "--overlap", "-N1", "-n1", *words)
    if done.returncode != 0:
        raise SystemExit(f"error: a step failed: {done.stderr}")
    return time.monotonic() - began


def block(cluster: Cluster, job: str, words: list[str], rate: int, seconds: float) -> list[float]:
    """Times of steps that begin at that rate."""
    number = max(3, min(MOST_STEPS, round(rate * seconds)))
    with ThreadPoolExecutor(number) as pool:
        begun = []
        for at in range(number):
            begun.append(pool.submit(one_step, cluster, job, words))
            if at + 1 < number:
                time.sleep(1 / rate)
        return [each.result() for each in begun]


def allocate(cluster: Cluster) -> str:
    told = cluster.run("sbatch", "--parsable", "-N1", "-n8", "--output=/dev/null", "--wrap", "sleep 3600")
    return told.stdout.strip()


def measure(cluster: Cluster, job: str, words: list[str], rate: int, options: argparse.Namespace) -> str:
    middles: dict[bool, list[float]] = {False: [], True: []}
    for turn in range(options.rounds):
        for plugin in (False, True) if turn % 2 == 0 else (True, False):
            if plugin:
                cluster.install("")
            else:
                (cluster.configuration.parent / "plugstack.conf").write_text("")
            middles[plugin].append(statistics.median(block(cluster, job, words, rate, options.seconds)))
    ratios = [with_it / without for without, with_it in zip(middles[False], middles[True], strict=True)]
    plain_ms, ours_ms = (1000 * statistics.median(middles[plugin]) for plugin in (False, True))
    spread = f"{min(ratios):.2f} to {max(ratios):.2f}"
    return f"{plain_ms:8.0f} ms {ours_ms:8.0f} ms   {statistics.median(ratios):.2f} ({spread})"


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--rounds", type=int, default=5)
    parser.add_argument("--seconds", type=float, default=3.0, help="of a block, with at most 64 steps")
    parser.add_argument("--rates", type=int, nargs="+", default=RATES)
    options = parser.parse_args()
    with Testbed(Shape(hosts=1, slurm=True, host_cpus=8)) as testbed:
        cluster = Cluster(testbed)
        built = ProgramBuilder(cluster.configuration.parent / "programs").build(
            mpi("mpich-debian"), "late", str(SOURCE)
        )
        program = str(cluster.copy(built))
        job = allocate(cluster)
        subprocess.run(["sleep", "2"], check=True)
        print("steps a second   program     without        with   ratio (least to most of the rounds)")
        for rate in options.rates:
            for name, words in (("true", ["true"]), ("MPI", ["--mpi=pmi2", program, "1"])):
                print(f"{rate:14}   {name:7} {measure(cluster, job, words, rate, options)}", flush=True)


if __name__ == "__main__":
    main()
