"""What calls send, by what was counted of them: messages one after another, and bytes, summed over ranks.

Counts are of what programs hand over. What crosses the network depends on the algorithm: of an all-to-all a rank keeps
its own block, a broadcast takes log2(p) messages one after another. The factors are those of the usual algorithms
(Thakur, Rabenseifner, Gropp, "Optimization of collective communication operations in MPICH", Int. J. High Perform.
Comput. Appl. 19, 49, 2005).
"""

from __future__ import annotations

from math import log2

RECEIVES = ("recv", "irecv", "wait", "test", "probe", "iprobe", "mprobe", "improbe", "mrecv", "imrecv", "cancel")


def messages(function: str, calls: float, ranks: float) -> float:
    """Sent one after another."""
    kind = _kind(function)
    if kind == "receives":
        return 0.0
    return calls * {"sends": 1.0, "to all": max(ranks - 1, 0.0), "tree": log2(max(ranks, 1))}.get(kind, log2(ranks))


def sent_bytes(function: str, nbytes: float, ranks: float) -> float:
    kind = _kind(function)
    if kind == "receives":
        return 0.0
    if kind == "to all":  # each has its own block for each, or all get the same
        return nbytes * (max(ranks - 1, 0.0) if "allgather" in function.lower() else 1 - 1 / ranks)
    return nbytes * (log2(max(ranks, 1)) if kind == "tree" else 1.0)


def of_neighbours(function: str) -> bool:
    """Whether its messages go from rank to rank, so that they may be those between blocks of space."""
    return _kind(function) in ("sends", "receives")


def _kind(function: str) -> str:
    name = function.removeprefix("MPI_").removesuffix("_c").lower()
    if name.startswith(RECEIVES):
        return "receives"
    if name.startswith(("alltoall", "ialltoall", "allgather", "iallgather")):
        return "to all"
    one_to_one = ("send", "isend", "bsend", "ibsend", "ssend", "issend", "rsend", "irsend", "start", "put", "get",
                  "rput", "rget", "accumulate", "raccumulate", "neighbor", "ineighbor")  # fmt: skip
    if name.startswith(one_to_one):
        return "sends"
    return "tree"
