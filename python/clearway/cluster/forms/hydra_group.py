"""Hydra's configuration file: what the process-group file of MPICH 1 has become. A program for each host."""

from __future__ import annotations

import shlex
from collections.abc import Sequence

from clearway.cluster.forms.maps import UNKNOWN
from clearway.cluster.forms.model import Form
from clearway.cluster.forms.network_card import libfabric_variables, ucx_variables, untold
from clearway.cluster.forms.runs import runs
from clearway.cluster.placement import Placement

GROUPS = "groups"
NO_CORES = "the ranks are not bound: this file has no words for cores; the host file has (--for mpich)"


def form(placement: Placement, directory: str, program: Sequence[str]) -> Form:
    """The file replaces all of the command line."""
    return Form(
        {GROUPS: group_file(placement, program)},
        command=("-configfile", f"{directory}/{GROUPS}"),
        prefix=_settings(placement),
        notes=(*untold(placement), NO_CORES if placement.binds else UNKNOWN),
    )


def group_file(placement: Placement, program: Sequence[str]) -> str:
    words = shlex.join(program)
    return "".join(f"-host {placement.name_of(seats[0].host)} -n {len(seats)} {words}\n" for seats in runs(placement))


def _settings(placement: Placement) -> tuple[str, ...]:
    told = [f"{name}={value}" for name, value in (*ucx_variables(placement), *libfabric_variables(placement))]
    return ("env", *told) if told else ()
