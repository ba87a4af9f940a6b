"""MPICH 4 and 5: the tree by which it chooses its algorithms, as JSON.

MPICH reads a whole tree or none (csel.c): a collective that is not in it has no algorithm, and ends the job. The tree
that it uses by itself lies in its library as text, so it is taken from there, of just that release, and only the
branches that were measured are put in. Besides:

- sizes of messages are known for MPI_Alltoall (of a block) and MPI_Allgather(v) (of all blocks together). For
  MPI_Alltoallv a rank knows its own blocks only, and ranks that choose differently may hang: no size is asked for.
- of MPI_Alltoallv and MPI_Alltoallw there is one algorithm, "scattered".
- "comm_size<N" is "not above N" at some places of its search (csel.c, MPIR_Csel_search), so it is never said here.
- a file of another release, or none at that place, ends every job when it starts.
- releases before 4.1 map the file and read it up to a zero byte: it must not fill its last page.
"""

from __future__ import annotations

import json
from collections.abc import Mapping
from itertools import pairwise
from pathlib import Path
from typing import Any

from clearway.base.errors import ClearwayError
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

FILE = "mpich-tree.json"
TREE_FILE = "MPIR_CVAR_COLL_SELECTION_TUNING_JSON_FILE"
PAGE_BYTES = 4096
MOST_BYTES = 2**31 - 1  # its numbers are those of atoi
FOLDERS = ("/usr/lib/x86_64-linux-gnu", "/usr/lib/aarch64-linux-gnu", "/usr/lib64/mpich/lib")
ALGORITHMS = {
    "alltoall": ("brucks", "scattered", "pairwise"),
    "allgather": ("brucks", "recursive_doubling", "ring"),
    "allgatherv": ("brucks", "recursive_doubling", "ring"),
}
# Of operations on a vector: clearway tune tries them, files are not written for them.
ON_VECTORS = {
    "bcast": ("binomial", "scatter_recursive_doubling_allgather", "scatter_ring_allgather"),
    "reduce": ("binomial", "reduce_scatter_gather"),
    "allreduce": ("recursive_doubling", "reduce_scatter_allgather"),
}
# Without a wait for the receiver "scattered" stays in step; it floods ports with it (docs/tuning-files.md).
FLOWING_EAGER = {"alltoall": "scattered", "alltoallv": OWN, "alltoallw": OWN}
FLOWING = {"allgather": "ring", "allgatherv": "ring"}
SCATTERED = ("alltoallv", "alltoallw")
# Where the algorithms between the ranks of one communicator stand in the tree, and what sizes are called there.
BRANCHES = {
    "alltoall": (("comm_type=intra", "is_sendbuf_inplace=no"), "avg_msg_size"),
    "allgather": (("comm_type=intra",), "total_msg_size"),
    "allgatherv": (("comm_type=intra",), "total_msg_size"),
}
LAST = "neighbor_alltoallw"  # only the tree of all collectives has it: others are of devices

Tree = dict[str, Any]


def algorithms(operation: str) -> Mapping[str, str]:
    return {name: name for name in {**ALGORITHMS, **ON_VECTORS}.get(operation, ())}


def forced(operation: str, algorithm: str) -> Settings:
    return () if algorithm == OWN else ((_variable(operation), algorithm),)


def told(operation: str, settings: Mapping[str, str]) -> tuple[str, Settings] | None:
    if TREE_FILE in settings:
        return None  # not one algorithm, but a choice among them
    own_words = set(map(_variable, (*ALGORITHMS, *SCATTERED)))
    rest = tuple((name, value) for name, value in settings.items() if name not in own_words)
    value = settings.get(_variable(operation), "auto")
    if value == "auto" or (value == "scattered" and operation in SCATTERED):
        return OWN, rest
    return (value, rest) if value in algorithms(operation) else None


def flowing(operation: str, library: Library, eager_bytes: int | None) -> str | None:
    eager = eager_bytes is not None and library.over_ucx
    return {**FLOWING, **(FLOWING_EAGER if eager else {})}.get(operation)


def lacks(operation: str) -> str:
    return (
        f"no algorithm of MPICH's MPI_{operation.capitalize()} avoids congestion, and without UCX its eager limit "
        f"cannot be raised"
    )


def everywhere(library: Library, eager_bytes: int | None) -> Settings:
    return (("UCX_RNDV_THRESH", str(eager_bytes)),) if library.over_ucx and eager_bytes else ()


def beware() -> str:
    return (
        "The file is the selection tree of this MPICH release with some branches changed: on communicators of other "
        "sizes it chooses as usual. With another release of MPICH, or on a host that does not see the file, the job "
        "ends when it starts: set these lines only together with the module of this MPICH."
    )


def write(settled: Settled) -> Written:
    """Raises ClearwayError where the library's own tree cannot be had."""
    choices = [each for each in settled.choices if each.operation in BRANCHES and each.changes]
    unwritten = tuple(
        Left(each.operation, each.ranks, f"MPI_{each.operation.capitalize()} has no sizes in MPICH's tree")
        for each in settled.choices
        if each.operation not in BRANCHES and each.changes
    )
    if not choices:
        return Written({}, settled.everywhere, unwritten)
    tree, known = _tree_of(settled.library)
    for operation in {each.operation: None for each in choices}:
        _put(tree, operation, [each for each in choices if each.operation == operation], known)
    text = json.dumps(tree, indent=1) + "\n"
    if len(text.encode()) % PAGE_BYTES == 0:
        text += "\n"
    return Written({FILE: text}, ((TREE_FILE, f"{FILE_IN_DIRECTORY}{FILE}"), *settled.everywhere), unwritten)


def _put(tree: Tree, operation: str, choices: list[Choice], known: bytes) -> None:
    """Branches for the sizes of communicators that were measured; all others find what was there."""
    path, size_word = BRANCHES[operation]
    parent: Tree = tree[f"collective={operation}"]
    try:
        for word in path[:-1]:
            parent = parent[word]
        before: Tree = parent[path[-1]]
    except (KeyError, TypeError):
        raise _no_tree(f"its branch of MPI_{operation.capitalize()} has another form") from None
    branches: Tree = {}
    for each in sorted(choices, key=lambda one: one.ranks):
        branches.setdefault(f"comm_size<={each.ranks - 1}", before)
        branches[f"comm_size<={each.ranks}"] = _by_size(each, size_word, before, known)
    parent[path[-1]] = {**branches, "comm_size=any": before}


def _by_size(choice: Choice, size_word: str, before: Tree, known: bytes) -> Tree:
    factor = choice.ranks if size_word == "total_msg_size" else 1
    *steps, last = choice.from_zero(factor, MOST_BYTES)
    branches: Tree = {}
    for step, above in pairwise((*steps, last)):
        leaf = _leaf(choice.operation, step.algorithm, before, known)
        branches[f"{size_word}<{above.from_bytes}"] = leaf
    return {**branches, f"{size_word}=any": _leaf(choice.operation, last.algorithm, before, known)}


def _leaf(operation: str, algorithm: str, before: Tree, known: bytes) -> Tree:
    if algorithm == OWN:
        return before
    word = f"algorithm=MPIR_{operation.capitalize()}_intra_{algorithm}"
    if word.encode() not in known:
        raise _no_tree(f"it has no {word.partition('=')[2]}")
    return {word: {}}


def _tree_of(library: Library) -> tuple[Tree, bytes]:
    """The tree in the library's own text, and all of the library. Raises ClearwayError."""
    if library.path is None:
        raise _no_tree("its libmpi.so was not found")
    try:
        known = library.path.read_bytes()
    except OSError as error:
        raise _no_tree(f"cannot read '{library.path}': {error.strerror}") from None
    at = known.find(b'{"collective=')
    while at >= 0:
        text = known[at : known.find(b"\0", at)]
        if f'"collective={LAST}"'.encode() in text:
            return _parsed(text), known
        at = known.find(b'{"collective=', at + 1)
    raise _no_tree(f"'{library.path}' has none")


def _parsed(text: bytes) -> Tree:
    try:
        tree: Tree = json.loads(text)
    except ValueError:
        raise _no_tree("it cannot be read") from None
    return tree


def _no_tree(why: str) -> ClearwayError:
    return ClearwayError(
        f"cannot read MPICH's own selection tree: {why}", "give the library: --mpi-library …/libmpi.so.12"
    )


def default_libraries() -> list[Path]:
    """Where Debian, Fedora and their like put it."""
    return [Path(folder) / name for folder in FOLDERS for name in ("libmpich.so.12", "libmpi.so.12")]


def _variable(operation: str) -> str:
    return f"MPIR_CVAR_{operation.upper()}_INTRA_ALGORITHM"
