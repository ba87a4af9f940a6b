"""The engine says in its own log that it makes new lists of neighbours nearly every step, and what that takes."""

from __future__ import annotations

from clearway.base import quantities as q
from clearway.diagnosis.facts import Case
from clearway.diagnosis.facts.engine_words import evidence, its_rank_s, word
from clearway.diagnosis.rules import Suspicion
from clearway.engines.words import About

TITLE = "Neighbour lists are rebuilt too often"
REMEDIES = ()
MUCH = 0.15  # of the engine's time: lists that are kept for ten steps take a few per cent of it, with short ranges more
USUAL_STEPS = 10  # that both engines keep a list for by default, or more
SETTINGS = {
    "GROMACS": "set `nstlist` to 10 or more in the .mdp file and leave `verlet-buffer-tolerance` at its default: mdrun "
    "then makes the list wide enough, and may raise `nstlist` itself",
    "LAMMPS": "`neigh_modify every 1 delay 10 check yes` rebuilds the list only when atoms have moved far enough; a "
    "wider skin (`neighbor`) lets it be kept longer",
}


def examine(case: Case) -> Suspicion | None:
    """Claims of computing what lists that are kept for the usual time would save."""
    engine, spent, kept = case.tables.engine, word(case, About.NEIGHBOURS), word(case, About.LIST_KEPT)
    if engine is None or spent is None or kept is None:
        return None
    if spent.value is None or kept.value is None or spent.value < MUCH or kept.value > USUAL_STEPS / 2:
        return None
    spared = spent.value * (1 - kept.value / USUAL_STEPS)
    spared_s = spared * its_rank_s(case)
    says = (
        f"{engine.name} keeps a list of neighbours for {kept.value:.2g} step{'' if kept.value == 1 else 's'} on "
        f"average, and building them takes {q.percent(spent.value)} of its time. The figure is for lists that are kept "
        f"for {USUAL_STEPS} steps: {SETTINGS.get(engine.name, 'keep them longer')}."
    )
    claims = {"compute_s": min(spared_s, case.losses.compute_s)}
    return Suspicion(claims, says, tuple(evidence(case, About.NEIGHBOURS, About.LIST_KEPT)), confidence=0.6)
