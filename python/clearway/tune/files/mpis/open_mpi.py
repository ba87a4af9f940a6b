"""Open MPI 4 and 5: the file of rules that its component "tuned" reads.

The file has the form of 4.x, which 5.x reads as well. (From 5.0.7 on it may begin with rule-file-version-2, whose
digits 4.x takes for its first number.) What its readers do with it, from their sources (coll_tuned_dynamic_file.c,
coll_tuned_decision_dynamic.c):

- a communicator takes the rules of the largest size that is not above its own; one smaller than all takes the first.
  So each list begins with size 0, and ends one above the size that was measured: both leave the choice to the MPI.
- a message takes the rule of the largest size that is not above its own, and the first must be 0. Its size is for
  MPI_Alltoall and MPI_Allgather that of all blocks together, for MPI_Allgatherv that of a mean block, and for
  MPI_Alltoallv always 0: there is one rule for all sizes.
- algorithm 0 is the MPI's own choice.
- 4.x asks the file before a coll_tuned_…_algorithm of the command line, 5.x after it.
- in 5.x the component "han" comes before "tuned" between hosts, but for all-to-alls; it must hand over.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping

from clearway.tune.files.model import (
    FILE_IN_DIRECTORY,
    OWN,
    Choice,
    Left,
    Library,
    Settings,
    Settled,
    Written,
)

FILE = "openmpi-rules.conf"
PREFIX = "OMPI_MCA_"
USE_RULES = f"{PREFIX}coll_tuned_use_dynamic_rules"
RULES_FILE = f"{PREFIX}coll_tuned_dynamic_rules_filename"
COLLECTIVES = {"allgather": 0, "allgatherv": 1, "alltoall": 3, "alltoallv": 4}  # coll_base_functions.h
# ompi_info --param coll tuned --level 9
ALGORITHMS = {
    "alltoall": {"linear": "1", "pairwise": "2", "modified_bruck": "3", "linear_sync": "4"},
    "alltoallv": {"basic_linear": "1", "pairwise": "2"},
    "allgather": {"linear": "1", "bruck": "2", "recursive_doubling": "3", "ring": "4", "neighbor": "5"},
    "allgatherv": {"default": "1", "bruck": "2", "ring": "3", "neighbor": "4"},
}
# Of operations on a vector: clearway tune tries them, files are not written for them.
ON_VECTORS = {
    "bcast": {"basic_linear": "1", "chain": "2", "pipeline": "3", "split_binary_tree": "4", "binary_tree": "5",
              "binomial": "6", "knomial": "7", "scatter_allgather": "8", "scatter_allgather_ring": "9"},
    "reduce": {"linear": "1", "chain": "2", "pipeline": "3", "binary": "4", "binomial": "5", "in-order_binary": "6",
               "rabenseifner": "7"},
    "allreduce": {"basic_linear": "1", "nonoverlapping": "2", "recursive_doubling": "3", "ring": "4",
                  "segmented_ring": "5", "rabenseifner": "6"},
}  # fmt: skip
# Without a wait for the receiver its own all-to-alls stay in step, and pairs do not always (docs/tuning-files.md).
FLOWING_EAGER = {"alltoall": OWN, "alltoallv": OWN, "alltoallw": OWN}
FLOWING = {"alltoall": "pairwise", "alltoallv": "pairwise", "allgather": "ring", "allgatherv": "ring"}
WHOLE = ("alltoall", "allgather")  # whose size is that of all blocks together
SIZELESS = ("alltoallv",)
HAN_SINCE = 5
HAN_TAKES = ("allgather", "allgatherv", "bcast", "reduce", "allreduce")
TUNED_OF_HAN = "3"  # ompi_info --param coll han --level 9: "3 = tuned"
EAGER = (f"{PREFIX}btl_tcp_eager_limit", f"{PREFIX}btl_tcp_rndv_eager_limit")
TRUE = ("1", "true", "yes", "enabled", "t", "y")


def algorithms(operation: str) -> Mapping[str, str]:
    return {**ALGORITHMS, **ON_VECTORS}.get(operation, {})


def forced(operation: str, algorithm: str) -> Settings:
    if algorithm == OWN:
        return ()
    chosen = (USE_RULES, "1"), (_parameter(operation), algorithms(operation)[algorithm])
    return (*chosen, (_han(operation), TUNED_OF_HAN)) if operation in HAN_TAKES else chosen


def told(operation: str, settings: Mapping[str, str]) -> tuple[str, Settings] | None:
    if RULES_FILE in settings:
        return None  # not one algorithm, but a choice among them
    own_words = {USE_RULES, *map(_parameter, ALGORITHMS), *map(_han, HAN_TAKES)}
    rest = tuple((name, value) for name, value in settings.items() if name not in own_words)
    if any(name.startswith(f"{_parameter(operation)}_") for name, _ in rest):
        return None  # segments, fan-outs, limits: not in every version's files
    value = settings.get(_parameter(operation), "0") if settings.get(USE_RULES, "0").lower() in TRUE else "0"
    if value in ("0", "ignore"):
        return OWN, rest
    for name, number in algorithms(operation).items():
        if value in (name, number):
            return name, rest
    return None


def flowing(operation: str, _library: Library, eager_bytes: int | None) -> str | None:
    return {**FLOWING, **(FLOWING_EAGER if eager_bytes else {})}.get(operation)


def lacks(operation: str) -> str:
    return f"Open MPI has only one algorithm for MPI_{operation.capitalize()}, which sends all blocks at once"


def everywhere(library: Library, eager_bytes: int | None) -> Settings:
    """Room for a header is in the limit, too."""
    if eager_bytes is None:
        return ()
    if library.over_ucx:
        return (("UCX_RNDV_THRESH", str(eager_bytes)),)
    return tuple((name, str(2 * eager_bytes)) for name in EAGER)


def beware() -> str:
    return (
        "On communicators of other sizes Open MPI chooses as usual. So it does, silently, on a host that does not see "
        "the file: all ranks must see the same file."
    )


def write(settled: Settled) -> Written:
    said = [each for each in settled.choices if each.changes]
    choices = [each for each in said if each.operation in COLLECTIVES]
    unwritten = tuple(Left(each.operation, each.ranks, lacks(each.operation)) for each in said if each not in choices)
    if not choices:
        return Written({}, settled.everywhere, unwritten)
    environment = [(USE_RULES, "1"), (RULES_FILE, f"{FILE_IN_DIRECTORY}{FILE}")]
    if settled.library.version[:1] >= (HAN_SINCE,):
        taken = {each.operation for each in choices if each.operation in HAN_TAKES}
        environment += [(_han(operation), TUNED_OF_HAN) for operation in sorted(taken)]
    text = "\n".join(_lines(settled, choices)) + "\n"
    return Written({FILE: text}, (*environment, *settled.everywhere), unwritten)


def _lines(settled: Settled, choices: list[Choice]) -> Iterator[str]:
    """Numbers, and behind "#" what they are: the reader skips that."""
    operations = [name for name in COLLECTIVES if any(each.operation == name for each in choices)]
    yield f"# Rules of coll/tuned for {' '.join(settled.library.name.split())}. Algorithm 0: as the MPI chooses itself."
    yield f"{len(operations)}  # collectives"
    for operation in operations:
        here = sorted((each for each in choices if each.operation == operation), key=lambda each: each.ranks)
        blocks = list(_by_size_of_communicator(here))
        yield f"{COLLECTIVES[operation]}  # MPI_{operation.capitalize()}"
        yield f"{len(blocks)}  # communicator sizes"
        for ranks, rules in blocks:
            yield f"{ranks} {len(rules)}  # ranks and more; sizes of messages"
            for size, algorithm in rules:
                number = "0" if algorithm == OWN else ALGORITHMS[operation][algorithm]
                yield f"{size} {number} 0 0  # bytes and more: {algorithm or 'own'}; fan-out, segment"


def _by_size_of_communicator(choices: list[Choice]) -> Iterator[tuple[int, list[tuple[int, str]]]]:
    """Rules for the sizes that were measured; between them the MPI chooses."""
    left_alone = [(0, OWN)]
    yield 0, left_alone
    measured = {each.ranks for each in choices}
    for each in choices:
        yield each.ranks, _rules(each)
        if each.ranks + 1 not in measured:
            yield each.ranks + 1, left_alone


def _rules(choice: Choice) -> list[tuple[int, str]]:
    if choice.operation in SIZELESS:
        return [(0, choice.single)]
    factor = choice.ranks if choice.operation in WHOLE else 1
    return [(step.from_bytes, step.algorithm) for step in choice.from_zero(factor)]


def _parameter(operation: str) -> str:
    return f"{PREFIX}coll_tuned_{operation}_algorithm"


def _han(operation: str) -> str:
    return f"{PREFIX}coll_han_{operation}_dynamic_global_communicator_module"
