"""Platform MPI (IBM Spectrum MPI's ancestor): hosts and the map of cores on the command line."""

from __future__ import annotations

from collections.abc import Sequence

from clearway.cluster.forms.maps import common_map, first_threads, require_one_core_each, why_none
from clearway.cluster.forms.model import Form
from clearway.cluster.forms.runs import runs
from clearway.cluster.placement import Placement
from clearway.job.change import Change


def form(placement: Placement, _directory: str, _program: Sequence[str]) -> Form:
    require_one_core_each(placement, "Platform MPI")
    cores = common_map(placement)
    hosts = ",".join(f"{placement.name_of(seats[0].host)}:{len(seats)}" for seats in runs(placement))
    binding = (f"-cpu_bind=v,map_cpu:{first_threads(cores)}",) if cores else ()
    change = Change(launcher_options=("-hostlist", hosts, "-np", str(len(placement.seats)), *binding))
    return Form({}, change, notes=() if cores else why_none(placement))
