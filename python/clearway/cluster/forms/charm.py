"""charmrun, for NAMD without an MPI: a nodelist, and Charm++'s own map of cores."""

from __future__ import annotations

from collections.abc import Sequence

from clearway.base.errors import ClearwayError
from clearway.cluster.forms.maps import common_map, first_threads, require_one_core_each, why_none
from clearway.cluster.forms.model import Form
from clearway.cluster.forms.runs import runs
from clearway.cluster.placement import Placement
from clearway.job.change import Change

NODES = "nodelist"


def form(placement: Placement, directory: str, _program: Sequence[str]) -> Form:
    """Raises ClearwayError for what charmrun cannot be told."""
    require_one_core_each(placement, "charmrun")
    if len(runs(placement)) > len(placement.hosts):
        raise ClearwayError("charmrun always puts neighbouring ranks on one host", "leave out --order")
    cores = common_map(placement)
    change = Change(
        launcher_options=("++nodelist", f"{directory}/{NODES}", "++p", str(len(placement.seats))),
        program_options=("+setcpuaffinity", "+pemap", first_threads(cores)) if cores else (),
    )
    return Form({NODES: node_list(placement)}, change, notes=() if cores else why_none(placement))


def node_list(placement: Placement) -> str:
    """A process for each line; a host with several has as many lines."""
    lines = [f"  host {placement.name_of(seats[0].host)}\n" * len(seats) for seats in runs(placement)]
    return "".join(["group main\n", *lines])
