"""Several simulations on one node at once, each on cores of its own: how many give most in all?"""

from __future__ import annotations

import os
import shlex
from collections.abc import Callable, Sequence
from dataclasses import replace

from clearway.base.errors import ClearwayError
from clearway.cluster.sysfs import this_machine
from clearway.experiment.plan import Variant
from clearway.experiment.runner import Ran
from clearway.experiment.sample import Figures
from clearway.experiment.variant_command import Line, LineOf
from clearway.job.change import Change, combined
from clearway.tune.knobs.placement import Threads, words
from clearway.tune.seen import Seen
from clearway.tune.setting import Knob, MayChange, Setting

KNOB = "simulations side by side"
MOST = 10  # ways to divide a node
UNBOUND = {"openmpi": ("--bind-to", "none"), "mpich": ("-bind-to", "none")}  # the cores are given from outside

Cores = tuple[int, ...]  # processors, one a core


def cores_here() -> Cores:
    """Of those that we may use; of a core with several hardware threads the first."""
    allowed = os.sched_getaffinity(0)
    first = [next((cpu for cpu in core.cpus if cpu in allowed), None) for core in this_machine()]
    return tuple(cpu for cpu in first if cpu is not None) or tuple(sorted(allowed))


def check_seen(seen: Seen) -> None:
    """Raises ClearwayError where simulations cannot be put side by side."""
    why = ""
    if not seen.launcher or seen.programs > 1:
        why = "it is not a single program under a launcher"
    elif seen.on_testbed or len(seen.cores) > 1:
        why = "it runs on several hosts"
    elif not seen.tells_work:
        why = "it is not known how much work it does (--figure, --same-work)"
    elif seen.family not in UNBOUND:
        why = f"it is not known how to switch off binding in its launcher ({seen.launcher})"
    if why:
        raise ClearwayError(
            f"cannot try simulations side by side with this job: {why}", "start it with mpirun on one node"
        )


def divisions(seen: Seen, threads: Threads | None, cores: Sequence[int]) -> Knob:
    """All in equal parts: within each, a rank a core, or one rank with a thread a core."""
    found = []
    for copies in (number for number in range(1, len(cores) + 1) if len(cores) % number == 0):
        part = len(cores) // copies
        for shape in dict.fromkeys([(part, 1), (1, part)]):
            setting = _division(seen, copies, shape, threads)
            if setting is not None and not (copies == 1 and shape == (seen.ranks, seen.threads)):
                found.append(setting)
    says = "the record of one simulation does not show how several on one node slow each other down"
    return Knob(KNOB, tuple(found[-MOST:]), None, says)


def _division(seen: Seen, copies: int, shape: tuple[int, int], threads: Threads | None) -> Setting | None:
    ranks, number = shape
    own = threads(seen, number) if threads else (Change() if number == 1 else None)
    if own is None:
        return None
    placed = Change(ranks=ranks, environment=(("OMP_NUM_THREADS", str(number)),),
                    launcher_options=UNBOUND[seen.family])  # fmt: skip
    name = f"{copies} × ({words(shape)})" if copies > 1 else words(shape)
    return Setting(KNOB, name, combined(placed, own), MayChange.ORDER, shape=shape, copies=copies)


def parts(cores: Cores, copies: int) -> list[Cores]:
    """Neighbours together."""
    size = len(cores) // copies
    return [cores[at * size : (at + 1) * size] for at in range(copies)]


def on_cores(line_of: LineOf, cores: Cores) -> LineOf:
    """The launcher and all that it starts, on these."""

    def line(variant: Variant) -> Line:
        own = line_of(variant)
        return replace(own, prefix=(*own.prefix, *taskset(cores)))

    return line


def taskset(cores: Cores) -> tuple[str, ...]:
    return ("taskset", "-c", ",".join(map(str, cores)))


def as_one(ran: Sequence[Ran]) -> Ran:
    """What all of them did together: speeds add up; of one that failed nothing counts."""
    spent_s = max(one.spent_s for one in ran)
    fault = next((one.fault for one in ran if one.fault), "")
    known = [one.figures for one in ran if one.figures is not None]
    if fault or len(known) < len(ran):
        return Ran(spent_s, None, fault or "printed no figure")
    return Ran(spent_s, _in_all(known))


def _in_all(known: Sequence[Figures]) -> Figures:
    """Seconds are those for as much work as one of them does."""
    slowest_s = max(one.wall_s for one in known)
    return replace(
        known[0],
        wall_s=slowest_s / len(known),
        mpi_s=_seconds(known, lambda one: one.mpi_s),
        s_per_step=_seconds(known, lambda one: one.s_per_step),
        figure_s=_seconds(known, lambda one: one.figure_s),
        ns_per_day=_sum([one.ns_per_day for one in known]),
        others_cores=None,  # each saw the rest of them
    )


def _seconds(known: Sequence[Figures], of: Callable[[Figures], float | None]) -> float | None:
    speeds = _sum([1 / seconds if (seconds := of(one)) else None for one in known])
    return 1 / speeds if speeds else None


def _sum(values: Sequence[float | None]) -> float | None:
    there = [value for value in values if value is not None]
    return sum(there) if len(there) == len(values) else None


def script_of(command: Sequence[str], cores: Cores, copies: int) -> str:
    """A line of a shell that runs them, each in a folder of its own: sim1, sim2 …"""
    each = [
        f"(cd sim{number} && {shlex.join([*taskset(part), *command])}) &"
        for number, part in enumerate(parts(cores, copies), 1)
    ]
    return " ".join([*each, "wait"])
