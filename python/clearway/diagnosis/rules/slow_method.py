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
    "LAMMPS": "With an Ewald sum, the time for each atom grows with the number of atoms; with the mesh (PPPM) it "
    "hardly does, and forces are computed to the same accuracy. The estimate is less than what was saved in our tests "
    "with 1,728 and 4,096 ions.",
    "Quantum ESPRESSO": "With a small `mixing_beta`, each iteration of self-consistency takes only a small part of "
    "the new density, so more of them are needed. For a molecule, a semiconductor and a metal, the default needed "
    "about half as many; the estimate counts a third. Some surfaces and magnets need a small value: if the "
    "estimated accuracy goes up and down instead of falling, take 0.3, or `mixing_mode = 'local-TF'`.",
}


def examine(case: Case) -> Suspicion | None:
    """Claims computing and moving data alike, as far as the faster way spares them."""
    engine, slow, faster = case.tables.engine, word(case, About.SLOW_WAY), word(case, About.FASTER)
    if engine is None or slow is None or faster is None or slow.value is None or slow.value < MUCH:
        return None
    share = slow.value * min(its_rank_s(case) / max(case.wall_s * case.ranks, 1e-9), 1.0)
    says = (
        f"{engine.name} could save {q.percent(slow.value)} of its time with `{faster.says}` in the input. "
        f"{WHY.get(engine.name, '')}"
    )
    claims = {"compute_s": share * case.losses.compute_s, "transfer_s": share * case.losses.transfer_s}
    return Suspicion(claims, says.strip(), tuple(evidence(case, About.SLOW_WAY)), confidence=0.7)
