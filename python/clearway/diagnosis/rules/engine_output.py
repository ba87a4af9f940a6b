"""The engine says in its own log that it spends much of its time writing what it computed."""

from __future__ import annotations

from clearway.base import quantities as q
from clearway.diagnosis.facts import Case
from clearway.diagnosis.facts.engine_words import evidence, its_rank_s, word
from clearway.diagnosis.rules import Suspicion
from clearway.engines.words import About

TITLE = "The engine spends its time writing output"
REMEDIES = ()
MUCH = 0.05  # of the engine's time: what is written for the user's sake is no fault
LESS_OFTEN = 0.9  # comes back if a tenth as much is written
FEW_BYTES_PER_S = 1e5  # turning numbers into text makes a hundred times as many
COMPUTES = {
    "LAMMPS": "what is printed has to be computed first. Each `compute` over all atoms that `thermo_style` names is "
    "done for each line, and `thermo` sets the number of steps between lines",
}
SETTINGS = {
    "GROMACS": "`nstxout`, `nstvout` and `nstfout` in the .mdp file ask for all atoms in full precision, which is "
    "hardly ever needed; `nstxout-compressed` and `nstenergy` set how often the rest is written, `-cpt` how often a "
    "checkpoint",
    "LAMMPS": "`dump`, `restart` and `thermo` in the input set how often; text takes longer than a binary "
    "dump (`dump atom` with `binary`, `dump dcd`, `dump xtc`)",
}


def examine(case: Case) -> Suspicion | None:
    """Claims what is left of that time without the files' own: collecting from all ranks, turning numbers into text.

    Where rank 0 does so alone, the others wait for it: such waiting is no uneven load.
    """
    engine, told = case.tables.engine, word(case, About.OUTPUT)
    if engine is None or told is None or told.value is None or told.value < MUCH:
        return None
    lost = case.losses
    spent_s = told.value * its_rank_s(case)
    left_s = LESS_OFTEN * max(spent_s - lost.io_s - lost.blocked_s, 0.0)
    ledger = case.books.ledger["compute_s"]
    # It may have left no record.
    writer = next((row for row, rank in enumerate(case.tables.ranks) if rank.rank == 0), None)
    is_last = writer is not None and ledger[writer] == ledger.max()
    waited_s = min(left_s, lost.imbalance_s) if is_last else 0.0
    computed_s = min(left_s - waited_s, lost.compute_s)
    written = int(case.run.files.data["written_bytes"].sum())
    says = f"{engine.name} spends {q.percent(told.value)} of its time on output. "
    pictures = list(evidence(case, About.PICTURES))
    if pictures:
        says += (
            "The input has pictures drawn while the job runs: that computes the colour of each point, and takes "
            "longer than writing the atoms. Write a `dump` of atoms, and draw pictures from it afterwards (OVITO, VMD, "
            "or LAMMPS' `rerun`), or draw fewer and smaller ones. The figure is what a tenth as many would save."
        )
    elif engine.name in COMPUTES and written < FEW_BYTES_PER_S * spent_s / case.ranks:
        says += (
            f"Only {q.bytes_(written)} were written, so the files are not the reason: {COMPUTES[engine.name]}. The "
            f"figure is what a tenth as many lines would save."
        )
    else:
        says += (
            f"Counted here is collecting the atoms of all ranks and turning numbers into text, not the time in the "
            f"files themselves. The figure is what writing a tenth as much would save: "
            f"{SETTINGS.get(engine.name, 'write less')}."
        )
    claims = {"imbalance_s": waited_s, "compute_s": computed_s}
    return Suspicion(claims, says, (*evidence(case, About.OUTPUT), *pictures), confidence=0.8)
