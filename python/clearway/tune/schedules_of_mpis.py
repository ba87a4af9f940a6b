"""Which Schedules move data as the algorithms of the MPIs do, by their names and manuals (sources were not read).

An algorithm that none moves alike is not here, nor is one where its MPI would do something else than its name says
(docs/tune.md has the table): it is not simulated by something similar.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping
from dataclasses import dataclass

# Operations one after another, each by a Schedule; "": as the MPI does it where nothing is said.
Steps = tuple[tuple[str, str], ...]

BLOCKS = ("alltoall", "alltoallv", "allgather", "allgatherv")  # a block for each, or of each
ALL_TO_ALL = {
    "openmpi": {"linear": "direct", "basic_linear": "direct", "pairwise": "ordered", "modified_bruck": "bruck"},
    "mpich": {"brucks": "bruck", "scattered": "direct", "pairwise": "pairwise"},
    "intel": {"bruck": "bruck", "isend_irecv": "direct", "pairwise": "pairwise"},
}
ALLGATHER = {
    "openmpi": {"linear": "direct", "bruck": "bruck", "recursive_doubling": "recursive_doubling", "ring": "ring"},
    "mpich": {"brucks": "bruck", "recursive_doubling": "recursive_doubling", "ring": "ring"},
    "intel": {"bruck": "bruck", "recursive_doubling": "recursive_doubling", "ring": "ring"},
}
BCAST = {
    # In a tree of Open MPI a rank seems to send to all below it at once, which no Schedule does: see docs/tune.md.
    "openmpi": {"basic_linear": "linear", "pipeline": "chain", "scatter_allgather_ring": "scatter_ring"},
    "mpich": {"binomial": "binomial", "scatter_ring_allgather": "scatter_ring"},
    "intel": {"binomial": "binomial", "ring": "scatter_ring"},
}
REDUCE = {
    "openmpi": {"linear": "linear", "pipeline": "chain", "binomial": "binomial", "rabenseifner": "rabenseifner"},
    "mpich": {"binomial": "binomial", "reduce_scatter_gather": "rabenseifner"},
    "intel": {"binomial": "binomial", "rabenseifner": "rabenseifner"},
}
ALLREDUCE = {
    "openmpi": {"recursive_doubling": "recursive_doubling", "ring": "ring", "rabenseifner": "rabenseifner"},
    "mpich": {"recursive_doubling": "recursive_doubling", "reduce_scatter_allgather": "rabenseifner"},
    "intel": {"recursive_doubling": "recursive_doubling", "rabenseifner": "rabenseifner", "ring": "ring"},
}
TABLES = {"alltoall": ALL_TO_ALL, "alltoallv": ALL_TO_ALL, "allgather": ALLGATHER, "allgatherv": ALLGATHER,
          "bcast": BCAST, "reduce": REDUCE, "allreduce": ALLREDUCE}  # fmt: skip
# To rank 0, and from there to all.
IN_TWO: Mapping[tuple[str, str], Steps] = {
    ("openmpi", "basic_linear"): (("reduce", "linear"), ("bcast", "linear")),
    ("openmpi", "nonoverlapping"): (("reduce", ""), ("bcast", "")),
}
ELEMENT_BYTES = 8  # at most, of the vectors that are reduced


@dataclass(frozen=True, slots=True)
class Asked:
    """A call, as far as it decides what an algorithm does."""

    operation: str  # "alltoallv"
    nbytes: int  # of a block, or of the vector
    hosts: tuple[int, ...]  # of each rank of the communicator
    eager_bytes: int | None  # messages up to this size are sent unasked; None: not known

    @property
    def ranks(self) -> int:
        return len(self.hosts)

    @property
    def power_of_two(self) -> bool:
        return self.ranks & (self.ranks - 1) == 0

    @property
    def host_after_host(self) -> bool:
        changes = sum(before != after for before, after in zip(self.hosts, self.hosts[1:], strict=False))
        return changes == len(set(self.hosts)) - 1

    @property
    def has_an_element_each(self) -> bool:
        return self.nbytes >= ELEMENT_BYTES * self.ranks

    @property
    def at_once(self) -> bool:
        """Whether all send without being asked: a root that asks one after another is not what a Schedule does."""
        return self.eager_bytes is not None and self.nbytes < self.eager_bytes


def steps_of(family: str, name: str, asked: Asked) -> Steps | None:
    """None where no Schedule does what this algorithm of the MPI does."""
    if asked.operation == "allreduce" and (family, name) in IN_TWO:
        steps = IN_TWO[family, name]
        return steps if all(schedule != "linear" for _, schedule in steps) or asked.at_once else None
    schedule = TABLES[asked.operation].get(family, {}).get(name, "")
    if not schedule:
        return None
    if schedule == "pairwise" and not asked.power_of_two:
        schedule = "ordered"
    fits = CONDITIONS.get((kind_of(asked.operation), schedule))
    if fits and not fits(asked):
        return None
    return ((kind_of(asked.operation), schedule),)


CONDITIONS: Mapping[tuple[str, str], Callable[[Asked], bool]] = {
    ("allgather", "recursive_doubling"): lambda asked: asked.power_of_two,
    ("allgather", "ring"): lambda asked: asked.host_after_host,  # ours follows the hosts, theirs the ranks
    ("allreduce", "ring"): lambda asked: asked.host_after_host and asked.has_an_element_each,
    ("allreduce", "rabenseifner"): lambda asked: asked.has_an_element_each,
    ("reduce", "rabenseifner"): lambda asked: asked.has_an_element_each,
    ("reduce", "linear"): lambda asked: asked.at_once,
}


def kind_of(operation: str) -> str:
    """As Schedules name it: with or without a size for each rank."""
    return operation.removesuffix("v") if operation in BLOCKS else operation
