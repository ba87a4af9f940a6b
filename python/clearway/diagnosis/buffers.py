"""The socket buffer that a finding says is too small, and how large it may be on these hosts."""

from __future__ import annotations

from dataclasses import dataclass

from clearway.diagnosis.case import Case
from clearway.finding import Finding

SIDES = {"send-buffer": "send", "receive-window": "receive"}  # by rule
CEILINGS = {"send": ("tcp.wmem_max", "tcp.wmem"), "receive": ("tcp.rmem_max", "tcp.rmem")}


@dataclass(frozen=True, slots=True)
class Buffer:
    """One side's buffers. Sizes as the kernel counts them: twice what SO_SNDBUF or SO_RCVBUF were asked for."""

    side: str  # "send" or "receive"
    bytes: int  # of the largest connection that waits for it
    most_asked_bytes: int  # that a program may fix it at
    most_grown_bytes: int  # to which the kernel lets one grow that nobody has fixed


def needs_larger(case: Case, finding: Finding) -> Buffer | None:
    """None where the finding is about something else, or the record has no figures for it."""
    side = side_of(case, finding)
    sizes = [size for size, limited_s in _sizes(case, side) if limited_s > 0]
    ceilings = [_ceilings(host.facts, side) for host in case.page.hosts]
    if not side or not sizes or not ceilings or None in ceilings:
        return None
    known = [ceiling for ceiling in ceilings if ceiling is not None]
    return Buffer(side, max(sizes), min(asked for asked, _ in known), min(grown for _, grown in known))


def side_of(case: Case, finding: Finding) -> str:
    """Of a finding about both, the side that is waited for longer."""
    if finding.rule in SIDES:
        return SIDES[finding.rule]
    if finding.rule != "buffer-ceilings":
        return ""
    waited_s = {side: sum(limited_s for _, limited_s in _sizes(case, side)) for side in CEILINGS}
    return max(waited_s, key=lambda side: waited_s[side])


def _sizes(case: Case, side: str) -> list[tuple[int, float]]:
    """Of each connection: the buffer, and how long was waited for it."""
    if side == "send":
        return [(socket.send_buffer_bytes, socket.sndbuf_limited_s) for socket in case.page.sockets]
    return [(socket.receive_buffer_bytes, socket.rwnd_limited_s) for socket in case.page.sockets]


def _ceilings(facts: dict[str, str], side: str) -> tuple[int, int] | None:
    """What may be asked for, and what may be grown to, in bytes as the kernel counts them."""
    asked, grown = (facts.get(name, "").split() for name in CEILINGS[side])
    return (2 * int(asked[0]), int(grown[-1])) if asked and grown else None
