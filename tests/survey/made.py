"""Made Runs of one small job, for tests of listings and differences: four ranks on two hosts that share a clock."""

from __future__ import annotations

from collections.abc import Mapping
from pathlib import Path

from python.made_runs import Machine, Rank, State, world, write_all

from clearway.run.layout import SegmentKind

SECOND_NS = 10**9
COLLECTIVES = 40


def made_run(
    directory: Path,
    *,
    step_s: float = 0.25,
    late_s: float = 0.0,
    no_core_s: Mapping[str, float] | None = None,
    facts: Mapping[str, str] | None = None,
    hosts: tuple[str, str] = ("node1", "node2"),
    state: State = State.EXITED,
    start_ahead_s: float = 0.0,
    samples: Mapping[str, int] | None = None,
) -> Path:
    """`COLLECTIVES` all-to-alls, a step apart, that take a tenth of a step; rank 3 comes late to each by `late_s`.

    `samples`: by file, how often each rank was found in it while it computed.
    `no_core_s`: by host, what each of its ranks was without a core, a part of it in each step; the others wait for it.
    """
    lost_s = dict(no_core_s or {})
    longest_s = max(lost_s.values(), default=0.0)
    ranks = world(4)
    for rank in ranks:
        rank.state = state
        rank.machine = Machine(hosts[rank.rank // 2], "boot", start_ahead_s)
        own_s = lost_s.get(rank.machine.name, 0.0)
        _fill(rank, step_s, late_s, own_s, longest_s)
        told = {"process.program": "/opt/bin/md", "process.command_line": "md -s run.tpr", "process.cwd": "/scratch/a"}
        told |= {"environment.OMP_PROC_BIND": "true", "process.cpus_allowed": str(rank.rank)}
        for name, text in (told | dict(facts or {})).items():
            rank.fact(name, text)
        _sampled(rank, samples or {})
    directory.mkdir(parents=True, exist_ok=True)
    return write_all(ranks, directory)


def _sampled(rank: Rank, samples: Mapping[str, int]) -> None:
    for number, (path, times) in enumerate(samples.items()):
        begin = (number + 1) << 20
        rank.add(SegmentKind.CODE_RANGES, begin=begin, end=begin + 4096, path=path.encode())
        rank.add(SegmentKind.CODE_SAMPLES, address=begin + 8, bytes=1, range=number, by_main=times)
    if samples:
        rank.fact("profile.period_us", "10000")


def _fill(rank: Rank, step_s: float, late_s: float, own_s: float, longest_s: float) -> None:
    a_step_s = step_s + late_s + longest_s / COLLECTIVES
    rank.end_s = COLLECTIVES * a_step_s + 1.0
    for number in range(COLLECTIVES):
        begin_s = number * a_step_s
        entry_s = begin_s + 0.9 * step_s + own_s / COLLECTIVES + (late_s if rank.rank == 3 else 0.0)
        rank.collective("MPI_Alltoall", entry_s, begin_s + a_step_s, nbytes=1000)
    rank.thread = {
        "run_delay_ns": round(own_s * SECOND_NS),
        "cpu_ns": round((rank.end_s - own_s) * SECOND_NS),
    }
