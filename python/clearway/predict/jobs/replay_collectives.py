"""Recorded collective calls as lines of a Script."""

from __future__ import annotations

from collections.abc import Sequence

from clearway.run import Run

SAME = {
    "MPI_Barrier": "barrier",
    "MPI_Bcast": "bcast",
    "MPI_Reduce": "reduce",
    "MPI_Allreduce": "allreduce",
    "MPI_Allgather": "allgather",
    "MPI_Allgatherv": "allgatherv",
    "MPI_Alltoall": "alltoall",
    "MPI_Alltoallv": "alltoallv",
    "MPI_Alltoallw": "alltoallv",
}
# A Script has no word for these: what moves about as much in about as many rounds stands for them.
NEAREST = {
    "MPI_Gather": "reduce",
    "MPI_Gatherv": "reduce",
    "MPI_Scatter": "bcast",
    "MPI_Scatterv": "bcast",
    "MPI_Reduce_scatter": "allreduce",
    "MPI_Reduce_scatter_block": "allreduce",
    "MPI_Scan": "allreduce",
    "MPI_Exscan": "allreduce",
}
# A message between the root and each other rank, as MPIs do it but for short ones, which take a tree.
BY_MESSAGES = {"MPI_Gather": "gather", "MPI_Gatherv": "gather", "MPI_Scatter": "scatter", "MPI_Scatterv": "scatter"}
ROOTED = ("bcast", "reduce", "gather", "scatter")


class CollectiveLines:
    """`communicators`: world ranks by number, ascending, of those that are not the world itself.

    `spare_tag`: that no message of the job has.
    """

    def __init__(self, run: Run, spare_tag: int) -> None:
        self.run = run
        self.spare_tag = spare_tag
        self.ranks: list[int] = run.processes["rank"].tolist()
        everyone = list(range(len(self.ranks)))
        self.communicators: dict[int, list[int]] = {}
        for number, communicator in enumerate(run.communicators.all):
            members = sorted(self.ranks[process] for process in communicator.members)
            if len(members) > 1 and not communicator.inter and members != everyone:
                self.communicators[number] = members
        self.kinds = [
            BY_MESSAGES.get(name) or SAME.get(name) or NEAREST.get(name, "barrier")
            for name in (function.name.removesuffix("_c") for function in run.functions.all)
        ]
        self.instance_of: dict[int, int] = {}
        collectives = run.collectives
        for position, instance in zip(collectives.events.tolist(), collectives.instance.tolist(), strict=True):
            if collectives.whole[instance]:
                self.instance_of[position] = instance

    def lines(self, event: int) -> list[str]:
        """Empty where not every member's call is recorded, or where a rank is alone."""
        instance = self.instance_of.get(event)
        events, number = self.run.events, int(self.run.events.comm[event])
        if instance is None or self.run.communicators.all[number].size < 2:
            return []
        members = self.communicators.get(number, self.ranks)
        kind = self.kinds[int(events.function[event])]
        size = int(events.bytes[event])
        root = members.index(int(events.peer[event])) if kind in ROOTED else 0
        on = f" comm c{number}" if number in self.communicators else ""
        contributions = self.contributions(instance)
        if kind in BY_MESSAGES.values():
            own = members.index(self.ranks[int(events.process[event])])
            return [f"{line} tag {self.spare_tag}{on}" for line in messages(kind, own, root, contributions)]
        largest = max(contributions)
        words: dict[str, list[int]] = {
            "barrier": [],
            "bcast": [root, largest],
            "reduce": [root, largest],
            "allgatherv": contributions,
            "alltoall": [largest // len(members)],
            "alltoallv": [size // len(members)] * len(members),  # how they differ is not recorded
        }
        return [" ".join(map(str, [kind, *words.get(kind, [largest])])) + on]

    def contributions(self, instance: int) -> list[int]:
        """Bytes of each member, in order of rank."""
        collectives = self.run.collectives
        events = collectives.events[collectives.first[instance] : collectives.first[instance + 1]]
        by_rank = sorted(
            (self.ranks[process], size)
            for process, size in zip(
                self.run.events.process[events].tolist(), self.run.events.bytes[events].tolist(), strict=True
            )
        )
        return [size for _, size in by_rank]


def messages(kind: str, own: int, root: int, recorded: Sequence[int]) -> list[str]:
    """What member `own` does in a gather or scatter; `recorded` bytes by member: of a scatter the root has all."""
    blocks = recorded if kind == "gather" else [recorded[root] // len(recorded)] * len(recorded)
    at_root, elsewhere = ("recv", "send") if kind == "gather" else ("send", "recv")
    if own != root:
        return [f"{elsewhere} {root} {blocks[own]}"]
    return [f"{at_root} {member} {size}" for member, size in enumerate(blocks) if member != root]
