"""The ranks run under Valgrind, which carries out their instructions itself."""

from __future__ import annotations

from clearway.diagnosis.facts import Case
from clearway.diagnosis.finding import Evidence
from clearway.diagnosis.rules import Suspicion

TITLE = "The program runs under Valgrind"
REMEDIES = ()
LEAST_TIMES = 5.0  # slower: Valgrind's own manual, "from 5 to 100 times"; Memcheck more
LIBRARY = "vgpreload_"  # that it loads into each program


def examine(case: Case) -> Suspicion | None:
    """Claims of computing what Valgrind takes at least."""
    loaded = (case.environment("LD_PRELOAD") or "").replace(" ", ":").split(":")
    library = next((path for path in loaded if path.rpartition("/")[2].startswith(LIBRARY)), None)
    if library is None:
        return None
    says = (
        f"Valgrind carries out each instruction of the program itself, to check its use of memory or to count. "
        f"Computing takes {LEAST_TIMES:.0f} to 100 times as long; the figure assumes {LEAST_TIMES:.0f}. Leave "
        f"`valgrind` out of the command, unless you are looking for a mistake in the program."
    )
    claims = {"compute_s": case.losses.compute_s * (1 - 1 / LEAST_TIMES)}
    return Suspicion(claims, says, (Evidence("loaded into each rank", library, "LD_PRELOAD"),), confidence=0.9)
