#!/usr/bin/env python3
"""`clearway what-if` against the twin without the fault, line by line of the ledger.

    PYTHONPATH=python:benchmarks .venv/bin/python benchmarks/what_if/lines.py --only foreign --pairs 5

Plants faults on testbeds, as root; prints the tables of docs/what-if-benchmark.md. A faulty job and its twin take
turns, with each rank bound to a core of its own. On a machine that others use more pairs are made, and those count
while which others used least; with --crowded what the others took is removed on both sides, by what-if too, so that
only the planted fault is compared. Starting and stopping MPI is left out.

Where the twin has another network, the same Run is also asked for with that network as a file (--cluster): what it
costs is simulated there, and not taken as zero.
"""

from __future__ import annotations

import argparse
import resource
import subprocess
import sys
import tempfile
import time
from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import dataclass, replace
from pathlib import Path
from statistics import median
from typing import Any

from clearway.base.installed import find_program
from clearway.cluster.files.write import write_cluster
from clearway.diagnosis.facts import open_case
from clearway.ledger.account import LINES
from clearway.predict.testbed_cluster import cluster_of_testbed
from clearway.predict.what_if.answer import Answer
from clearway.predict.what_if.asked import Asked, change_asked
from clearway.predict.what_if.counterfactual import WORDS, answer
from clearway.predict.what_if.on_cluster import answer_on_cluster
from clearway.run import load
from clearway.testbed import DEEP, Shape, Testbed, find_mpi

LIMIT_S = 60
QUIET = 0.05  # of a core: what others may use while a pair is made that counts in any case
MOST_TRIES = 2  # for each pair
NEXT_TO_NOTHING = 0.005  # of the wall-clock: lines that are less everywhere are left out
TICKS_PER_S = 100  # of /proc/stat
LEFT_OUT = "other_s"  # starting and stopping
WALL = "wall_s"

BOUND = ("sh", "-c", 'exec taskset -c "${OMPI_COMM_WORLD_RANK:-$PMI_RANK}" "$@"', "sh")
# Of [mpi] in the file of the twin's network: MPICH's is UCX over TCP (docs/simulator-mpis.md, "Five MPIs" and "Ranks
# that share cores").
OF_MPI: dict[str, dict[str, Any]] = {
    "openmpi": {},
    "mpich": {"eager_bytes": 18_000, "confirms_bodies": True, "message_ns": 4_000, "message_header_bytes": 13},
}
SMALL_CALLS = ("sendrecv +1 9000 -1 9000", "allreduce 64", "bcast 0 20000")
FAST = Shape(hosts=2, rate_bps=10_000_000_000, buffer_bytes=DEEP)  # as fast as this machine copies
FLOODED = Shape(hosts=4, rate_bps=20_000_000, buffer_bytes=6_000)


@dataclass(frozen=True, slots=True)
class Side:
    """A job, and where it runs."""

    shape: Shape
    computing_ms: tuple[float, ...]  # by rank, in each step
    steps: int = 100
    calls: tuple[str, ...] = SMALL_CALLS
    busy: bool = False  # another program wants core 0 all of the time

    def script(self) -> str:
        ranks = [f"rank {rank}\ncompute {round(each * 1e6)}" for rank, each in enumerate(self.computing_ms)]
        head = ["clearway-script 1", "title twin", f"ranks {len(ranks)}", f"steps {self.steps}"]
        return "\n".join([*head, *ranks, f"rank 0-{len(ranks) - 1}", *self.calls, ""])

    @property
    def is_bound(self) -> bool:
        return len(self.computing_ms) <= 2


EVEN = Side(FAST, (10, 10))
LOSSY = Side(FLOODED, (2, 2, 2, 2), 40, ("alltoall 20000", "allreduce 64"))
# What is asked, the faulty side, its twin.
FAULTS: dict[str, tuple[Asked, Side, Side]] = {
    "network: 20 Mbit/s, twin 10 Gbit/s": (
        Asked(network="perfect"),
        Side(replace(FAST, rate_bps=20_000_000), (10, 12)),
        Side(FAST, (10, 12)),
    ),
    "losses: 6 kB a port, twin deep": (
        Asked(network="lossless"),
        LOSSY,
        replace(LOSSY, shape=replace(FLOODED, buffer_bytes=DEEP)),
    ),
    "imbalance: 5 and 15 ms, twin 10 and 10": (Asked(balance="perfect"), replace(EVEN, computing_ms=(5, 15)), EVEN),
    "foreign load: a program on one core of two": (Asked(no_foreign_load=True), replace(EVEN, busy=True), EVEN),
}
NAMES = {"openmpi": "Open MPI", "mpich": "MPICH"}
HEAD = (
    *("line", "recorded, s", "at best, s", "for certain, s", "twin, s"),
    *("at best ÷ twin", "outside of both, of the line", "of the wall-clock"),
)
HEAD_OF_FILE = ("twin's network as a file, s", "÷ twin", "off, of the wall-clock")


@dataclass(frozen=True, slots=True)
class Pair:
    """Seconds by line, and of the wall-clock."""

    recorded: dict[str, float]
    best: dict[str, float]
    sure: dict[str, float]
    twin: dict[str, float]
    on_file: dict[str, float] | None  # on the twin's network, as its file has it
    undivided_s: float  # of the twin: waiting or moving data, its ledger cannot tell which
    beside: float  # how many cores others used while either ran

    def outside_s(self, line: str) -> float:
        """How far the twin lies from what is told at best and for certain."""
        low_s, high_s = sorted((self.best[line], self.sure[line]))
        twin_low_s = self.twin[line] - (self.undivided_s if line == "mpi_transfer_s" else 0.0)
        twin_high_s = self.twin[line] + (self.undivided_s if line == "mpi_wait_s" else 0.0)
        return max(low_s - twin_high_s, twin_low_s - high_s, 0.0)

    def off_file(self, line: str) -> float:
        return abs(self.on_file[line] - self.twin[line]) if self.on_file else 0.0


@contextmanager
def another_program(wanted: bool) -> Iterator[None]:
    if not wanted:
        yield
        return
    with subprocess.Popen(["taskset", "-c", "0", sys.executable, "-c", "while True: pass"]) as busy:
        try:
            yield
        finally:
            busy.kill()


def busy_s() -> float:
    """CPU time of all programs of this machine; without what the kernel does for packets."""
    user, nice, system = map(int, Path("/proc/stat").read_text().split()[1:4])
    return (user + nice + system) / TICKS_PER_S


def own_s() -> float:
    used = resource.getrusage(resource.RUSAGE_CHILDREN)
    return used.ru_utime + used.ru_stime


def record(side: Side, mpi: str, run: Path) -> float:
    """How many cores programs used meanwhile that are none of the job's."""
    script = run.with_suffix(".script")
    script.write_text(side.script())
    program = [*(BOUND if side.is_bound else ()), str(find_program("clearway-workload")), str(script)]
    recorded = [str(find_program("clearway-record")), "--timeline", "-o", str(run), "--", *program]
    with another_program(side.busy), Testbed(side.shape) as testbed:
        before_s, began_s = busy_s() - own_s(), time.monotonic()
        outcome = testbed.run(find_mpi(mpi), recorded, timeout_s=LIMIT_S)
        foreign_s, took_s = busy_s() - own_s() - before_s, time.monotonic() - began_s
    if outcome.returncode != 0:
        sys.exit(f"error: the job failed\n{outcome.stdout}{outcome.stderr}")
    return max(foreign_s / took_s, 0.0)


def with_wall(lines: dict[str, float]) -> dict[str, float]:
    kept = {line: seconds for line, seconds in lines.items() if line != LEFT_OUT}
    return {**kept, WALL: sum(kept.values())}


def replayed(run: Path, asked: Asked) -> Answer:
    case = open_case(load(run))
    return answer(case, *change_asked(case, asked))


def on_file(faulty: Path, shape: Shape, mpi: str) -> dict[str, float]:
    """The faulty job on that testbed, at best."""
    cluster = cluster_of_testbed(shape)
    assert cluster.stack is not None
    file = faulty.with_suffix(".toml")
    file.write_text(write_cluster(replace(cluster, stack=replace(cluster.stack, **OF_MPI[mpi]))))
    made = answer_on_cluster(open_case(load(faulty)), str(file))
    return with_wall({one.line: one.what_if_s for one in made.lines})


def compared(
    asked: Asked, faulty: Path, twin: Path, beside: float, crowded: bool, file: dict[str, float] | None
) -> Pair:
    made = replayed(faulty, replace(asked, no_foreign_load=crowded or asked.no_foreign_load))
    ledger = open_case(load(twin)).books.ledger
    twins_s = {line: float(ledger[line].mean()) for line in LINES}
    if crowded:
        twins_s = {one.line: one.what_if_s for one in replayed(twin, Asked(no_foreign_load=True)).lines}
    return Pair(
        recorded=with_wall({one.line: one.recorded_s for one in made.lines}),
        best=with_wall({one.line: one.what_if_s for one in made.lines}),
        sure=with_wall({one.line: one.sure_s for one in made.lines}),
        twin=with_wall(twins_s),
        on_file=file,
        undivided_s=float(ledger["mpi_undivided_s"].mean()),
        beside=beside,
    )


def pairs_of(fault: str, mpi: str, count: int, crowded: bool, folder: Path) -> list[Pair]:
    asked, faulty, twin = FAULTS[fault]
    pairs: list[Pair] = []
    for number in range(MOST_TRIES * count):
        place = folder / f"{mpi}-{list(FAULTS).index(fault)}-{number}"
        place.mkdir()
        planted = record(faulty, mpi, place / "faulty")
        alone = record(twin, mpi, place / "twin")
        beside = alone if faulty.busy else max(planted, alone)
        file = on_file(place / "faulty", twin.shape, mpi) if twin.shape != faulty.shape else None
        pairs.append(compared(asked, place / "faulty", place / "twin", beside, crowded, file))
        if sum(crowded or pair.beside <= QUIET for pair in pairs) == count:
            break
    return sorted(pairs, key=lambda pair: pair.beside)[:count]


def tabled(fault: str, mpi: str, pairs: list[Pair]) -> str:
    head = (*HEAD, *(HEAD_OF_FILE if pairs[0].on_file is not None else ()))
    title = f"### {fault[0].upper()}{fault[1:]}, {NAMES[mpi]}"
    return "\n".join([title, "", f"| {' | '.join(head)} |", f"|{' --- |' * len(head)}", *rows(pairs), ""])


def rows(pairs: list[Pair]) -> Iterator[str]:
    for line in pairs[0].twin:
        sides = [[getattr(pair, side)[line] for pair in pairs] for side in ("recorded", "best", "sure", "twin")]
        wall_s = median(pair.twin[WALL] for pair in pairs)
        if max(median(seconds) for seconds in sides) < NEXT_TO_NOTHING * wall_s:
            continue
        ratios = [pair.best[line] / pair.twin[line] for pair in pairs if pair.twin[line] > 0]
        outside = [pair.outside_s(line) / pair.twin[line] for pair in pairs if pair.twin[line] > 0]
        of_wall = [pair.outside_s(line) / pair.twin[WALL] for pair in pairs]
        cells = (
            WORDS.get(line, "wall-clock"),
            *(f"{median(seconds):.3f}" for seconds in sides),
            *(spread(ratios, "{:.2f}") if ratios else "–", spread(outside, "{:.0%}") if outside else "–"),
            spread(of_wall, "{:.1%}"),
            *file_cells(line, pairs),
        )
        yield f"| {' | '.join(cells)} |"


def file_cells(line: str, pairs: list[Pair]) -> tuple[str, ...]:
    told = [pair.on_file[line] for pair in pairs if pair.on_file is not None]
    if not told:
        return ()
    ratios = [seconds / pair.twin[line] for seconds, pair in zip(told, pairs, strict=True) if pair.twin[line] > 0]
    of_wall = [pair.off_file(line) / pair.twin[WALL] for pair in pairs]
    return f"{median(told):.3f}", spread(ratios, "{:.2f}") if ratios else "–", spread(of_wall, "{:.1%}")


def spread(values: list[float], form: str) -> str:
    return f"{form.format(median(values))} ({form.format(min(values))} to {form.format(max(values))})"


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--only", default="", metavar="NAME", help="faults whose names begin so")
    parser.add_argument("--mpi", default="openmpi,mpich", metavar="NAMES")
    parser.add_argument("--pairs", type=int, default=5)
    parser.add_argument("--crowded", action="store_true", help="compare without what other programs took of the cores")
    asked = parser.parse_args()
    beside: list[float] = []
    with tempfile.TemporaryDirectory(prefix="clearway-what-if-") as name:
        for fault in FAULTS:
            for mpi in asked.mpi.split(",") if fault.startswith(asked.only) else ():
                pairs = pairs_of(fault, mpi, asked.pairs, asked.crowded, Path(name))
                beside += [pair.beside for pair in pairs]
                print(tabled(fault, mpi, pairs), flush=True)
    print(f"Others used {spread(beside, '{:.2f}')} cores meanwhile.")


if __name__ == "__main__":
    main()
