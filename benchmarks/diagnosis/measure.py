"""Plants every fault for real and asks Clearway what is wrong; runs healthy jobs and hopes for silence.

    PYTHONPATH=python:benchmarks .venv/bin/python -m diagnosis.measure
    PYTHONPATH=python:benchmarks .venv/bin/python -m diagnosis.measure --only slow-card,gromacs-2 --repetitions 1

As root: most faults are planted on a testbed. What has been measured is kept in benchmarks/diagnosis/results, so that
an interrupted run goes on where it was; remove the folder to measure anew. The page is docs/diagnosis-benchmark.md.
"""

from __future__ import annotations

import argparse
import os
import signal
import sys
import time
from collections.abc import Iterator

from clearway.base.errors import ClearwayError
from diagnosis.building import FOLDER
from diagnosis.healthy import Healthy, healthy
from diagnosis.jobs import Job, JobFailedError, Ran, run
from diagnosis.others import wait_until_quiet
from diagnosis.page import write_page
from diagnosis.plants import Plant, plants
from diagnosis.results import add, read
from diagnosis.verdict import Verdict, judge


def main() -> int:
    arguments = parse_arguments()
    signal.signal(signal.SIGTERM, lambda *_: sys.exit(143))  # so that what is planted is taken away again
    if os.geteuid() == 0:
        os.nice(-15)  # whatever else runs on this machine is no fault that was planted
    known: dict[str, Plant | Healthy] = {**dict(plants()), **dict(healthy())}
    wanted = {name: known[name] for name in chosen(arguments.only, list(known))}
    for _ in range(0 if arguments.page_only else arguments.repetitions):
        for name, each in wanted.items():
            for mpi in each.mpis if isinstance(each, Plant) else (each.mpi,):
                if len(read(name, mpi)) < arguments.repetitions:
                    repeat(name, each, mpi, arguments.patience)
    write_page()
    return 0


def parse_arguments() -> argparse.Namespace:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--only", metavar="LIST", help="names of plants and healthy jobs, not all")
    parser.add_argument("--repetitions", type=int, default=3, help="of each, those that are kept included (default 3)")
    parser.add_argument("--patience", type=float, default=60, metavar="S", help="wait so long for a quiet machine")
    parser.add_argument("--page-only", action="store_true", help="write the page from what has been measured")
    return parser.parse_args()


def chosen(only: str | None, known: list[str]) -> list[str]:
    names = only.split(",") if only else known
    unknown = [name for name in names if name not in known]
    if unknown:
        raise SystemExit(f"error: there is no plant '{unknown[0]}'\n\nhint: one of {', '.join(known)}")
    return names


def repeat(name: str, each: Plant | Healthy, mpi: str, patience_s: float) -> None:
    """The faulty and the sound job, one after the other, or the healthy one."""
    if isinstance(each, Healthy) and each.missing:
        print(f"{name}: {each.job.program[0]} is not installed", file=sys.stderr)
        return
    begin = time.monotonic()
    try:
        wait_until_quiet(patience_s)
        repetition = dict(examined(name, each, mpi))
    except (JobFailedError, ClearwayError, OSError) as error:
        print(f"{name} ({mpi}): FAILED: {error}", file=sys.stderr, flush=True)
        return
    add(name, mpi, repetition)
    told = "; ".join(f"{which}: {words(verdict)}" for which, verdict in repetition.items())
    print(f"{name} ({mpi}): {told} [{time.monotonic() - begin:.0f} s]", flush=True)


def examined(name: str, each: Plant | Healthy, mpi: str) -> Iterator[tuple[str, Verdict]]:
    def ran(job: Job, which: str) -> Ran:
        return run(job, mpi, FOLDER / "runs" / f"{name}.{mpi}.{which}")

    if isinstance(each, Healthy):
        yield "healthy", judge(ran(each.job, "healthy"))
        return
    others = [ran(job, f"other{number}") for number, job in enumerate(each.others)]
    yield "faulty", judge(ran(each.faulty, "faulty"), others)
    others = [ran(job, f"sound-other{number}") for number, job in enumerate(each.others_of_sound)]
    yield "sound", judge(ran(each.sound, "sound"), others)


def words(verdict: Verdict) -> str:
    found = ", ".join(f"{one.rule} {one.share:.0%}" for one in verdict.found) or "nothing"
    return f"{found} (others used {verdict.others_cores or 0:.2f} cores)"


if __name__ == "__main__":
    sys.exit(main())
