"""TCP and MPI of the hosts, as far as the simulator needs them."""

from __future__ import annotations

from dataclasses import dataclass


@dataclass(frozen=True, slots=True)
class Stack:
    """TCP and MPI on the hosts. The defaults are those of today's Linux and Open MPI."""

    congestion: str = "cubic"
    """TCP's congestion control: cubic, reno or dctcp."""
    rto_min_ms: int = 200
    """Minimum retransmission timeout."""
    timeout_rule: str = "linux"
    """linux: smoothed round trip + minimum timeout; rfc6298: the larger of the two."""
    tick_ns: int = 4_000_000
    """Tick of the kernel's timers: CONFIG_HZ=250."""
    slow_start_after_idle: bool = True
    """Slow start after an idle time."""
    hystart: bool = True
    """HyStart: CUBIC's slow start ends before it loses packets."""
    quick_acks: int = 16
    """Segments that a new or idle connection acknowledges at once."""
    card_queue_bytes: int = 0
    """Most that a connection may queue at its card (TCP small queues); 0: no limit."""
    pace_bps: int = 0
    """Pacing rate of each connection (SO_MAX_PACING_RATE); 0: no pacing."""
    probes_tails: bool = True
    """Tail loss probes and RACK, which Linux has had since 2013 and 2017."""
    eager_bytes: int = 65_536
    """Eager limit: longer messages wait for their receive."""
    message_ns: int = 2_000
    """CPU time of each message sent or received."""
    skew_us: int = 20
    """Ranks begin a call up to this much late."""
    kilobyte_ns: int = 0
    """CPU time of each 1,000 bytes sent or received."""
    delayed_ack_ms: int = 40
    """Longest delay of an acknowledgement; always shorter than the minimum timeout."""
    initial_window: int = 10
    """Segments that a new or idle connection sends at once."""
    segment_bytes: int = 1_448
    """Payload of a full packet."""
    header_bytes: int = 52
    """IP and TCP headers, with time stamps."""
    send_buffer_bytes: int = 4 << 20
    """Send buffer of each connection."""
    receive_buffer_bytes: int = 6 << 20
    """Receive buffer of each connection."""
    memory_latency_ns: int = 500
    """Latency between ranks of one host."""
    memory_kilobyte_ns: int = 100
    """CPU time of the sender for each 1,000 bytes between ranks of one host."""
    message_header_bytes: int = 48
    """MPI's header before each message."""
    wakeup_ns: int = 0
    """Mean time until a waiting rank notices a message."""
    shared_cores: int = 0
    """Cores that all ranks of all hosts share, as on a testbed; 0: each rank has its own."""
    noise_period_ns: int = 0
    """Mean time between two interruptions of a core (OS noise); 0: none."""
    noise_length_ns: int = 0
    """Mean length of such an interruption."""
