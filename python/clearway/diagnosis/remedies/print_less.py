"""Fewer lines on the screen, in the engine's own words."""

from __future__ import annotations

from clearway.diagnosis.facts import Case
from clearway.diagnosis.facts.settings_in_force import program_option, program_words
from clearway.diagnosis.finding import Finding
from clearway.diagnosis.remedies import Offer
from clearway.job.change import Change

EXCLUDES: frozenset[str] = frozenset()
# What no option of the command line does: by the engine's name, the line of its input, and what that does.
INPUT = {
    "NAMD": ("outputEnergies 1000", "energies are then printed only every 1,000 steps"),
    "Quantum ESPRESSO": ("verbosity = 'low'", "in &CONTROL: each step then prints less"),
    "CP2K": ("PRINT_LEVEL LOW", "in &GLOBAL: each step then prints less"),
    "Amber": ("ntpr = 1000", "energies are then printed only every 1,000 steps"),
}


def offer(case: Case, finding: Finding) -> Offer | None:
    """No gain is promised: how much of what is printed goes away depends on the input."""
    program, engine = case.tables.job.program, case.tables.engine.name if case.tables.engine else ""
    if program.startswith("gmx") and "-v" in program_words(case):
        return _offer("leave out -v", "mdrun then prints no progress to the screen", Change(without=("-v",)))
    screen = next((value for name in ("-screen", "-sc") if (value := program_option(case, name)) is not None), None)
    if program.startswith("lmp") and screen is None:
        why = "LAMMPS then prints to log.lammps only; `thermo 1000` in its input makes that shorter, too"
        return _offer("print nothing to the screen", why, Change(program_options=("-screen", "none")))
    if engine in INPUT:
        line, why = INPUT[engine]
        return Offer(what=f"put {line} into the input", why=why, gain=None, command=line)
    return None


def _offer(what: str, why: str, change: Change) -> Offer:
    return Offer(what=what, why=why, gain=None, change=change)
