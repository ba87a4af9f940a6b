"""Records jobs on a few numbers of ranks, foretells one more, and holds that against the job on so many.

    PYTHONPATH=python:benchmarks .venv/bin/python -m scaling.measure
    PYTHONPATH=python:benchmarks .venv/bin/python -m scaling.measure --only lammps --rounds 1

As root. In each round all numbers of ranks run one after the other, the target last. What has been measured is kept in
benchmarks/scaling/results; the page is docs/scale-benchmark.md.
"""

from __future__ import annotations

import argparse
import os
import shutil
import subprocess
import sys
from collections.abc import Sequence
from dataclasses import replace

from measured.circumstances import here_and_now

from clearway.predict.scaling.measured import Measured, measure
from clearway.predict.scaling.scale import scale
from scaling.page import write_page
from scaling.results import Result, Said, Verdict, read, write
from scaling.trials import REPOSITORY, TRIALS, Trial, write_inputs

FOLDER = REPOSITORY / "build/scaling"
LIMIT_S = 120


def main() -> int:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--only", metavar="LIST", help="trials whose names begin so")
    parser.add_argument("--rounds", type=int, default=3, help="of each, those that are kept included (default 3)")
    parser.add_argument("--page-only", action="store_true", help="tell anew from what has been measured")
    arguments = parser.parse_args()
    if not arguments.page_only:
        write_inputs(FOLDER)
    for trial in TRIALS:
        if arguments.only and not trial.name.startswith(tuple(arguments.only.split(","))):
            continue
        result = read(trial.name) or Result(trial.name, (), ())
        for number in () if arguments.page_only else range(len(result.rounds), arguments.rounds):
            runs = tuple(record(trial, ranks, number) for ranks in (*trial.recorded, trial.target))
            result = replace(
                result, rounds=(*result.rounds, runs), circumstances=(*result.circumstances, here_and_now())
            )
            write(judged(result))
            print(f"{trial.name}: {judged(result).verdicts[-1].wall}", flush=True)
        if result.rounds:
            write(judged(result))
    write_page()
    return 0


def record(trial: Trial, ranks: int, number: int) -> Measured:
    run = FOLDER / "runs" / f"{trial.name}-{ranks}-{number}"
    shutil.rmtree(run, ignore_errors=True)
    program, *words = (word.format(ranks=ranks) for word in trial.command)
    places = f"{FOLDER}:{REPOSITORY / '.venv/bin'}:{os.environ['PATH']}"
    recorded = [tool("clearway-record"), "-o", str(run), shutil.which(program, path=places) or program, *words]
    launcher = ["mpirun", "--allow-run-as-root", "--oversubscribe", "--bind-to", "none"]
    launcher += ["--mca", "mpi_yield_when_idle", "1", "-np", str(ranks)]
    if trial.testbed:
        launcher = [tool("clearway"), "testbed", "run", "--mpi", "openmpi", "--hosts", str(ranks)]
        launcher += [*trial.testbed, "--timeout", str(LIMIT_S), "--"]
    subprocess.run(
        [*launcher, *recorded],
        check=True,
        cwd=FOLDER,
        stdout=subprocess.DEVNULL,
        stderr=subprocess.DEVNULL,
        timeout=2 * LIMIT_S,
        env={**os.environ, "OMP_NUM_THREADS": "1"},
    )
    return measure(run)


def tool(name: str) -> str:
    return str(REPOSITORY / ".venv/bin" / name)


def judged(result: Result) -> Result:
    """What is said of the target, from the Runs of each round and from all of them."""
    targets = [runs[-1] for runs in result.rounds]
    pool = [run for runs in result.rounds for run in runs[:-1]]
    return replace(
        result,
        verdicts=tuple(verdict(runs[:-1], runs[-1:]) for runs in result.rounds),
        pooled=verdict(pool, targets),
    )


def verdict(runs: Sequence[Measured], targets: Sequence[Measured]) -> Verdict:
    made = scale(runs, [targets[0].ranks])
    (target,) = made.targets

    def mean(values: Sequence[float]) -> float:
        return sum(values) / len(values)

    def said(measured: Sequence[float], expected: float | None, low: float, high: float) -> Said:
        assert expected is not None
        assert target.amdahl_s is not None
        return Said(mean(measured), expected, low, high)

    walls = [one.wall_s / one.ranks for one in targets]
    return Verdict(
        wall=said(walls, target.wall.expected, target.wall.low, target.wall.high),
        constant_s=target.constant_s,
        perfect_s=target.perfect_s,
        amdahl_s=target.amdahl_s or 0.0,
        lines={
            line.line: said(
                [one.lines[line.line] / one.ranks for one in targets],
                line.at[0].expected,
                line.at[0].low,
                line.at[0].high,
            )
            for line in made.lines
        },
    )


if __name__ == "__main__":
    sys.exit(main())
