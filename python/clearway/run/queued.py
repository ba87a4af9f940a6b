"""Steps of one Slurm job that waited for each other: `srun` in the background, and no cores left for the second."""

from __future__ import annotations

from collections.abc import Sequence
from pathlib import PurePath

from clearway.run.launches import fact, launches
from clearway.run.outside import left_of, span_of, union
from clearway.run.reader import Record
from clearway.run.run import Launch, Queued

LAUNCHER = "srun"  # mpirun and mpiexec start at once, whatever else runs
WORTH_S, WORTH = 2.0, 0.1  # and the share of the command's time


def queued(launch: Launch | None, records: Sequence[Record]) -> Queued | None:
    """`records`: of all processes of the job. A launcher ends when its program has ended: that is how they are paired.

    Waiting is the time between the start of both, as far as another program ran then: a step without any beside it
    waits for the batch system, or starts slowly.
    """
    if launch is None or launch.started_ns is None or launch.ended_ns is None:
        return None
    waiting = [record for record in records if record.header["rank"] < 0 and _is_launcher(record)]
    programs = launches(record for record in records if record.header["rank"] >= 0)
    if len(waiting) != len(programs) or len(programs) < 2:
        return None
    spans = [(min(one[0] for one in each), max(one[1] for one in each)) for each in map(_spans, programs)]
    pairs = zip(sorted(waiting, key=lambda one: span_of(one)[1]), sorted(spans, key=lambda one: one[1]), strict=True)
    found = []
    for launcher, span in pairs:
        idle = span_of(launcher)[0], span[0]
        others = union(other for other in spans if other != span)
        found.append((idle[1] - idle[0] - left_of(idle, others), launcher))
    longest_ns, launcher = max(found, key=lambda one: one[0])
    if longest_ns < max(WORTH_S * 1e9, WORTH * (launch.ended_ns - launch.started_ns)):
        return None
    steps = sum(waited_ns >= WORTH_S * 1e9 for waited_ns, _ in found)
    return Queued(longest_ns * 1e-9, steps, len(programs), fact(launcher, b"process.command_line") or "")


def _is_launcher(record: Record) -> bool:
    return PurePath((fact(record, b"process.command_line") or "").partition(" ")[0]).name == LAUNCHER


def _spans(records: Sequence[Record]) -> list[tuple[int, int]]:
    return [span_of(record) for record in records]
