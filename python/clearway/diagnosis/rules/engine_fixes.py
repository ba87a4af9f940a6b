"""LAMMPS says in its own log that most of its time goes into the fixes of the input, not into forces."""

from __future__ import annotations

from clearway.base import quantities as q
from clearway.diagnosis.facts import Case
from clearway.diagnosis.facts.engine_words import evidence, its_rank_s, word
from clearway.diagnosis.rules import Suspicion
from clearway.engines.words import About

TITLE = "LAMMPS spends much of its time in fixes"
REMEDIES = ()
MUCH = 0.4  # of the engine's time; chosen: moving the atoms takes some per cent, constraints and rigid bodies more


def examine(case: Case) -> Suspicion | None:
    """Claims what is above that share, of computing and of moving data: both are taken to be as in the whole step."""
    engine, spent = case.tables.engine, word(case, About.FIXES)
    if engine is None or spent is None or spent.value is None or spent.value < MUCH:
        return None
    above = (spent.value - MUCH) * min(its_rank_s(case) / max(case.wall_s * case.ranks, 1e-9), 1.0)
    says = (
        f"{q.percent(spent.value)} of the time of {engine.name} goes into fixes: the lines of the input that begin "
        f"with `fix`, and the computes that they use. {_look_at(case)} The figure is for what is above "
        f"{q.percent(MUCH)}. To see which fix takes the time, make short runs without one of them each."
    )
    claims = {"compute_s": above * case.losses.compute_s, "transfer_s": above * case.losses.transfer_s}
    return Suspicion(claims, says, tuple(evidence(case, About.FIXES, About.FIX)), confidence=0.6)


def _look_at(case: Case) -> str:
    """Constraints and thermostats must act in every step: it is the user who knows which fix need not."""
    which = "Look for one" if word(case, About.FIX) is None else "Those below do more than move the atoms: look for one"
    return (
        f"{which} that only measures or averages, which need not be in each step, or that iterates to a tolerance "
        f"tighter than you need."
    )
