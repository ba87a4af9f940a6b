"""What the hosts' TCP and MPI are like, as far as the simulator asks."""

from __future__ import annotations

from dataclasses import dataclass


@dataclass(frozen=True, slots=True)
class Stack:
    """TCP and MPI on the hosts. The defaults are a Linux of today's and Open MPI's."""

    congestion: str = "cubic"
    rto_min_ms: int = 200
    probes_tails: bool = True
    """Tail loss probes and RACK, which Linux has had since 2013 and 2017."""
    eager_bytes: int = 65_536
    """Longer messages wait for their receive."""
    message_ns: int = 2_000
    """Of a core, for each message sent or received."""
    skew_us: int = 20
    """Ranks begin a call up to so much late."""
    kilobyte_ns: int = 0
    """Of a core, for each 1,000 bytes sent or received."""
    delayed_ack_ms: int = 40
    """Acknowledgements wait so long at most, and for less than the least timeout in any case."""
    initial_window: int = 10
    """Segments that a new or idle connection sends at once."""
    segment_bytes: int = 1_448
    """Of payload in a full packet."""
    header_bytes: int = 52
    """Before the payload: IP and TCP with time stamps."""
    send_buffer_bytes: int = 4 << 20
    receive_buffer_bytes: int = 6 << 20
    memory_latency_ns: int = 500
    """Between ranks of one host."""
    memory_kilobyte_ns: int = 100
    """Of the sender's core, for each 1,000 bytes between ranks of one host."""
