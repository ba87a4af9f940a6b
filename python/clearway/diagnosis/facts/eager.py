"""The size above which a job's MPI asks the receiver before it sends, and messages above it."""

from __future__ import annotations

from clearway.base.whole import is_whole
from clearway.diagnosis.facts import Case
from clearway.diagnosis.facts.settings_in_force import parameter, variable
from clearway.diagnosis.facts.transport import OPEN_MPI_TCP, UCX, transport
from clearway.job.change import Change

# Open MPI 4 and 5: ompi_info --param btl tcp --level 9. UCX decides by an estimate; 8 KiB is what it comes to over TCP.
EAGER_WORDS = {OPEN_MPI_TCP: 65536, UCX: 8192}
MOST_BYTES = 1 << 20  # an eager message is copied into the receiver's memory: too many of them fill it


def eager_limit_bytes(case: Case) -> int:
    way = transport(case)
    told = parameter(case, "btl_tcp_eager_limit") if way == OPEN_MPI_TCP else variable(case, "UCX_RNDV_THRESH")
    return int(told) if told and is_whole(told) else EAGER_WORDS[way]


def asked_first_bytes(case: Case) -> int | None:
    """A limit, a power of two, that covers the messages that move most bytes; None where the present one does."""
    above = [each for each in case.tables.messages.histogram if each.low_bytes >= eager_limit_bytes(case)]
    moved = sum(each.bytes for each in case.tables.messages.histogram)
    within = [each for each in above if each.high_bytes < MOST_BYTES]
    if not within or sum(each.bytes for each in within) < moved / 4:
        return None
    return max(each.high_bytes for each in within) + 1


def eager_change(way: str, bytes_: int) -> Change:
    if way == OPEN_MPI_TCP:
        limits = ("btl_tcp_eager_limit", "btl_tcp_rndv_eager_limit")
        return Change(parameters=tuple((name, str(2 * bytes_)) for name in limits))  # the header counts as well
    return Change(environment=(("UCX_RNDV_THRESH", str(bytes_)),))
