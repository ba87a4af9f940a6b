"""All ranks take long until they have left MPI_Init: a script before the program, its libraries, MPI itself."""

from __future__ import annotations

import numpy as np
from numpy.typing import NDArray

from clearway.base import quantities as q
from clearway.diagnosis.facts import Case
from clearway.diagnosis.facts.counters import process_firsts
from clearway.diagnosis.facts.in_init import init_s
from clearway.diagnosis.facts.tables.blocked import Blocked, blocked_in_init
from clearway.diagnosis.facts.valgrind import valgrind
from clearway.diagnosis.finding import Evidence
from clearway.diagnosis.rules import Suspicion

TITLE = "Ranks take long to start"
REMEDIES = ()
LONG_S = 1.0  # blocked; loading a program takes tenths of a second, and MPI_Init not much more
WORTH_NAMING = 0.03  # of the wall-clock
MOSTLY = 0.5  # of the time in MPI_Init
USUAL = (
    "MPI looks for hosts, cards and other ranks, and connects to them. Look for slow name servers, for lost or "
    "filtered packets, and name the network card that MPI is to use."
)
# What to look at instead, by what it was blocked in.
ADVICE = {
    "receiving": "Look at the other end, which should answer: a name server, a server of licences, the launcher.",
    "sending": "Look at the other end, which should read: a log collector, another program.",
    "lock": "Find out which program holds it.",
    "full_pipe": "Its reader is slower than the rank. MPI itself writes to none: a tool around the ranks, which "
    "watches what they call or allocate (a profiler), writes what it sees there. Run without the tool.",
    "empty_pipe": "Look at the program that should write to the pipe.",
    "child": "Look at the program that is started there, and who starts it.",
    "memory": "Look at the disk that the libraries of MPI are on.",
    "file": "Look at the file system that it is on: keep what MPI loads on a local disk.",
    "system_call": "Look at what this call waits for (its manual page: `man 2 NAME`).",
}


def examine(case: Case) -> Suspicion | None:
    """Claims what even the rank that started fastest was blocked: that one of them is late has a rule of its own."""
    before_s, inside_s = _before_s(case), init_s(case)
    parts = {"before": float(before_s.min()), "init": float(inside_s.min())}
    if valgrind(case) is not None:  # which is why: `under-valgrind` tells of that
        return None
    long_s = {part: seconds for part, seconds in parts.items() if seconds >= LONG_S}
    lost_s = sum(long_s.values())
    if not long_s or lost_s * case.ranks < WORTH_NAMING * case.tables.ledger.wall_s:
        return None
    says, evidence = [], []
    who = "The rank" if case.ranks == 1 else "Each rank"
    if "before" in long_s:
        says.append(
            f"{who} stood still for {q.seconds(parts['before'])} or longer before the program itself began: a script "
            f"that starts it (module load, conda activate), or its libraries, looked for on a slow disk. Set up the "
            f"environment once, before mpirun; keep the program and its libraries on a local disk, and "
            f"LD_LIBRARY_PATH short."
        )
        evidence.append(_evidence("blocked before the program began", before_s, "from the start of the process"))
    if "init" in long_s:
        doing = _doing_in_init(case, inside_s)
        most = "" if doing is None else f", most of the time {doing.what}"
        advice = f": {USUAL}" if doing is None else f". {ADVICE[doing.activity]}"
        says.append(
            f"{who} was in MPI_Init for {q.seconds(parts['init'])} or longer, although no rank came late to "
            f"it{most}{advice}"
        )
        if doing is not None:
            samples = f"{q.plural(doing.samples, 'sample')} of the main threads"
            evidence.append(Evidence("blocked by that, all ranks", q.seconds(doing.seconds), samples))
        evidence.append(_evidence("in MPI_Init, without waits for late ranks", inside_s, "and for a core"))
    return Suspicion({"blocked_s": lost_s * case.ranks}, " ".join(says), tuple(evidence), confidence=0.8, at_start=True)


def _doing_in_init(case: Case, inside_s: NDArray[np.float64]) -> Blocked | None:
    """What ranks waited for there, where that was mostly one thing with a name."""
    rows = [row for row in blocked_in_init(case.run, case.books) if row.activity in ADVICE]
    return next((row for row in rows if row.seconds > MOSTLY * inside_s.sum()), None)


def _evidence(label: str, seconds: NDArray[np.float64], source: str) -> Evidence:
    return Evidence(label, f"{q.seconds(float(seconds.min()))} to {q.seconds(float(seconds.max()))}", source)


def _before_s(case: Case) -> NDArray[np.float64]:
    """By process: before its record began, neither running nor waiting for a core. Zero where that is not told."""
    rows = case.run.processes
    used_ns, delay_ns = (
        process_firsts(case, name) for name in ("process.cpu_all_threads_ns", "process.run_delay_all_threads_ns")
    )
    busy_s = [1e-9 * (used_ns[i] + delay_ns[i]) if i in used_ns and i in delay_ns else np.inf for i in range(len(rows))]
    result: NDArray[np.float64] = np.clip(rows["recording_s"] - rows["begin_s"] - np.array(busy_s), 0.0, None)
    return result
