"""GROMACS: the long-range electrostatics on ranks of their own, so that fewer take part in their all-to-alls: a quarter
of them, or as many as its log says are missing."""

from __future__ import annotations

from clearway.base.whole import is_whole
from clearway.diagnosis.facts import Case
from clearway.diagnosis.facts.engine_words import word
from clearway.diagnosis.facts.settings_in_force import program_option
from clearway.diagnosis.finding import Finding
from clearway.diagnosis.remedies import Offer
from clearway.engines.words import About, Word
from clearway.job.change import Change

EXCLUDES: frozenset[str] = frozenset()
MOST_WITHOUT = 18  # ranks on which mdrun sets none apart by itself


def offer(case: Case, finding: Finding) -> Offer | None:
    """No gain is promised: it depends on how well the two kinds of ranks are balanced."""
    if not case.tables.job.program.startswith("gmx"):
        return None
    told, uneven = program_option(case, "-npme"), word(case, About.PME_MORE, About.PME_LESS)
    if told is not None and is_whole(told) and int(told) > 0 and uneven is not None:
        return _as_it_says(case, int(told), uneven)
    if told is not None or not 4 <= case.ranks <= MOST_WITHOUT:
        return None
    if not any(row.function == "MPI_Alltoall" for row in case.tables.mpi_calls):
        return None
    apart = max(1, case.ranks // 4)
    return Offer(
        what=f"use {apart} of the {case.ranks} ranks for PME only",
        why="only these then take part in the all-to-alls of its Fourier transform (Kutzner et al. 2007)",
        gain=None,
        change=Change(program_options=("-npme", str(apart))),
    )


def _as_it_says(case: Case, apart: int, uneven: Word) -> Offer | None:
    """One more or one less than it was told."""
    better = apart + (1 if uneven.about == About.PME_MORE else -1)
    if not 0 <= better < case.ranks / 2:
        return None
    return Offer(
        what=f"use {better} separate PME ranks instead of {apart}" if better else "use no separate PME ranks",
        why=f"GROMACS says: {uneven.says}",
        gain=None,
        change=Change(program_options=("-npme", str(better))),
    )
