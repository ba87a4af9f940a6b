"""The forms by name, and which launcher reads which."""

from __future__ import annotations

from dataclasses import dataclass

from clearway.cluster.forms import ch_p4, charm, hydra_hosts, intel, intel_group, mpich, openmpi, platform, slurm
from clearway.cluster.forms.model import Make
from clearway.job.launcher_options import Grammar
from clearway.job.launchers.mpich_hydra import HYDRA, INTEL_HYDRA
from clearway.job.launchers.openmpi import OPEN_MPI_4, OPEN_MPI_5
from clearway.job.launchers.slurm import SRUN


@dataclass(frozen=True, slots=True)
class Entry:
    make: Make
    launcher: str
    """How the launcher is called, for an example of a command."""
    grammar: Grammar | None = None
    """None: this launcher's command line is not known; options go right behind its name."""


FORMS = {
    "openmpi4": Entry(openmpi.form_4, "mpirun", OPEN_MPI_4),
    "openmpi5": Entry(openmpi.form_5, "mpirun", OPEN_MPI_5),
    "mpich": Entry(mpich.form, "mpiexec", HYDRA),
    "intel": Entry(intel.form, "mpiexec", INTEL_HYDRA),
    "slurm": Entry(slurm.form, "srun", SRUN),
    "hydra-hosts": Entry(hydra_hosts.form, "mpiexec", HYDRA),
    "intel-group": Entry(intel_group.form, "mpiexec", INTEL_HYDRA),
    "ch_p4": Entry(ch_p4.form, "mpirun"),
    "charm": Entry(charm.form, "charmrun"),
    "platform": Entry(platform.form, "mpirun"),
}


def form_for(grammar: Grammar) -> str:
    """The name of the form that a launcher reads unless told otherwise: the first of its."""
    return next(name for name, entry in FORMS.items() if entry.grammar is grammar)
