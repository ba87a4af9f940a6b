"""A host's cores from short descriptions of them."""

from __future__ import annotations

from collections.abc import Sequence
from functools import cache

from clearway.cluster.model import Core


def cores_by_counts(
    sockets: int, numa_per_socket: int, cores_per_socket: int, threads_per_core: int
) -> tuple[Core, ...]:
    """Numbered as Linux mostly finds them: socket after socket, all second hardware threads after all first ones."""
    total = sockets * cores_per_socket
    return tuple(
        Core(
            cpus=tuple(index + thread * total for thread in range(threads_per_core)),
            numa=index * numa_per_socket // cores_per_socket,
            socket=index // cores_per_socket,
        )
        for index in range(total)
    )


def cores_of_node(threads: Sequence[Sequence[int]], numa: int, socket: int) -> tuple[Core, ...]:
    """`threads`: first the first hardware thread of each core, then the second ones, of as many cores as have one."""
    return tuple(
        Core(tuple(row[at] for row in threads if at < len(row)), numa, socket) for at in range(len(threads[0]))
    )


def threads_of_node(cores: Sequence[Core]) -> list[list[int]]:
    """The other way round. Cores with fewer hardware threads must stand last."""
    most = max(len(core.cpus) for core in cores)
    return [[core.cpus[row] for core in cores if row < len(core.cpus)] for row in range(most)]


@cache
def in_logical_order(cores: tuple[Core, ...]) -> tuple[Core, ...]:
    """A host's cores as hwloc numbers them: at each level of the tree by the first hardware thread."""

    def first(some: Sequence[Core]) -> int:
        return min(cpu for core in some for cpu in core.cpus)

    def key(core: Core) -> tuple[int, int, int]:
        same_socket = [other for other in cores if other.socket == core.socket]
        same_node = [other for other in same_socket if other.numa == core.numa]
        return first(same_socket), first(same_node), core.cpus[0]

    return tuple(sorted(cores, key=key))


def core_by_cpu(cores: tuple[Core, ...]) -> dict[int, Core]:
    """To whose hardware threads each number belongs."""
    return {cpu: core for core in cores for cpu in core.cpus}
