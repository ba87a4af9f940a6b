"""GROMACS: the long-range electrostatics on a quarter of the ranks, so that fewer take part in their all-to-alls."""

from __future__ import annotations

from clearway.diagnosis.facts import Case
from clearway.diagnosis.facts.settings_in_force import program_option
from clearway.diagnosis.finding import Finding
from clearway.diagnosis.remedies import Offer
from clearway.job.change import Change

EXCLUDES: frozenset[str] = frozenset()
MOST_WITHOUT = 18  # ranks on which mdrun sets none apart by itself


def offer(case: Case, finding: Finding) -> Offer | None:
    """No gain is promised: it depends on how well the two kinds of ranks are balanced."""
    if not case.tables.job.program.startswith("gmx") or program_option(case, "-npme") is not None:
        return None
    if not 4 <= case.ranks <= MOST_WITHOUT or not any(row.function == "MPI_Alltoall" for row in case.tables.mpi_calls):
        return None
    apart = max(1, case.ranks // 4)
    return Offer(
        what=f"set {apart} of the {case.ranks} ranks apart for PME",
        why="only these then take part in the all-to-alls of its Fourier transform (Kutzner et al. 2007)",
        gain=None,
        change=Change(program_options=("-npme", str(apart))),
    )
