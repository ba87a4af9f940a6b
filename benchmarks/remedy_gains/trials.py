"""Which remedy is tried on which planted fault."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass, replace

from diagnosis.jobs import Job
from diagnosis.plants import Plant, plants

from clearway.diagnosis.diagnose import Diagnosed
from clearway.job.change import combined
from remedy_gains.jobs import PLANTS

# By remedy: the plants. What needs root is tried by what the plant itself can have instead (`as_root`).
TRIALS = {
    "flow": ("large-blocks", "bruck", "naive-collective", "rendezvous"),
    "alltoall-algorithm": ("bruck",),
    "eager-limit": ("large-blocks", "rendezvous"),
    "allgather-algorithm": ("naive-collective",),
    "mpi-buffers": ("send-buffer", "receive-window"),
    "socket-buffers": ("send-buffer", "receive-window"),
    "network-card": ("slow-card",),
    "shared-memory": ("tcp-inside-host",),
    "yield-when-idle": ("busy-waiting",),
    "one-rank-a-core": ("one-core",),
    "spread-hosts": ("uneven-cpu",),
    "fewer-ranks": ("scaling-breakdown",),
    "shm-size": ("small-shm",),
    "allocator": ("large-arrays",),
    "host-buffers": ("buffer-ceilings",),
    "host-rto-min": ("large-blocks",),
    "host-shm": ("small-shm",),
}
SHORTER_MS = 50  # host-rto-min's


@dataclass(frozen=True, slots=True)
class Trial:
    """A planted fault, and a remedy for it, under one MPI."""

    remedy: str
    fault: str
    mpi: str
    plant: Plant

    @property
    def name(self) -> str:
        return f"{self.remedy}.{self.fault}.{self.mpi}"


def trials() -> Iterator[Trial]:
    """All, in the order of the remedies."""
    known = {**dict(plants()), **PLANTS}
    for remedy, faults in TRIALS.items():
        for fault in faults:
            for mpi in known[fault].mpis:
                yield Trial(remedy, fault, mpi, known[fault])


def remedied(trial: Trial, found: Diagnosed) -> Job:
    """The faulty job with the remedy that was offered for it."""
    offer = found.offers[trial.remedy]
    if offer.change is None:
        return as_root(trial)
    return replace(trial.plant.faulty, change=combined(trial.plant.faulty.change, offer.change))


def as_root(trial: Trial) -> Job:
    """What `clearway host apply` would do to the hosts, done to the testbed."""
    shape = trial.plant.faulty.shape
    if trial.remedy == "host-rto-min" and shape is not None:
        return replace(trial.plant.faulty, shape=replace(shape, rto_min_ms=SHORTER_MS))
    return trial.plant.sound  # it takes the fault itself away
