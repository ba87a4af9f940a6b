"""Settings that are made to find bugs, and were forgotten: what they cost counts as computing, and no rule sees it."""

from __future__ import annotations

from pathlib import PurePath

from clearway.base.visible import visible
from clearway.base.whole import is_whole
from clearway.diagnosis.facts import Case
from clearway.diagnosis.facts.settings_in_force import variable
from clearway.engines.words import About

PERTURB = "glibc.malloc.perturb="
FILLS = "the C library fills all memory that is allocated or given back"
OFF = ("", "0")
OF_PYTHON = {
    "PYTHONDEVMODE": "Python checks more while it runs",
    "PYTHONMALLOC": "Python checks each block of memory",
    "PYTHONTRACEMALLOC": "Python notes where each block of memory was allocated",
    "PYTHONDONTWRITEBYTECODE": "each rank compiles Python's modules anew at each start, where none are kept compiled",
}
DEBUG = "debug"  # in PYTHONMALLOC's value; the others choose an allocator
LONGEST = 60
UNCOUNTED = "No finding counts what that costs; a run without it shows it."
OF_THE_INPUT = {
    About.MEASURING: "All ranks meet in a barrier between the parts of each step, so that its table of times tells "
    "these apart.",
    About.UNSORTED: "Atoms are not put into the order of their places, so that neighbours may be far apart in memory, "
    "and each look at one may miss the caches.",
    About.DOUBLE: "A build in mixed precision computes twice as many numbers with one instruction, and moves half as "
    "many bytes. Double precision is needed for normal modes, and for minimising to very small forces.",
}


def debugging(case: Case) -> list[str]:
    """A note on each."""
    found = [(f"{name}={value}", does) for name, value, does in _settings(case)]
    notes = [f"{visible(setting, LONGEST)} is set: {does}. {UNCOUNTED}" for setting, does in found]
    return notes + _fewer_threads(case) + _of_the_input(case)


def _fewer_threads(case: Case) -> list[str]:
    """Of a runtime that was allowed to use fewer threads than it was asked for, and did."""
    asked = variable(case, "OMP_NUM_THREADS") or ""
    seen = case.tables.cores.most_threads if case.tables.cores else 1
    allowed = (variable(case, "OMP_DYNAMIC") or "").strip().lower() == "true"
    if not allowed or not is_whole(asked) or int(asked) <= seen:
        return []
    note = (
        f"OMP_DYNAMIC=true is set: the OpenMP runtime may use fewer threads than OMP_NUM_THREADS={asked}, GCC's by how "
        f"busy the machine was in the 15 minutes before. No rank had more than {seen} at work. {UNCOUNTED}"
    )
    return [note]


def _of_the_input(case: Case) -> list[str]:
    """What the engine's log tells of its input, whoever asked for it."""
    engine = case.tables.engine
    told = [each for each in case.tables.words if each.about in OF_THE_INPUT]
    if engine is None:
        return []
    return [
        f"{engine.name} says: {visible(each.says, LONGEST)}. {OF_THE_INPUT[each.about]} {UNCOUNTED}" for each in told
    ]


def _settings(case: Case) -> list[tuple[str, str, str]]:
    found = []
    perturb = variable(case, "MALLOC_PERTURB_") or ""
    if perturb not in OFF:
        found.append(("MALLOC_PERTURB_", perturb, FILLS))
    for tunable in (variable(case, "GLIBC_TUNABLES") or "").split(":"):
        if tunable.startswith(PERTURB) and tunable.removeprefix(PERTURB) not in OFF:
            found.append(("GLIBC_TUNABLES", tunable, FILLS))
    if not PurePath(case.fact("process.program") or "").name.startswith("python"):
        return found
    for name, does in OF_PYTHON.items():
        value = variable(case, name) or ""
        if value not in OFF and (name != "PYTHONMALLOC" or DEBUG in value):
            found.append((name, value, does))
    return found
