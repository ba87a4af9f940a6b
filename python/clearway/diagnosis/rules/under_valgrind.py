"""The ranks run under Valgrind, which carries out their instructions itself."""

from __future__ import annotations

from clearway.diagnosis.facts import Case
from clearway.diagnosis.facts.in_init import init_s
from clearway.diagnosis.facts.valgrind import valgrind
from clearway.diagnosis.finding import Evidence
from clearway.diagnosis.rules import Suspicion

TITLE = "The program runs under Valgrind"
REMEDIES = ()
LEAST_TIMES = 5.0  # slower: Valgrind's own manual, "from 5 to 100 times"; Memcheck more
LONG_S = 1.0  # in MPI_Init: it takes tenths of a second


def examine(case: Case) -> Suspicion | None:
    """Claims of computing, and of a long MPI_Init, what Valgrind takes at least."""
    library = valgrind(case)
    if library is None:
        return None
    says = (
        f"Valgrind carries out each instruction of the program itself, to check its use of memory or to count. "
        f"Computing and MPI_Init take {LEAST_TIMES:.0f} to 100 times as long; the figure assumes {LEAST_TIMES:.0f}. "
        f"Leave `valgrind` out of the command, unless you are looking for a mistake in the program."
    )
    started_s = float(init_s(case).min()) * case.ranks
    spent = {"compute_s": case.losses.compute_s, "blocked_s": started_s if started_s > LONG_S * case.ranks else 0.0}
    claims = {cause: seconds * (1 - 1 / LEAST_TIMES) for cause, seconds in spent.items()}
    return Suspicion(claims, says, (Evidence("loaded into each rank", library, "LD_PRELOAD"),), confidence=0.9)
