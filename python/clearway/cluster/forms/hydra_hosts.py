"""Hydra by its command line alone: -hosts and -ppn. For the same number of ranks on each host."""

from __future__ import annotations

from collections.abc import Sequence

from clearway.base.errors import ClearwayError
from clearway.cluster.forms.maps import common_map, why_none
from clearway.cluster.forms.model import Form
from clearway.cluster.forms.network_card import libfabric_variables, ucx_variables, untold
from clearway.cluster.forms.runs import runs
from clearway.cluster.placement import Placement
from clearway.job.change import Change


def form(placement: Placement, _directory: str, _program: Sequence[str]) -> Form:
    """Raises ClearwayError where it takes a host file to say it."""
    sizes = [len(seats) for seats in runs(placement)]
    if any(size != sizes[0] for size in sizes[:-1]) or sizes[-1] > sizes[0]:
        raise ClearwayError(
            "-ppn is a single number, but the hosts have different numbers of ranks", "--for mpich writes a host file"
        )
    cores = common_map(placement)
    binding = ",".join("+".join(map(str, cpus)) for cpus in cores or ())
    hosts = ",".join(placement.name_of(seats[0].host) for seats in runs(placement))
    change = Change(
        environment=(*ucx_variables(placement), *libfabric_variables(placement)),
        launcher_options=(
            *("-hosts", hosts, "-ppn", str(sizes[0])),
            *(("-bind-to", f"user:{binding}") if cores else ()),
        ),
        ranks=len(placement.seats),
    )
    return Form({}, change, notes=(*untold(placement), *(() if cores else why_none(placement))))
