"""What the hosts' TCP and MPI are like, as far as the simulator asks."""

from __future__ import annotations

from dataclasses import dataclass


@dataclass(frozen=True, slots=True)
class Stack:
    """TCP and MPI on the hosts. The defaults are a Linux of today's and Open MPI's."""

    congestion: str = "cubic"
    """TCP's congestion control: cubic, reno or dctcp."""
    rto_min_ms: int = 200
    """The least retransmission timeout."""
    timeout_rule: str = "linux"
    """Linux adds the smoothed round trip to the least timeout; rfc6298 takes the larger of both."""
    tick_ns: int = 4_000_000
    """Of the kernel's timers: CONFIG_HZ=250."""
    slow_start_after_idle: bool = True
    """A connection that was idle begins slowly again."""
    hystart: bool = True
    """CUBIC's slow start ends before it loses packets."""
    quick_acks: int = 16
    """Segments that a young or idle connection acknowledges at once."""
    card_queue_bytes: int = 0
    """What a connection may have before its card (small queues); 0: any number."""
    pace_bps: int = 0
    """Each connection paces itself to so much (SO_MAX_PACING_RATE); 0: none does."""
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
    """Of each connection."""
    receive_buffer_bytes: int = 6 << 20
    """Of each connection."""
    memory_latency_ns: int = 500
    """Between ranks of one host."""
    memory_kilobyte_ns: int = 100
    """Of the sender's core, for each 1,000 bytes between ranks of one host."""
    message_header_bytes: int = 48
    """Of MPI, before each message."""
    wakeup_ns: int = 0
    """Until a rank that waits notices what has come, on average."""
    shared_cores: int = 0
    """That all ranks of all hosts share, as on a testbed; 0: each rank has one of its own."""
    noise_period_ns: int = 0
    """Between two moments at which a core does something else, on average; 0: it never does."""
    noise_length_ns: int = 0
    """Of what it does then, on average."""
