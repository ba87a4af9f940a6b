"""Intel MPI's configuration file: a line for each host, as MPICH 1's process-group file has.

MPICH's Hydra reads such a file too, but starts all ranks on the first host that it names.
"""

from __future__ import annotations

import shlex
from collections.abc import Sequence

from clearway.cluster.forms.intel import pinning
from clearway.cluster.forms.maps import common_map, why_none
from clearway.cluster.forms.model import Form
from clearway.cluster.forms.network_card import libfabric_variables, untold
from clearway.cluster.forms.runs import runs
from clearway.cluster.placement import Placement
from clearway.job.change import Change

GROUPS = "groups"


def form(placement: Placement, directory: str, program: Sequence[str]) -> Form:
    change = Change(environment=(*pinning(placement), *libfabric_variables(placement)))
    notes = (*untold(placement), *(() if common_map(placement) else why_none(placement)))
    return Form({GROUPS: group_file(placement, program)}, change, ("-configfile", f"{directory}/{GROUPS}"), notes=notes)


def group_file(placement: Placement, program: Sequence[str]) -> str:
    words = shlex.join(program)
    return "".join(f"-host {placement.name_of(seats[0].host)} -n {len(seats)} {words}\n" for seats in runs(placement))
