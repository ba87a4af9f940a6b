"""What was predicted of a job: the tree that all outputs show."""

from __future__ import annotations

from dataclasses import dataclass

SCHEMA = "clearway-predict-job-1"


@dataclass(frozen=True, slots=True)
class JobPoint:
    """The job on so many ranks, with one algorithm for its all-to-alls."""

    ranks: int
    hosts: int
    alltoall: str  # the algorithm
    steps: int
    duration_ns: int
    steps_per_s: float
    speedup: float  # relative to the fewest ranks with the first algorithm, which have their number as speedup
    efficiency: float  # speedup ÷ ranks
    computing_share: float  # share of the ranks' time outside MPI
    drops: int  # packets that found a full buffer
    resent: int  # TCP segments sent again
    timeouts: int  # TCP retransmission timeouts
    packet_hops: int  # packets that arrived at the end of a link: the simulator's work
    run: str | None  # directory of the Run that was written


@dataclass(frozen=True, slots=True)
class JobPrediction:
    """One job on one cluster."""

    schema: str
    job: str  # "gromacs33 aqp1"
    cluster: str  # in words
    settings: tuple[str, ...]  # options of clearway-simulate, for all points
    recorded_ns: int | None  # time that the recorded job took from MPI_Init to MPI_Finalize, as that of its replay
    points: tuple[JobPoint, ...]  # algorithm by algorithm, ranks ascending
    notes: tuple[str, ...] = ()  # what a replay leaves out of the recorded job
