"""Intel MPI: I_MPI_ADJUST_…, with the sizes of messages for which they hold.

"0:0-65535;3:65536-1048575;0:1048576-2147483647": algorithm 3 for blocks of these sizes. Tried with 2021.17 on four
ranks, by who sends how much to whom: the size is that of a block, a size that no range names gets the first algorithm
named, and a condition on the number of ranks ("@8-8") is not kept. So the ranges name every size, with 0 for its own
choice, and hold for communicators of all sizes. For MPI_Allgatherv the size is that of all blocks together;
MPI_Alltoallv and MPI_Alltoallw have none (Intel's developer reference, "I_MPI_ADJUST family").
"""

from __future__ import annotations

from collections.abc import Mapping

from clearway.tune.files.model import OWN, Choice, Left, Library, Settings, Settled, Written

ALGORITHMS = {
    "alltoall": {"bruck": "1", "isend_irecv": "2", "pairwise": "3", "plum": "4"},
    "alltoallv": {"isend_irecv": "1", "plum": "2"},
    "alltoallw": {"isend_irecv": "1"},
    "allgather": {"recursive_doubling": "1", "bruck": "2", "ring": "3", "gatherv_bcast": "4"},
    "allgatherv": {"recursive_doubling": "1", "bruck": "2", "ring": "3", "gatherv_bcast": "4"},
}
# Of operations on a vector: clearway tune tries them, files are not written for them. Those that look at who shares a
# host are left out.
ON_VECTORS = {
    "bcast": {"binomial": "1", "recursive_doubling": "2", "ring": "3", "shumilin": "7", "knomial": "8"},
    "reduce": {"shumilin": "1", "binomial": "2", "rabenseifner": "5", "knomial": "7"},
    "allreduce": {"recursive_doubling": "1", "rabenseifner": "2", "reduce_bcast": "3", "binomial_gather_scatter": "5",
                  "shumilin_ring": "7", "ring": "8", "knomial": "9"},
}  # fmt: skip
FLOWING = {"alltoall": "pairwise", "alltoallv": "plum", "allgather": "ring", "allgatherv": "ring"}
SIZELESS = ("alltoallv", "alltoallw")
WHOLE = ("allgatherv",)
MOST_BYTES = 2**31 - 1


def algorithms(operation: str) -> Mapping[str, str]:
    return {**ALGORITHMS, **ON_VECTORS}.get(operation, {})


def forced(operation: str, algorithm: str) -> Settings:
    return () if algorithm == OWN else ((_variable(operation), algorithms(operation)[algorithm]),)


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
    return f"Intel MPI has only one algorithm for MPI_{operation.capitalize()}, which sends all blocks at once"


def everywhere(_library: Library, _eager_bytes: int | None) -> Settings:
    return ()


def beware() -> str:
    return "Intel MPI does not distinguish communicators here: the settings apply to all sizes of communicators."


def write(settled: Settled) -> Written:
    environment: dict[str, str] = {}
    unwritten = []
    for choice in sorted(settled.choices, key=lambda each: -each.ranks):
        name = _variable(choice.operation)
        if name in environment:
            unwritten.append(Left(choice.operation, choice.ranks, "Intel MPI has one setting for all numbers of ranks"))
        elif choice.changes and choice.operation in ALGORITHMS:
            environment[name] = _ranges(choice)
    return Written({}, (*environment.items(), *settled.everywhere), tuple(unwritten))


def _ranges(choice: Choice) -> str:
    numbers = {**ALGORITHMS[choice.operation], OWN: "0"}
    if choice.operation in SIZELESS:
        return numbers[choice.single]
    factor = choice.ranks if choice.operation in WHOLE else 1
    steps = choice.from_zero(factor, MOST_BYTES)
    above = [*(step.from_bytes for step in steps[1:]), MOST_BYTES + 1]
    return ";".join(
        f"{numbers[step.algorithm]}:{step.from_bytes}-{end - 1}" for step, end in zip(steps, above, strict=True)
    )


def _variable(operation: str) -> str:
    return f"I_MPI_ADJUST_{operation.upper()}"
