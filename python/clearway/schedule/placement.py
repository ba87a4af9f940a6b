"""On which host each rank is, from what a person says: so many a host, or the hosts' sizes."""

from __future__ import annotations

from clearway.base.errors import ClearwayError
from clearway.base.ranges import numbers_of

MOST_RANKS = 1024  # what a person may look at within seconds; the library itself goes further


def place(ranks: int | None, per_host: int | None, host_sizes: str | None) -> tuple[int, ...]:
    """The host of each rank, consecutive ranks together. `host_sizes` is like "3,2,1".

    Raises ClearwayError where what is asked for contradicts itself.
    """
    if host_sizes is not None:
        if per_host is not None:
            raise ClearwayError(
                "--hosts and --per-host exclude each other: both give the ranks of each host", "give one of them"
            )
        hosts = tuple(host for host, size in enumerate(parse_sizes(host_sizes)) for _ in range(size))
        if ranks is not None and ranks != len(hosts):
            raise ClearwayError(
                f"--hosts {host_sizes} has {len(hosts)} ranks, but --ranks is {ranks}", "leave out --ranks"
            )
        return hosts
    if ranks is None:
        raise ClearwayError("no number of ranks", "--ranks N, or --hosts 3,2,1 for hosts of unequal size")
    if ranks < 1 or (per_host is not None and per_host < 1):
        raise ClearwayError("--ranks and --per-host must be at least 1", "--ranks 5 --per-host 2")
    if ranks > MOST_RANKS:
        raise ClearwayError(f"cannot show schedules of more than {MOST_RANKS} ranks", "give fewer ranks")
    return tuple(rank // (per_host or 1) for rank in range(ranks))


def parse_sizes(text: str) -> list[int]:
    sizes = numbers_of(text, least=1)
    if not sizes or sum(sizes) > MOST_RANKS:
        raise ClearwayError(
            f"'{text}' is not a list of ranks per host, 1 to {MOST_RANKS} in all",
            "--hosts 3,2,1: three hosts, six ranks",
        )
    return sizes
