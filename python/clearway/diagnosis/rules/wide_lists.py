"""LAMMPS says in its own log that its lists of neighbours reach far beyond the cutoff."""

from __future__ import annotations

from clearway.base import quantities as q
from clearway.diagnosis.facts import Case
from clearway.diagnosis.facts.engine_words import evidence, its_rank_s, word
from clearway.diagnosis.rules import Suspicion
from clearway.engines.words import About

TITLE = "Neighbour lists reach far beyond the cutoff"
REMEDIES = ()
MUCH = 0.4  # of computing, at most: for less, a wide skin may save as much in lists that are kept longer
IN_VAIN = 0.5  # of a pair's time: it is read and its distance computed, and then nothing


def examine(case: Case) -> Suspicion | None:
    """Claims half of what pairs cost that are listed beyond the usual skin, were they like the others."""
    engine, wide = case.tables.engine, word(case, About.SKIN)
    if engine is None or wide is None or wide.value is None or wide.value < MUCH:
        return None
    stepping = min(its_rank_s(case) / max(case.wall_s * case.ranks, 1e-9), 1.0)
    says = (
        f"{engine.name} lists pairs of atoms that are much too far apart to act on each other, and checks them again "
        f"in each step: up to {q.percent(wide.value)} of what it computes. A smaller skin (`neighbor`) "
        f"makes the lists shorter; they then have to be built more often, which `neigh_modify check yes` decides. The "
        f"cost shown is half of that."
    )
    claims = {"compute_s": IN_VAIN * wide.value * stepping * case.losses.compute_s}
    return Suspicion(claims, says, tuple(evidence(case, About.SKIN, About.NEIGHBOURS, About.LIST_KEPT)), confidence=0.5)
