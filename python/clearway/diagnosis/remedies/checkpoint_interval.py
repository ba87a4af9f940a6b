"""Checkpoints less often, in the engine's own words: most of these stand in its input file."""

from __future__ import annotations

import math

from clearway.base import quantities as q
from clearway.diagnosis.facts import Case
from clearway.diagnosis.facts.checkpoints import Checkpoints, checkpoints
from clearway.diagnosis.facts.settings_in_force import program_option
from clearway.diagnosis.finding import Finding
from clearway.diagnosis.remedies import Offer
from clearway.job.change import Change

EXCLUDES: frozenset[str] = frozenset()
WORTH_IT = 0.1  # of the time in files
LEFT = 0.01  # of the wall-clock, for checkpoints
USUAL_STEPS = 10_000  # where the record does not tell how many steps there were
USUAL_MINUTES = 15.0  # GROMACS


def offer(case: Case, finding: Finding) -> Offer | None:
    """gain = the checkpoints' share of the time in files, less those that are still written."""
    found = checkpoints(case)
    if found is None or found.share < WORTH_IT:
        return None
    if found.engine == "gmx":
        return _gromacs(case, found)
    if found.engine == "pw.x":
        return _quantum_espresso(found)
    if found.written < 2:
        return None
    factor = max(2, math.ceil(found.share * finding.share / LEFT))
    now = found.steps_between(case.tables.engine.steps if case.tables.engine else None)
    steps = rounded(now * factor) if now else USUAL_STEPS
    every = "" if now is None else ", one each step" if now == 1 else f", one every {now:,} steps"
    return Offer(
        what=f"write checkpoints every {steps:,} steps, in the input file",
        why=f"{found.written:,} were written{every}: {q.percent(found.share)} of the time in files",
        gain=found.share * (1 - 1 / factor),
        command=_input_line(found, steps),
    )


def rounded(steps: int) -> int:
    """Up to a number that people choose: 1, 2 or 5 and zeros."""
    unit: int = 10 ** math.floor(math.log10(max(1, steps)))
    return next(digit * unit for digit in (1, 2, 5, 10) if digit * unit >= steps)


def _input_line(found: Checkpoints, steps: int) -> str:
    if found.engine == "namd":
        return f"restartfreq {steps}"
    if found.engine in ("pmemd", "sander"):
        return f"ntwr = {steps}"
    names = [name if found.over_again else f"{name}.*" for name in found.names[:2]]
    return f"restart {steps} {' '.join(names)}"


def _gromacs(case: Case, found: Checkpoints) -> Offer | None:
    """Only where it was told to: by itself it waits for a quarter of an hour."""
    try:
        told = float(program_option(case, "-cpt") or USUAL_MINUTES)
    except ValueError:
        return None
    if not 0 <= told < USUAL_MINUTES:
        return None
    return Offer(
        what=f"write a checkpoint every {USUAL_MINUTES:g} minutes",
        why=f"{q.percent(found.share)} of the time in files went into those that -cpt {told:g} asks for",
        gain=found.share * (1 - told / USUAL_MINUTES),
        change=Change(program_options=("-cpt", f"{USUAL_MINUTES:g}")),
    )


def _quantum_espresso(found: Checkpoints) -> Offer | None:
    if not found.over_again:
        return None
    return Offer(
        what="keep the wavefunctions in memory until the end, in &CONTROL of the input file",
        why=f"{q.percent(found.share)} of the time in files went into files of wavefunctions, which were written again "
        f"and again",
        gain=found.share,
        command="disk_io = 'low'",
    )
