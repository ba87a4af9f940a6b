"""How many ranks on which hosts."""

from __future__ import annotations

from collections.abc import Sequence

from clearway.base.errors import ClearwayError
from clearway.base.quantities import plural
from clearway.cluster.model import Host, Network
from clearway.cluster.placement import ports
from clearway.cluster.placement.dealing import level
from clearway.cluster.placement.model import Request


def room(host: Host, request: Request) -> int:
    """The ranks that the host holds: a core for each thread of each, and no more than the batch system allows."""
    units = sum(len(core.cpus) for core in host.cores) if request.hyper_threads else len(host.cores)
    limits = [units // request.threads] if host.cores else []
    limits += [limit for limit in (host.slots, request.per_host) if limit is not None]
    return min(limits, default=1)


def share_out(hosts: Sequence[Host], network: Network | None, request: Request) -> list[tuple[Host, int]]:
    """Hosts in the cluster's order, each with its number of ranks (1 or more). Raises ClearwayError."""
    free = [host for host in hosts if room(host, request)]
    in_turn = ports.in_turn(free, network, request.most_per_sub_switch)
    total = sum(room(host, request) for host in in_turn)
    ranks = total if request.ranks is None else request.ranks
    if ranks > total or ranks < 1:
        raise _too_many(hosts, in_turn, network, request, total)
    largest = max(room(host, request) for host in in_turn)
    if request.per_host is not None and largest < request.per_host:
        raise ClearwayError(
            f"no host has room for {request.per_host} ranks: the largest has room for {largest}",
            f"--per-host {largest}",
        )
    if request.spread:
        used = in_turn[:ranks]
    else:
        # One of the two orders is always as good as any other choice of hosts: a test tries them all.
        in_a_row = ports.part_after_part(free, network, request.most_per_sub_switch)
        choices = [_fewest(order, ranks, request) for order in (in_a_row, in_turn)]
        used = min(choices, key=lambda choice: (len(choice), ports.busiest_link(choice, network)))
    counts = _filled(used, ranks, request) if request.per_host else level([room(host, request) for host in used], ranks)
    in_order = {host.name: at for at, host in enumerate(hosts)}
    shares = [(host, count) for host, count in zip(used, counts, strict=True) if count]
    return sorted(shares, key=lambda share: in_order[share[0].name])


def _fewest(order: Sequence[Host], ranks: int, request: Request) -> list[Host]:
    used: list[Host] = []
    held = 0
    for host in order:
        if held >= ranks:
            break
        used.append(host)
        held += room(host, request)
    return used


def _filled(hosts: Sequence[Host], ranks: int, request: Request) -> list[int]:
    """One host after the other is filled."""
    counts: list[int] = []
    for host in hosts:
        counts.append(min(room(host, request), ranks - sum(counts)))
    return counts


def _too_many(
    hosts: Sequence[Host], usable: Sequence[Host], network: Network | None, request: Request, total: int
) -> ClearwayError:
    if request.ranks is not None and request.ranks < 1:
        return ClearwayError(f"cannot place {request.ranks} ranks", "--ranks must be at least 1: --ranks 8")
    hosts_have = f"{plural(len(usable), 'host')} {'has' if len(usable) == 1 else 'have'}"
    told = f"{request.ranks} ranks do not fit: {hosts_have} room for {total}"
    most, there = request.most_per_sub_switch, ports.hosts_on_parts(hosts, network).values()
    if most is not None and any(count > most for count in there):
        return ClearwayError(
            f"{told} with at most {most} on a sub-switch, where {'+'.join(map(str, there))} hosts are",
            "leave out --max-per-sub-switch: the answer then says which ports the cables should be in",
        )
    if not request.hyper_threads and any(len(core.cpus) > 1 for host in hosts for core in host.cores):
        return ClearwayError(f"{told}, one rank per core", "fewer --ranks, or two on a core: --hyper-threads")
    return ClearwayError(told, f"--ranks {total}" if total else "fewer --threads")
