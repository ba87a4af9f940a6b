"""The engine says in its own log that its input makes it compute something in a slower way than it has."""

from __future__ import annotations

from clearway.base import quantities as q
from clearway.diagnosis.facts import Case
from clearway.diagnosis.facts.engine_words import evidence, its_rank_s, word
from clearway.diagnosis.rules import Suspicion
from clearway.engines.words import About

TITLE = "The input asks for a slow way to compute the same"
REMEDIES = ()
MUCH = 0.05  # of the engine's time
WHY = {
    "LAMMPS": "An Ewald sum takes ever more time for each atom the more atoms there are; the mesh (PPPM) gives forces "
    "as exact, by the same figure, and takes hardly more for each. The figure is the least that it spares from 1,000 "
    "atoms on.",
    "Quantum ESPRESSO": "Each iteration of self-consistency takes over but a small part of the new density. A "
    "molecule, a semiconductor and a metal needed half of the iterations with the default; the figure is a third of "
    "them. Some surfaces and magnets need a small one: if the estimated accuracy swings instead of falling, take 0.3, "
    "or `mixing_mode = 'local-TF'`.",
}


def examine(case: Case) -> Suspicion | None:
    """Claims computing and moving data alike, as far as the faster way spares them."""
    engine, slow, faster = case.tables.engine, word(case, About.SLOW_WAY), word(case, About.FASTER)
    if engine is None or slow is None or faster is None or slow.value is None or slow.value < MUCH:
        return None
    share = slow.value * min(its_rank_s(case) / max(case.wall_s * case.ranks, 1e-9), 1.0)
    says = (
        f"{engine.name} could spare {q.percent(slow.value)} of its time with `{faster.says}` in the input. "
        f"{WHY.get(engine.name, '')}"
    )
    claims = {"compute_s": share * case.losses.compute_s, "transfer_s": share * case.losses.transfer_s}
    return Suspicion(claims, says.strip(), tuple(evidence(case, About.SLOW_WAY)), confidence=0.7)
