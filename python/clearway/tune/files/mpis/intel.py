"""Intel MPI: I_MPI_ADJUST_…, with the sizes of messages and of communicators for which they hold.

"3:16384-65535@8-8": algorithm 3 for messages of these sizes on 8 ranks; what no condition names, Intel MPI chooses as
ever. The size is that of a block for MPI_Alltoall and MPI_Allgather, of all blocks together for MPI_Allgatherv; for
MPI_Alltoallv and MPI_Alltoallw there is none (Intel's developer reference, "I_MPI_ADJUST family").
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from itertools import pairwise

from clearway.tune.files.model import OWN, Choice, Library, Settings, Settled, Step, Written

ALGORITHMS = {
    "alltoall": {"bruck": "1", "isend_irecv": "2", "pairwise": "3", "plum": "4"},
    "alltoallv": {"isend_irecv": "1", "plum": "2"},
    "alltoallw": {"isend_irecv": "1"},
    "allgather": {"recursive_doubling": "1", "bruck": "2", "ring": "3", "gatherv_bcast": "4"},
    "allgatherv": {"recursive_doubling": "1", "bruck": "2", "ring": "3", "gatherv_bcast": "4"},
}
FLOWING = {"alltoall": "pairwise", "alltoallv": "plum", "allgather": "ring", "allgatherv": "ring"}
SIZELESS = ("alltoallv", "alltoallw")
WHOLE = ("allgatherv",)


def algorithms(operation: str) -> Mapping[str, str]:
    return ALGORITHMS.get(operation, {})


def forced(operation: str, algorithm: str) -> Settings:
    return () if algorithm == OWN else ((_variable(operation), ALGORITHMS[operation][algorithm]),)


def told(operation: str, settings: Mapping[str, str]) -> tuple[str, Settings] | None:
    own_words = set(map(_variable, ALGORITHMS))
    rest = tuple((name, value) for name, value in settings.items() if name not in own_words)
    value = settings.get(_variable(operation), "")
    if not value:
        return OWN, rest
    return next(((name, rest) for name, number in algorithms(operation).items() if value == number), None)


def flowing(operation: str, _library: Library, _eager_bytes: int | None) -> str | None:
    return FLOWING.get(operation)


def lacks(operation: str) -> str:
    return f"Intel MPI has one way only to make MPI_{operation.capitalize()}: it sends all blocks at once"


def everywhere(_library: Library, _eager_bytes: int | None) -> Settings:
    return ()


def write(settled: Settled) -> Written:
    environment: dict[str, list[str]] = {}
    for choice in settled.choices:
        environment.setdefault(_variable(choice.operation), []).extend(_conditions(choice))
    told_ = tuple((name, ";".join(conditions)) for name, conditions in environment.items() if conditions)
    return Written({}, (*told_, *settled.everywhere))


def _conditions(choice: Choice) -> Iterator[str]:
    on = f"@{choice.ranks}-{choice.ranks}"
    if choice.operation in SIZELESS:
        if choice.single != OWN:
            yield f"{ALGORITHMS[choice.operation][choice.single]}:0-2147483647{on}"
        return
    factor = choice.ranks if choice.operation in WHOLE else 1
    steps = [*choice.steps, Step(choice.until_bytes, OWN)]
    for step, above in pairwise(steps):
        if step.algorithm != OWN:
            first, last = step.from_bytes * factor, above.from_bytes * factor - 1
            yield f"{ALGORITHMS[choice.operation][step.algorithm]}:{first}-{last}{on}"


def _variable(operation: str) -> str:
    return f"I_MPI_ADJUST_{operation.upper()}"
