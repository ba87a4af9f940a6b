"""The ranks run under Valgrind or an emulator, which carries out their instructions itself."""

from __future__ import annotations

from clearway.diagnosis.facts import Case
from clearway.diagnosis.facts.in_init import init_s
from clearway.diagnosis.facts.valgrind import emulator, valgrind
from clearway.diagnosis.finding import Evidence
from clearway.diagnosis.rules import Suspicion

TITLE = "The program runs under Valgrind"
EMULATED = "Another program carries out the instructions, as for another kind of processor"
REMEDIES = ()
LEAST_TIMES = 5.0  # slower: Valgrind's own manual, "from 5 to 100 times"; Memcheck more
LEAST_TIMES_EMULATED = 3.0  # seen with QEMU 7.2: 14 to 23 with numbers, 3 with whole numbers
LONG_S = 1.0  # in MPI_Init: it takes tenths of a second


def examine(case: Case) -> Suspicion | None:
    """Claims of computing, and of a long MPI_Init, what Valgrind takes at least."""
    library = valgrind(case)
    if library is None:
        return _emulated(case)
    says = (
        f"Valgrind carries out each instruction of the program itself, to check its use of memory or to count. "
        f"Computing and MPI_Init take {LEAST_TIMES:.0f} to 100 times as long; the figure assumes {LEAST_TIMES:.0f}. "
        f"Leave `valgrind` out of the command, unless you are looking for a mistake in the program."
    )
    told = (Evidence("loaded into each rank", library, "LD_PRELOAD"),)
    return Suspicion(_claims(case, LEAST_TIMES), says, told, confidence=0.9)


def _claims(case: Case, times: float) -> dict[str, float]:
    started_s = float(init_s(case).min()) * case.ranks
    spent = {"compute_s": case.losses.compute_s, "blocked_s": started_s if started_s > LONG_S * case.ranks else 0.0}
    return {cause: seconds * (1 - 1 / times) for cause, seconds in spent.items()}


def _emulated(case: Case) -> Suspicion | None:
    name = emulator(case)
    if name is None:
        return None
    says = (
        f"{name} translates each instruction of the program, and computes with its numbers by software. Computing "
        f"takes 3 to 20 times as long; the figure assumes {LEAST_TIMES_EMULATED:.0f}. Usual cause: a container or a "
        f"program made for another kind of processor (x86-64 on Arm, or Arm on x86-64), which the system then starts "
        f"so without a word. Take an image for this one (`docker pull --platform …`, `apptainer pull --arch …`), or "
        f"build it here."
    )
    told = (Evidence("runs each rank", name, "its name in the kernel"),)
    return Suspicion(_claims(case, LEAST_TIMES_EMULATED), says, told, confidence=0.9, title=EMULATED)
