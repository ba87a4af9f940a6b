"""MPICH 1 (ch_p4): the process-group file. Its first number counts the processes besides the one that mpirun starts."""

from __future__ import annotations

from collections.abc import Sequence

from clearway.cluster.forms.model import Form
from clearway.cluster.forms.runs import runs
from clearway.cluster.placement import Placement
from clearway.cluster.placement.reasons import UNBOUND
from clearway.job.change import Change

GROUPS = "pgfile"
NO_CORES = "MPICH 1 does not bind ranks to cores; start the program with `numactl` or `taskset` to bind it"


def form(placement: Placement, directory: str, program: Sequence[str]) -> Form:
    change = Change(launcher_options=("-p4pg", f"{directory}/{GROUPS}"))
    return Form({GROUPS: group_file(placement, program[0])}, change, notes=(NO_CORES if placement.binds else UNBOUND,))


def group_file(placement: Placement, program: str) -> str:
    """To be used on the first host."""
    lines = []
    for at, seats in enumerate(runs(placement)):
        additional = len(seats) - 1 if at == 0 else len(seats)
        lines.append(f"{placement.name_of(seats[0].host)} {additional} {program}\n")
    return "".join(lines)
