"""Intel MPI: a machine file, and pinning by environment variables."""

from __future__ import annotations

from collections.abc import Sequence

from clearway.cluster.forms.maps import common_map, first_threads, masks, one_core_each, why_none
from clearway.cluster.forms.model import Form
from clearway.cluster.forms.network_card import libfabric_variables, untold
from clearway.cluster.forms.runs import runs
from clearway.cluster.placement import Placement
from clearway.job.change import Change

MACHINES = "machines"


def form(placement: Placement, directory: str, _program: Sequence[str]) -> Form:
    change = Change(
        environment=(*pinning(placement), *libfabric_variables(placement)),
        launcher_options=("-machinefile", f"{directory}/{MACHINES}"),
        ranks=len(placement.seats),
    )
    notes = (*untold(placement), *(() if common_map(placement) else why_none(placement)))
    return Form({MACHINES: machine_file(placement)}, change, notes=notes)


def machine_file(placement: Placement) -> str:
    return "".join(f"{placement.name_of(seats[0].host)}:{len(seats)}\n" for seats in runs(placement))


def pinning(placement: Placement) -> tuple[tuple[str, str], ...]:
    cores = common_map(placement)
    if cores is None:
        return ()
    if one_core_each(placement):
        return (("I_MPI_PIN", "1"), ("I_MPI_PIN_PROCESSOR_LIST", first_threads(cores)))
    return (("I_MPI_PIN", "1"), ("I_MPI_PIN_DOMAIN", f"[{masks(cores)}]"))
