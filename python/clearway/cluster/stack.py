"""TCP or RDMA, and MPI, of the hosts, as far as the simulator needs them."""

from __future__ import annotations

from dataclasses import dataclass


@dataclass(frozen=True, slots=True)
class Stack:
    """TCP or RDMA, and MPI, on the hosts. The defaults are those of today's Linux and Open MPI."""

    congestion: str = "cubic"
    """TCP's congestion control: cubic, reno or dctcp."""
    rto_min_ms: int = 200
    """Minimum retransmission timeout."""
    timeout_rule: str = "linux"
    """linux: smoothed round trip + minimum timeout; rfc6298: the larger of the two."""
    tick_ns: int = 4_000_000
    """Tick of the kernel's timers: CONFIG_HZ=250."""
    own_ticks: bool = False
    """Timers expire with a tick, and hosts tick at different moments; false: whole ticks after they were set."""
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
    counts_acks: bool = False
    """The window grows by a segment for each acknowledgement, whatever it covers, as in Linux before 3.13."""
    forward_acks: bool = False
    """FACK, as in Linux before 4.15: a gap three segments before the last one reported is a loss."""
    mtu_bytes: int = 0
    """Payload of a full RDMA packet; 0: the hosts use TCP."""
    rdma_header_bytes: int = 26
    """Headers and checksums of an RDMA packet, as InfiniBand has them: LRH, BTH, ICRC, VCRC."""
    rdma_congestion: str = "none"
    """RDMA's congestion control: none, or dcqcn, of RoCE v2, where ports mark packets."""
    notification_ns: int = 50_000
    """DCQCN: shortest time between two notifications of a queue pair's sender (CNP)."""
    alpha_timer_ns: int = 55_000
    """DCQCN: alpha falls after so long without a notification."""
    inverse_gain: int = 256
    """DCQCN: 1/g of alpha's moving average."""
    increase_timer_ns: int = 55_000
    """DCQCN: the rate is raised each time that so long has passed."""
    increase_bytes: int = 10_000_000
    """DCQCN: and each time that so much was sent."""
    additive_bps: int = 40_000_000
    """DCQCN: step of the additive increase."""
    hyper_bps: int = 400_000_000
    """DCQCN: step of the hyper increase."""
    least_bps: int = 100_000_000
    """DCQCN: lowest rate of a queue pair."""
    eager_bytes: int = 65_536
    """Eager limit: longer messages wait for their receive."""
    confirms_bodies: bool = False
    """A longer message ends with a confirmation and the answer to it, as with UCX over TCP."""
    collectives: str = "mpich"
    """MPI whose algorithms MPI_Bcast, reductions and MPI_Barrier use: mpich or openmpi."""
    asks_first: bool = False
    """A rank's own requests go before its grants of requests that came early, as with LAM."""
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
    send_buffer_bytes: int = 0
    """Send buffer of each connection, as programs set it; 0: it grows with the window."""
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
    bound: bool = False
    """Each rank is bound to one of the shared cores, in turn."""
    packet_ns: int = 0
    """CPU time of the kernel for each packet, on shared cores."""
    timer_ns: int = 0
    """The same for each packet that has to wait for a link."""
    relay_ns: int = 0
    """CPU time of the one program that passes all packets through a switch, on shared cores, for each; 0: none."""
    wake_ns: int = 0
    """CPU time of waking a rank for what has come, on shared cores; 0: messages alone cost something."""
    switch_ns: int = 0
    """Besides, where the core has worked for another rank meanwhile."""
    poll_ns: int = 0
    """CPU time of a waiting rank's look that finds nothing, where ranks are woken; 0: it sleeps."""
    patience_ns: int = 110_000
    """Time between two such looks."""
    looks_twice: bool = False
    """A rank that has read a message goes on after a look that finds nothing, as with Open MPI, where it looks."""
    noise_period_ns: int = 0
    """Mean time between two interruptions of a core (OS noise); 0: none."""
    noise_length_ns: int = 0
    """Mean length of such an interruption."""
