"""The socket buffer that a finding says is too small, and how large it may be on these hosts."""

from __future__ import annotations

from dataclasses import dataclass

from clearway.base.whole import is_whole
from clearway.diagnosis.facts import Case
from clearway.diagnosis.facts.full_buffers import NO_SCALING, OVERHEAD, Limit, receive_limits, send_limits
from clearway.diagnosis.finding import Finding

RULES = {"send": ("send-buffer", "buffer-ceilings"), "receive": ("receive-window", "buffer-ceilings")}
CEILINGS = {"send": ("tcp.wmem_max", "tcp.wmem"), "receive": ("tcp.rmem_max", "tcp.rmem")}


@dataclass(frozen=True, slots=True)
class Buffer:
    """One side's buffers. Sizes as the kernel counts them: twice what SO_SNDBUF or SO_RCVBUF were asked for."""

    side: str  # "send" or "receive"
    bytes: int  # of the connection that lost most by it
    pipe_bytes: float | None  # what that connection needs to have on its way
    most_asked_bytes: int  # that a program may fix it at
    most_grown_bytes: int  # to which the kernel lets one grow that nobody has fixed

    def gain(self, then_bytes: int) -> float:
        """The share of the loss that a buffer of `then_bytes` takes away.

        Limited by its buffer, a connection is as fast as the buffer is large, until it fills the pipe. Moving its data
        takes T at size B, T x B / B' at size B', and T x B / P where the buffer fills the pipe P; the loss is what it
        takes beyond that.
        """
        left = self.bytes / then_bytes
        full = self.bytes / (OVERHEAD * self.pipe_bytes) if self.pipe_bytes else 0.0
        return min(max((1 - left) / (1 - full), 0.0), 1.0) if full < 1 else 0.0


def needs_larger(case: Case, finding: Finding) -> Buffer | None:
    """None where the finding is about something else, or the record has no figures for it."""
    limits = [
        (limit, side)
        for side, several in _limits(case).items()
        if finding.rule in RULES[side]
        for limit in several
        if limit.ceiling != NO_SCALING
    ]
    ceilings = {side: _ceilings(case, side) for side in CEILINGS}
    if not limits:
        return None
    worst, side = max(limits, key=lambda each: each[0].lost_s)
    most = ceilings[side]
    return Buffer(side, worst.buffer_bytes, worst.pipe_bytes, *most) if most else None


def _limits(case: Case) -> dict[str, tuple[Limit, ...]]:
    return {
        "send": send_limits(case.tables, case.connections),
        "receive": receive_limits(case.tables, case.connections),
    }


def _ceilings(case: Case, side: str) -> tuple[int, int] | None:
    """What may be asked for, and what may be grown to, on the host that allows least."""
    asked_name, grown_name = CEILINGS[side]
    asked = [host.facts.get(asked_name, "") for host in case.tables.hosts]
    grown = [host.facts.get(grown_name, "").rpartition(" ")[2] for host in case.tables.hosts]
    if not asked or not all(is_whole(each) for each in (*asked, *grown)):
        return None
    return OVERHEAD * min(map(int, asked)), min(map(int, grown))
