"""Larger TCP buffers, in the words of the job's own MPI."""

from __future__ import annotations

from clearway.base import quantities as q
from clearway.diagnosis.facts import Case
from clearway.diagnosis.facts.settings_in_force import parameter, variable
from clearway.diagnosis.facts.socket_buffers import Buffer, needs_larger
from clearway.diagnosis.facts.transport import OPEN_MPI_TCP, UCX, transport
from clearway.diagnosis.finding import Finding
from clearway.diagnosis.remedies import Offer
from clearway.job.change import Change

EXCLUDES = frozenset({"socket-buffers"})
PARAMETERS = {"send": "btl_tcp_sndbuf", "receive": "btl_tcp_rcvbuf"}
VARIABLES = {"send": "UCX_TCP_SNDBUF", "receive": "UCX_TCP_RCVBUF"}
KERNELS_CHOICE = {OPEN_MPI_TCP: "0", UCX: "auto"}  # a buffer that grows as it is needed


def offer(case: Case, finding: Finding) -> Offer | None:
    """A buffer that the job fixed itself is left to the kernel again; one that the kernel keeps small is fixed larger.

    gain: Buffer.gain.
    """
    buffer = needs_larger(case, finding)
    way = transport(case)
    if buffer is None or way not in KERNELS_CHOICE:
        return None
    fixed = _fixed(case, way, buffer)
    if fixed is None and buffer.most_asked_bytes <= buffer.most_grown_bytes:
        return None  # the kernel lets it grow further than a program may ask for
    then_bytes = buffer.most_grown_bytes if fixed is not None else buffer.most_asked_bytes
    if then_bytes <= buffer.bytes:
        return None
    value = KERNELS_CHOICE[way] if fixed is not None else str(buffer.most_asked_bytes // 2)  # Linux doubles it
    return Offer(
        what=f"let the kernel size the {buffer.side} buffers"
        if fixed is not None
        else f"ask for larger {buffer.side} buffers",
        why=f"they may then hold {q.bytes_(then_bytes)} instead of {q.bytes_(buffer.bytes)}",
        gain=buffer.gain(then_bytes),
        change=_change(way, buffer, value),
    )


def _fixed(case: Case, way: str, buffer: Buffer) -> str | None:
    """What the job says of its size; None where the kernel chooses."""
    told = parameter(case, PARAMETERS[buffer.side]) if way == OPEN_MPI_TCP else variable(case, VARIABLES[buffer.side])
    return None if told in (None, KERNELS_CHOICE[way]) else told


def _change(way: str, buffer: Buffer, value: str) -> Change:
    if way == OPEN_MPI_TCP:
        return Change(parameters=((PARAMETERS[buffer.side], value),))
    return Change(environment=((VARIABLES[buffer.side], value),))
