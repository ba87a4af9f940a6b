"""Higher ceilings of TCP's buffers."""

from __future__ import annotations

from clearway.base import quantities as q
from clearway.diagnosis import host_faults
from clearway.diagnosis.facts import Case
from clearway.diagnosis.facts.socket_buffers import needs_larger
from clearway.diagnosis.finding import Finding
from clearway.diagnosis.remedies import Offer

EXCLUDES: frozenset[str] = frozenset()
LEAST_BYTES = 4 << 20  # what `clearway host apply` sets where nothing is said


def offer(case: Case, finding: Finding) -> Offer | None:
    """Four times what the connections that wait have, 4 MiB at least; gain: Buffer.gain."""
    buffer = needs_larger(case, finding)
    if buffer is None:
        return None
    then_bytes = max(4 * buffer.bytes, LEAST_BYTES)
    if then_bytes <= min(buffer.most_asked_bytes // 2, buffer.most_grown_bytes):
        return None
    return Offer(
        what=f"allow TCP buffers of {q.bytes_(then_bytes)}",
        why=f"now a program may ask for {q.bytes_(buffer.most_asked_bytes)}, and the kernel goes up to "
        f"{q.bytes_(buffer.most_grown_bytes)}",
        gain=buffer.gain(then_bytes),
        command=host_faults.larger_buffers(then_bytes).command,
        needs_root=True,
    )
