"""Draws faults by a seed, plants each for real in turns with its twin, and asks Clearway what is wrong.

    PYTHONPATH=python:benchmarks .venv/bin/python -m causes.measure --seed 1 --draws 50
    PYTHONPATH=python:benchmarks .venv/bin/python -m causes.measure --seed 1 --only 7 --print

As root: some faults are planted on a testbed. What has been measured is kept in benchmarks/causes/results, so that an
interrupted run goes on where it was. The page is docs/causes-benchmark.md; `python -m causes.page` writes it anew.
"""

from __future__ import annotations

import argparse
import shutil
import signal
import sys
import time
from collections.abc import Sequence
from pathlib import Path

from diagnosis.jobs import JobFailedError
from measured.circumstances import here_and_now

from causes.answer import ask
from causes.building import FOLDER, build_skeleton
from causes.draw import MPIS, Draw, Planted, draw, draws
from causes.kinds import KINDS
from causes.page import write_page
from causes.results import Measured, Result, add, measured, path_of, read
from causes.running import run
from causes.score import judge
from causes.truth import Truth
from clearway.base.errors import ClearwayError


def main() -> int:
    arguments = parse_arguments()
    signal.signal(signal.SIGTERM, lambda *_: sys.exit(143))  # so that what is planted is taken away again
    until_s = time.monotonic() + arguments.budget_s
    known = {result.draw.number for result in read(path_of(arguments.seed, arguments.held_out))}
    if arguments.only is not None:
        wanted = [draw(arguments.seed, arguments.only, arguments.held_out)]
    else:
        wanted = [
            each
            for each in draws(arguments.seed, arguments.draws, arguments.held_out)
            if each.number not in known and (not arguments.kind or each.faults[0].kind in arguments.kind)
        ]
    for mpi in MPIS:
        build_skeleton(mpi)
    for each in wanted:
        if time.monotonic() > until_s:
            break
        begin_s = time.monotonic()
        result = examine(each, arguments.keep_runs)
        if not arguments.print_only:
            add(result)
        print(f"{told(result)} [{time.monotonic() - begin_s:.0f} s]", flush=True)
    if not arguments.print_only:
        write_page()
    return 0


def parse_arguments() -> argparse.Namespace:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--seed", type=int, default=1, help="what is drawn follows from it (default 1)")
    parser.add_argument("--draws", type=int, default=50, help="so many, those that are kept included (default 50)")
    parser.add_argument("--only", type=int, metavar="NUMBER", help="this draw, whether it is kept or not")
    parser.add_argument(
        "--kind", action="append", metavar="KIND", choices=KINDS, help="of the draws, those of this kind (repeatable)"
    )
    parser.add_argument("--held-out", action="store_true", help="from the half of each range that is kept for this")
    parser.add_argument("--budget-s", type=float, default=1e9, metavar="S", help="begin no draw after so many seconds")
    parser.add_argument("--keep-runs", action="store_true", help="in build/causes/runs")
    parser.add_argument("--print", dest="print_only", action="store_true", help="keep nothing, write no page")
    return parser.parse_args()


def examine(each: Draw, keep_runs: bool = False) -> Result:
    """A twin, the faulty run (of two faults, first that with one of them), and a twin again."""
    folder = FOLDER / "runs" / f"{each.seed}.{each.number}{'.held-out' if each.held_out else ''}"
    circumstances = here_and_now()
    try:
        before, sound = one_run(each, (), folder / "twin", None)
        alone = one_run(each, each.faults[:1], folder / "first", sound)[0] if len(each.faults) > 1 else None
        faulty = one_run(each, each.faults, folder / "faulty", sound)[0]
        after = one_run(each, (), folder / "again", None)[0]
    except (JobFailedError, ClearwayError, OSError) as error:
        return Result(each, circumstances, failed=str(error)[:300])
    if not keep_runs:
        shutil.rmtree(folder, ignore_errors=True)
    return Result(each, circumstances, (before, after), alone, faulty)


def one_run(each: Draw, faults: Sequence[Planted], folder: Path, sound: Truth | None) -> tuple[Measured, Truth]:
    ran = run(each, faults, folder)
    return measured(ran.truth, sound, ask(ran.run, ran.others_cores)), ran.truth


def told(result: Result) -> str:
    each = result.draw
    faults = " and ".join(f"{one.kind} ({one.where}, {one.when}, {one.strength:g})" for one in each.faults)
    begin = f"{each.number}: {faults} in {each.family} on {each.ranks} ranks, {each.mpi}: "
    if result.failed or result.faulty is None:
        return f"{begin}FAILED: {result.failed}"
    verdict = judge(result)
    said = ", ".join(f"{one.rule} {one.share:.0%}" for one in result.faulty.answer.said) or "nothing"
    walls = " ".join(f"{run.wall_s:.1f}" for run in (*result.twins, result.faulty))
    return f"{begin}{walls} s, cost {verdict.cost:.0%} ± {verdict.spread:.0%}; said {said}: {verdict.word}"


if __name__ == "__main__":
    sys.exit(main())
