"""Slurm: a file with a line for each task, and a map of cores. Nodes have Slurm's names, whatever the network."""

from __future__ import annotations

from collections.abc import Sequence

from clearway.cluster.forms.maps import common_map, first_threads, masks, one_core_each, why_none
from clearway.cluster.forms.model import Form
from clearway.cluster.forms.network_card import libfabric_variables, open_mpi_parameters, ucx_variables, untold
from clearway.cluster.placement import Placement
from clearway.job.change import Change

TASKS = "tasks"
WHOLE_NODES = "the job needs whole nodes (--exclusive): Slurm refuses cores that are not allocated to it"


def form(placement: Placement, directory: str, _program: Sequence[str]) -> Form:
    change = Change(
        parameters=open_mpi_parameters(placement),
        environment=(*ucx_variables(placement), *libfabric_variables(placement)),
        launcher_options=("--distribution=arbitrary", *_binding(placement)),
        ranks=len(placement.seats),
    )
    return Form(
        {TASKS: "".join(f"{seat.host.name}\n" for seat in placement.seats)},
        change,
        prefix=("env", f"SLURM_HOSTFILE={directory}/{TASKS}"),
        notes=(*untold(placement), *((WHOLE_NODES,) if common_map(placement) else why_none(placement))),
    )


def _binding(placement: Placement) -> tuple[str, ...]:
    cores = common_map(placement)
    if cores is None:  # Slurm binds, then; from 22.05 on srun does not know what sbatch was told
        return (f"--cpus-per-task={placement.threads}",) if placement.threads > 1 else ()
    if one_core_each(placement):
        return (f"--cpu-bind=map_cpu:{first_threads(cores)}",)
    return (f"--cpu-bind=mask_cpu:{masks(cores)}",)
