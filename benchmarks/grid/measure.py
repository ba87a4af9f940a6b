"""Draws scenarios by a seed and measures each on a testbed, with `clearway bench`.

    PYTHONPATH=python:benchmarks .venv/bin/python -m grid.measure --seed 1 --scenarios 40
    PYTHONPATH=python:benchmarks .venv/bin/python -m grid.measure --scenarios 40            a seed that nobody knew

As root. What has been measured is kept in benchmarks/grid/results, so that an interrupted measurement goes on where it
was. The page is docs/grid-benchmark.md: `python -m grid.page`.
"""

from __future__ import annotations

import argparse
import json
import secrets
import subprocess
import sys
import tempfile
import time
from collections.abc import Iterator
from pathlib import Path

from measured.circumstances import here_and_now

from grid.draw import Scenario, draws
from grid.results import Calls, Result, add, path_of, read

CALLS, BUDGET_S, LIMIT_S = 25, 3, 60
JOBS = 2


def main() -> int:
    arguments = parse_arguments()
    seed = secrets.randbelow(10**6) if arguments.seed is None else arguments.seed
    until_s = time.monotonic() + arguments.budget_s
    known = {result.scenario.number for result in read(seed)}
    for scenario in draws(seed, arguments.scenarios):
        if time.monotonic() > until_s:
            break
        if scenario.number not in known:
            result = examine(scenario)
            add(result)
            print(told(result), flush=True)
    print(f"kept in {path_of(seed)}")
    return 0


def parse_arguments() -> argparse.Namespace:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--seed", type=int, help="what is drawn follows from it (default: one that nobody knows)")
    parser.add_argument("--scenarios", type=int, default=40, help="so many, those that are kept included (default 40)")
    parser.add_argument("--budget-s", type=float, default=1e9, metavar="S", help="begin none after so many seconds")
    return parser.parse_args()


def examine(scenario: Scenario) -> Result:
    circumstances = here_and_now()
    try:
        *consecutive, unlimited = jobs(scenario)
        return Result(scenario, circumstances, tuple(consecutive), unlimited=unlimited)
    except (subprocess.SubprocessError, OSError, ValueError) as error:
        said = error.stderr if isinstance(error, subprocess.CalledProcessError) else ""
        return Result(scenario, circumstances, failed=f"{type(error).__name__} {said}"[-300:].strip())


def jobs(scenario: Scenario) -> Iterator[Calls]:
    """Each is a job of its own, so that none inherits the windows of a collapse before it."""
    clearway = Path(sys.executable).parent / "clearway"
    for testbed in (*[scenario.testbed] * JOBS, scenario.unlimited.testbed):
        with tempfile.NamedTemporaryFile(suffix=".json") as told:
            command = [clearway, "bench", "alltoall", "--sizes", str(scenario.block_bytes), "--json", told.name]
            command += ["--algorithms", scenario.algorithm, "--calls", str(CALLS), "--budget-s", str(BUDGET_S)]
            command += ["--testbed", testbed]
            subprocess.run(command, check=True, timeout=LIMIT_S, capture_output=True, text=True)
            ((point,),) = (curve["points"] for curve in json.loads(Path(told.name).read_text())["curves"])
        yield Calls(tuple(point["calls_ns"]), point["timeouts"], point["retransmits"])


def told(result: Result) -> str:
    scenario = result.scenario
    begin = f"{scenario.number}: {scenario.algorithm}, {scenario.block_bytes:,} bytes, {scenario.testbed}: "
    if result.failed:
        return f"{begin}FAILED: {result.failed}"
    unlimited = f"; {result.unlimited.median_ns * 1e-6:.2f} ms without limits" if result.unlimited else ""
    each = (
        f"{job.median_ns * 1e-6:.2f} ms (mean {job.mean_ns * 1e-6:.2f}), {job.timeouts} timeouts" for job in result.jobs
    )
    return begin + ", ".join(each) + unlimited


if __name__ == "__main__":
    sys.exit(main())
