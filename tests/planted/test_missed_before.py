"""Faults that the diagnosis once missed, or explained falsely: each has its name now, and comes first.

They stand in the skeleton of the benchmark of drawn faults (benchmarks/causes), with a strength that nobody overlooks.
What was missed, and where each is planted now (ROWS: below):

    packets above 1,450 B vanish, from the start     test_broken_network.py: a black hole from the start
    the same, in mid-job                             test_broken_network.py: an interrupted way (black_hole)
    a rank never reaches MPI_Init                    ROWS: never-starts
    MPI_Init waits for a late rank                   ROWS: late-start; test_waits.py: late to init
    licence or DNS waits at start                    test_unforeseen.py: a licence server
    connect and poll each step                       ROWS: slow-service
    usleep polling                                   ROWS: usleep-polling
    flock                                            ROWS: lock
    stdout into a slow pipe                          ROWS: slow-pipe; test_output.py
    a rank that sleeps now and then                  ROWS: sleeping-rank
    lateness that changes rank each step             ROWS: wandering
    imbalance behind Ialltoall, Neighbor_alltoall    ROWS: late-rank; test_waits.py: ialltoall, neighbour
    behind Probe and Iprobe loops                    ROWS: late-rank; test_waits.py: probe, iprobe, test
    behind Win_lock, fences                          test_one_sided.py: unlock, fence
    an Accumulate storm                              test_unforeseen.py: an Accumulate storm
    one thread serial                                ROWS: serial-thread; test_threads.py: one that computes alone
    2,000 unbuffered log lines a step                ROWS: log-lines; test_output.py: prints
    OMP_NUM_THREADS=8 on bound ranks                 below: threads that a wrapper asks for
    a link down for 3 s                              test_broken_network.py: an interrupted way (down)
    5 % random loss                                  test_broken_network.py: lost by chance
    64-byte writes                                   ROWS: tiny-writes; test_output.py: tiny writes
"""

from __future__ import annotations

from dataclasses import dataclass
from pathlib import Path

import pytest
from causes.answer import ask
from causes.building import build_skeleton
from causes.draw import PIPE_BYTES, Draw, Planted
from causes.kinds import KINDS, When, Where
from causes.running import run
from causes.score import fits, told
from harness.mpis import mpi as installed
from harness.runs import load_page, run_job

from clearway.base.errors import ClearwayError
from clearway.testbed import find_mpi, privilege

pytestmark = [pytest.mark.timed, pytest.mark.timeout(120)]

STEPS, COMPUTE_S, RANKS = 20, 0.05, 2
SHARE = 0.4  # of the wall-clock that is to be lost, about


@dataclass(frozen=True)
class Row:
    """A row of the list of what was missed: what was planted, in which family of MPI calls."""

    kind: str
    family: str
    where: Where = "one rank"
    when: When = "always"
    grain: float = 0.0
    quick_under: str = ""  # the MPI under which it is tried each time; the rest is slow

    @property
    def name(self) -> str:
        where = "everywhere" if self.where == "all ranks" else "one-rank"
        return f"{self.kind}-{where}-{self.when.replace(' ', '-')}-{self.family}"


ROWS = (
    Row("sleeping-rank", "halo", when="now and then", grain=0.01, quick_under="mpich"),
    Row("sleeping-rank", "allreduce", "all ranks", grain=0.01),
    Row("usleep-polling", "halo", grain=0.01, quick_under="openmpi"),
    Row("lock", "alltoall", grain=0.02, quick_under="mpich"),
    Row("slow-service", "halo", "all ranks", grain=0.02, quick_under="openmpi"),
    Row("child", "allreduce", grain=0.05),
    Row("log-lines", "allreduce", grain=80),
    Row("slow-pipe", "allreduce", grain=1e6, quick_under="openmpi"),  # far more a step than it holds
    Row("tiny-writes", "allreduce", grain=64),
    Row("late-start", "halo", grain=0.5),
    Row("late-start", "halo", grain=0.002, quick_under="mpich"),
    Row("never-starts", "halo"),
    Row("never-comes", "ialltoall", when="since"),
    Row("wandering", "allreduce", "all ranks", quick_under="openmpi"),
    Row("serial-thread", "allreduce"),
    Row("late-rank", "ialltoall"),
    Row("late-rank", "neighbour", quick_under="openmpi"),
    Row("late-rank", "probe"),
    Row("late-rank", "fence", quick_under="mpich"),
)


def drawn(row: Row, mpi: str) -> Draw:
    threads = 2 if row.kind == "serial-thread" else 1
    ranks = RANKS // threads
    begin, every = {"always": (0, 1), "since": (STEPS // 3, 1), "now and then": (4, 5)}[row.when]
    times = 1 if row.kind == "late-start" else len(range(begin, STEPS, every))
    lost_s = STEPS * COMPUTE_S * SHARE / (1 - SHARE)
    if row.kind == "slow-pipe":  # what it holds is read while the rank computes
        lost_s += times * min(PIPE_BYTES / row.grain, every * COMPUTE_S)
    first, last = (0, ranks - 1) if row.where == "all ranks" else (ranks - 1, ranks - 1)
    fault = Planted(row.kind, row.where, row.when, SHARE, row.grain, lost_s / times, first, last, begin, every)
    return Draw(0, 0, False, mpi, row.family, 0, ranks, threads, STEPS, COMPUTE_S, 4096, (fault,))


def each_row() -> list[object]:
    cases = []
    for row in ROWS:
        for mpi in ("openmpi", "mpich"):
            marks = [] if row.quick_under == mpi else [pytest.mark.slow]
            if row.kind == "wandering":  # another test beside it makes one rank late of its own
                marks.append(pytest.mark.alone)
            cases.append(pytest.param(row, mpi, id=f"{row.name}-{mpi}", marks=marks))
    return cases


@pytest.mark.parametrize(("row", "mpi"), each_row())
def test_it_has_its_name_now(row: Row, mpi: str, tmp_path: Path) -> None:
    trouble = privilege.why_not()
    if trouble is not None:
        pytest.skip(trouble[0])
    try:
        find_mpi(mpi)
    except ClearwayError as error:
        pytest.skip(error.message)
    planted = drawn(row, mpi)
    ran = run(planted, planted.faults, tmp_path / "run")
    found = told(ask(ran.run, ran.others_cores), [row.kind], planted)
    assert found and fits(found[0], KINDS[row.kind].right), [one.text for one in found]


def test_threads_that_a_wrapper_asks_for_and_nobody_starts_cost_nothing(tmp_path: Path) -> None:
    """Eight threads a rank, on ranks that are bound to a core each: said to be 72 % once."""
    open_mpi = installed("openmpi-debian")
    skeleton = build_skeleton("openmpi")
    program = [skeleton, "family=halo", f"steps={STEPS}", f"compute={COMPUTE_S}", "bytes=4096", "threads=1"]
    outcome = run_job(open_mpi, program, RANKS, tmp_path / "run", environment={"OMP_NUM_THREADS": "8"})
    assert outcome.exit_code == 0, outcome.says
    assert "shared-core" not in {found["rule"] for found in load_page(tmp_path / "run")["findings"]}
