"""MPICH (Hydra): a host file whose lines say the cores of the host's ranks."""

from __future__ import annotations

from collections.abc import Sequence

from clearway.cluster.forms.model import Form
from clearway.cluster.forms.network_card import libfabric_variables, ucx_variables, untold
from clearway.cluster.forms.runs import runs
from clearway.cluster.placement import Placement, Seat
from clearway.cluster.placement.reasons import UNBOUND
from clearway.job.change import Change

HOSTS = "hosts"


def form(placement: Placement, directory: str, _program: Sequence[str]) -> Form:
    change = Change(
        environment=(*ucx_variables(placement), *libfabric_variables(placement)),
        launcher_options=("-f", f"{directory}/{HOSTS}"),
        ranks=len(placement.seats),
    )
    notes = (*untold(placement), *(() if placement.binds else (UNBOUND,)))
    return Form({HOSTS: host_file(placement)}, change, notes=notes)


def host_file(placement: Placement) -> str:
    return "".join(f"{placement.name_of(seats[0].host)}:{len(seats)}{_binding(seats)}\n" for seats in runs(placement))


def _binding(seats: Sequence[Seat]) -> str:
    if not seats[0].cpus:
        return ""
    return f" binding=user:{','.join('+'.join(map(str, seat.cpus)) for seat in seats)}"
