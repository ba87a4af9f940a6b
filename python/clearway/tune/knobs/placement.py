"""Where a job runs on the cores that it was given: ranks × threads, each rank bound to cores of its own."""

from __future__ import annotations

import math
from collections.abc import Callable
from dataclasses import replace

from clearway.base import quantities as q
from clearway.diagnosis.facts.rank_places import pinning
from clearway.job.change import Change, combined
from clearway.tune.seen import Seen
from clearway.tune.setting import Knob, MayChange, Setting

SHAPE = "ranks × threads"
BINDING = "binding"
MOST_SHAPES = 5
MOST_THREADS = 16

Threads = Callable[[Seen, int], Change | None]  # an engine's own words for so many threads a rank


def shapes(seen: Seen, threads: Threads | None) -> Knob:
    """All that fill the cores; those most like the job's own first."""
    why_none = _why_none(seen)
    if why_none:
        return Knob(SHAPE, (), None, why_none)
    now = (seen.ranks, seen.threads)
    bound = _bound_now(seen)
    others = [shape for shape in _filling(seen) if shape != now]
    nearest = sorted(others, key=lambda shape: (abs(math.log2(shape[0] / now[0])), shape))[:MOST_SHAPES]
    settings = [setting for shape in nearest if (setting := _shape(seen, shape, threads)) is not None]
    settings += [bound] if bound is not None else []
    if not settings:
        return Knob(SHAPE, (), None, f"{words(now)} fill the cores, and nothing else does")
    if seen.threads > 1:
        return Knob(SHAPE, tuple(settings), None, "the record does not show what threads lose among themselves")
    shares = seen.shares
    most = min(1.0, seen.idle + (1 - seen.idle) * (shares.mpi + shares.core_wait))
    idle = f"{q.percent(seen.idle)} of the cores idle, " if seen.idle else ""
    says = (
        f"{idle}MPI takes {q.percent(shares.mpi)} of the ranks' time, waiting for a core {q.percent(shares.core_wait)}"
    )
    return Knob(SHAPE, tuple(settings), most, says)


def fewer_cores(seen: Seen, shape: tuple[int, int], threads: Threads | None) -> list[Setting]:
    """Half the cores, a quarter …, as long as ranks or threads can be halved; none where that is not to be had."""
    found: list[Setting] = []
    ranks, number = shape
    while not _why_none(seen) and (ranks % 2 == 0 or number % 2 == 0):
        ranks, number = (ranks // 2, number) if ranks % 2 == 0 else (ranks, number // 2)
        setting = _shape(seen, (ranks, number), threads)
        found += [setting] if setting is not None else []
    return found


def binding(seen: Seen) -> Knob:
    """What moving about costs is seen where ranks wait for a core; what far memory costs is not."""
    setting = _bound_now(seen)
    if setting is None:
        has = "has cores of its own already" if seen.pinned else "cannot have cores of its own here"
        return Knob(BINDING, (), None, f"each rank {has}")
    if not _why_none(seen):
        return Knob(BINDING, (), None, f"it is one of {SHAPE}")
    setting = replace(setting, knob=BINDING, shape=None)
    lost = seen.shares.core_wait + seen.shares.mpi_wait
    says = f"ranks wait for a core, or for others, for {q.percent(lost)} of their time"
    if seen.numa_nodes > 1:
        return Knob(BINDING, (setting,), None, "the record does not show the cost of memory on another NUMA node")
    return Knob(BINDING, (setting,), lost, says)


def pins(seen: Seen) -> Change | None:
    """What binds the ranks of this job, wherever it comes from."""
    return pinning(seen.launcher, seen.family, seen.threads)


def words(shape: tuple[int, int]) -> str:
    ranks, threads = shape
    return f"{ranks} rank{'s' * (ranks > 1)} × {threads} thread{'s' * (threads > 1)}"


def _bound_now(seen: Seen) -> Setting | None:
    """The job's own shape on cores of its own; the others are bound as well, and it is to be held beside them."""
    change = None if seen.on_testbed or not seen.launcher else pins(seen)
    if change is None or seen.pinned or seen.ranks * seen.threads > sum(seen.cores):
        return None
    return Setting(SHAPE, "bound to cores", change, MayChange.NOTHING, shape=(seen.ranks, seen.threads))


def _why_none(seen: Seen) -> str:
    if not seen.tells_work:
        return "it is not known how much work the job does on another number of ranks (--figure, --same-work)"
    if seen.programs > 1:
        return "the job has several programs"
    if seen.on_testbed:
        return "the hosts of a testbed share the cores of this machine"
    if not seen.launcher:
        return "there is no launcher"
    if len(set(seen.cores)) > 1:
        return "the hosts have different numbers of cores"
    return ""


def _filling(seen: Seen) -> list[tuple[int, int]]:
    """Each rank within one host."""
    cores = seen.cores[0]
    return [
        (len(seen.cores) * cores // threads, threads)
        for threads in range(1, min(cores, MOST_THREADS) + 1)
        if cores % threads == 0
    ]


def _shape(seen: Seen, shape: tuple[int, int], threads: Threads | None) -> Setting | None:
    """None where the program has no threads. One that is not known takes OMP_NUM_THREADS, where it was seen to use
    OpenMP.
    """
    ranks, number = shape
    own = threads(seen, number) if threads else (Change() if number == 1 or seen.regions else None)
    if own is None:
        return None
    bound = pinning(seen.launcher, seen.family, number) or Change()
    change = combined(Change(ranks=ranks, environment=(("OMP_NUM_THREADS", str(number)),)), own, bound)
    return Setting(SHAPE, words(shape), change, MayChange.ORDER, shape=shape)
