"""Jobs in which nothing is wrong: real engines and the workload, 1 to 8 ranks."""

from __future__ import annotations

import shutil
from collections.abc import Iterator
from dataclasses import dataclass

from clearway.testbed import DEEP, Shape
from diagnosis.jobs import Job, workload
from diagnosis.real_engines import ENGINES


@dataclass(frozen=True)
class Healthy:
    """A job that must have no finding, except of `besides`."""

    what: str
    job: Job
    mpi: str = "openmpi"
    besides: frozenset[str] = frozenset()
    why: str = ""  # what is in `besides` is so

    @property
    def missing(self) -> bool:
        """Whether its engine is not installed."""
        return self.job.prepare is not None and shutil.which(self.job.program[0]) is None


def healthy() -> Iterator[tuple[str, Healthy]]:
    """All, with their names."""
    for name, engine in ENGINES.items():
        for ranks in (1, 2):
            job = Job(program=engine.program, ranks=ranks, prepare=engine.prepare)
            yield f"{name}-{ranks}", Healthy(engine.what, job, engine.mpi, engine.besides, engine.why)
    for mpi in ("openmpi", "mpich"):
        for ranks in (1, 2):
            yield f"step-{ranks}-{mpi}", Healthy(what="workload", job=Job(program=STEP, ranks=ranks), mpi=mpi)
        for hosts, per_host in ((2, 1), (4, 1), (4, 2), (8, 1)):
            shape = Shape(hosts=hosts, rate_bps=20_000_000, buffer_bytes=DEEP)
            job = Job(program=LIGHT_STEP, shape=shape, per_host=per_host)
            yield f"hosts-{hosts}x{per_host}-{mpi}", Healthy(what="workload on a testbed", job=job, mpi=mpi)


STEP = workload("--steps 300 --compute-ms 10 --halo 10000 --alltoall 10000 --allreduce 64 --write 1000")
# Eight ranks share two cores: their steps are mostly asleep, and their links are slow.
LIGHT_STEP = workload("--steps 100 --compute-ms 2 --sleep-ms 100 --halo 2000 --allreduce 64")
