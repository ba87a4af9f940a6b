"""The engine moves work from the ranks that have most to those that have least, step by step."""

from __future__ import annotations

from clearway.diagnosis.facts import Case
from clearway.diagnosis.facts.engine_words import word
from clearway.diagnosis.facts.settings_in_force import program_option, program_words
from clearway.diagnosis.finding import Finding
from clearway.diagnosis.remedies import Offer
from clearway.engines.words import About
from clearway.job.change import Change

EXCLUDES: frozenset[str] = frozenset()
ENGINES_PART = 0.25  # of what the finding costs
LAMMPS = "fix balance all balance 1000 1.1 shift xyz 10 1.1"  # when a run begins, and while it lasts


def offer(case: Case, finding: Finding) -> Offer | None:
    """No gain is promised: what a decomposition cannot divide stays uneven."""
    engine = case.tables.engine
    if engine is None or not _engine_agrees(case, finding):
        return None
    if engine.name == "GROMACS":
        return _gromacs(case)
    return _lammps(case) if engine.name == "LAMMPS" else None


def _engine_agrees(case: Case, finding: Finding) -> bool:
    """What the engine could move from rank to rank is what it measured itself. Where that is far less than the ranks
    waited for each other, one of them does something else longer: it writes, or it has a slower core.
    """
    measured = word(case, About.IMBALANCE)
    if measured is None or measured.value is None or word(case, About.EMPTY) is not None:
        return True
    return measured.value * case.wall_s >= ENGINES_PART * finding.cost_s


def _gromacs(case: Case) -> Offer | None:
    """Not with -reprod, which forbids it."""
    told = program_option(case, "-dlb")
    off = word(case, About.NOT_BALANCED)
    if off is None or told == "yes" or "-reprod" in program_words(case):
        return None
    return Offer(
        what="turn on GROMACS' dynamic load balancing",
        why=f"its log says: {off.says.rstrip('.')}",
        gain=None,
        change=Change(program_options=("-dlb", "yes")),
    )


def _lammps(case: Case) -> Offer | None:
    uneven = word(case, About.EMPTY) or word(case, About.IMBALANCE)
    if uneven is None:
        return None
    return Offer(
        what="let LAMMPS divide the box so that all ranks have the same work",
        why=f"its log says: {uneven.says}; put this line into the input, before `run`",
        gain=None,
        command=LAMMPS,
    )
