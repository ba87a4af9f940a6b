"""Plants drawn faults of the skeletons in which one rank is late, and asks Scalasca and Clearway about each.

    PYTHONPATH=python:benchmarks .venv/bin/python -m causes.scalasca.measure --seed 1 --draws 50 --at /opt/scalasca/bin

Each draw runs without a fault, with it, with it under Clearway, with it under Scalasca, and without it again, always
with Debian's Open MPI. What has been measured is kept in benchmarks/causes/results/scalasca; draws that other programs
disturbed are run again the next time. The table is part of docs/causes-benchmark.md.
"""

from __future__ import annotations

import argparse
import os
import shutil
import sys
import time
from collections.abc import Iterator
from dataclasses import replace

from diagnosis.jobs import JobFailedError
from measured.circumstances import here_and_now

from causes.answer import ask
from causes.building import FOLDER
from causes.draw import REAL, Draw, draws
from causes.kinds import KINDS
from causes.page import write_page
from causes.running import Ran, Tool, run
from causes.scalasca.results import Compared, Heard, add, path_of, read
from causes.scalasca.tool import MPI, Scalasca
from causes.score import DISTURBED
from clearway.base.errors import ClearwayError
from clearway.diagnosis.facts import open_case
from clearway.run import load

PLACE = "CLEARWAY_BENCH_SCALASCA"


def main() -> int:
    arguments = parse_arguments()
    until_s = time.monotonic() + arguments.budget_s
    try:
        scalasca = Scalasca(arguments.at)
    except ClearwayError as error:
        print(f"error: {error.message}\nhint: {error.hint}", file=sys.stderr)
        return 1
    kept = read(path_of(arguments.seed, arguments.held_out))
    known = {each.draw.number for each in kept if each.others_cores <= DISTURBED}
    for each in fitting(arguments.seed, arguments.draws, arguments.held_out):
        if each.number in known:
            continue
        if time.monotonic() > until_s:
            break
        try:
            compared = compare(each, scalasca)
        except JobFailedError as error:
            print(f"{each.number}: {error}", file=sys.stderr, flush=True)
            continue
        print(told(compared), flush=True)
        add(compared)
    write_page()
    return 0


def parse_arguments() -> argparse.Namespace:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--seed", type=int, default=1, help="what is drawn follows from it (default 1)")
    parser.add_argument("--draws", type=int, default=50, help="of so many, those that fit (default 50)")
    parser.add_argument("--held-out", action="store_true", help="from the half of each range that is kept for this")
    parser.add_argument("--budget-s", type=float, default=1e9, metavar="S", help="begin no draw after so many seconds")
    parser.add_argument(
        "--at", default=os.environ.get(PLACE, ""), metavar="FOLDERS", help=f"of scan, scorep, cube_dump (or ${PLACE})"
    )
    return parser.parse_args()


def fitting(seed: int, count: int, held_out: bool) -> Iterator[Draw]:
    """Draws in which one rank is late and others wait for it, in a skeleton that runs on this machine and ends."""
    for each in draws(seed, count, held_out):
        first = each.faults[0]
        late = first.where == "one rank" or (first.kind == "wandering" and each.family != "lock")
        here = each.hosts == 0 and each.ranks > 1 and each.family not in REAL
        if late and here and len(each.faults) == 1 and not KINDS[first.kind].fatal:
            yield replace(each, mpi=MPI)


def compare(each: Draw, scalasca: Scalasca) -> Compared:
    folder = FOLDER / "scalasca" / f"{each.seed}.{each.number}"
    shutil.rmtree(folder, ignore_errors=True)
    trace = folder / "trace"
    before = run(each, (), folder / "twin", Tool())
    faulty = run(each, each.faults, folder / "faulty", Tool())
    recorded = run(each, each.faults, folder / "clearway")
    traced = run(each, each.faults, folder / "scalasca", scalasca.tool(trace))
    after = run(each, (), folder / "again", Tool())
    states = scalasca.wait_states(trace, each.ranks)
    compared = Compared(
        each,
        scalasca.version,
        here_and_now(),
        (before.truth.wall_s, after.truth.wall_s),
        faulty.truth.wall_s,
        faulty.elapsed_s,
        Heard(traced.truth.wall_s, traced.elapsed_s, states.waits_s, states.charged_s),
        heard_of_clearway(recorded, each.ranks),
        max(ran.others_cores or 0.0 for ran in (before, faulty, recorded, traced, after)),
    )
    shutil.rmtree(folder)
    return compared


def heard_of_clearway(ran: Ran, ranks: int) -> Heard:
    answer = ask(ran.run, ran.others_cores)
    case = open_case(load(ran.run))
    waits_s = {row.cause: row.seconds for row in case.tables.waited}
    charged_s = tuple(float(seconds) for seconds in case.delays.by_late(ranks).sum(axis=1))
    return Heard(ran.truth.wall_s, ran.elapsed_s, waits_s, charged_s, answer.said)


def told(compared: Compared) -> str:
    draw, fault = compared.draw, compared.draw.faults[0]
    words = [f"{draw.number}: {fault.kind} (rank {fault.first}) in {draw.family}: lost {compared.lost_s:.2f} s"]
    for name, heard in (("Scalasca", compared.scalasca), ("Clearway", compared.clearway)):
        waits = ", ".join(f"{wait} {seconds:.2f}" for wait, seconds in heard.waits_s.items() if seconds >= 0.01)
        charged = " ".join(f"{seconds:.2f}" for seconds in heard.charged_s)
        words.append(f"{name} {waits or 'nothing'} (charged {charged}), {heard.wall_s:.2f} of {heard.elapsed_s:.2f} s")
    return f"{'; '.join(words)}; others used {compared.others_cores:.2f} cores"


if __name__ == "__main__":
    sys.exit(main())
