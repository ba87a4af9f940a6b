"""What is to be predicted, and how clearway-simulate is asked for it."""

from __future__ import annotations

from dataclasses import dataclass

from clearway.cluster import Network


@dataclass(frozen=True, slots=True)
class Stack:
    """TCP and MPI on the hosts."""

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


@dataclass(frozen=True, slots=True)
class Wish:
    operation: str
    hosts: int
    per_host: int
    network: Network
    shared_buffer_bytes: int | None
    """Of one buffer for all ports; None: each port has one of its own."""
    stack: Stack
    calls: int
    pause_ms: int
    seed: int

    def arguments(self, candidate: str, block_bytes: int) -> list[str]:
        """The command line of clearway-simulate for one point."""
        values: dict[str, object] = {
            "operation": self.operation,
            "candidate": candidate,
            "bytes": block_bytes,
            "hosts": self.hosts,
            "ranks-per-host": self.per_host,
            "calls": self.calls,
            "pause-ns": self.pause_ms * 1_000_000,
            "seed": self.seed,
            **network_options(self.network, self.shared_buffer_bytes),
            **stack_options(self.stack),
        }
        return [word for name, value in values.items() for word in (f"--{name}", str(value))]


def network_options(network: Network, shared_buffer_bytes: int | None) -> dict[str, object]:
    """The path from host to host has two links, each with half of the latency."""
    options: dict[str, object] = {"rate-bps": network.rate_bps, "latency-ns": (network.latency_ns or 0) // 2}
    switch = network.switch
    if switch is None:
        return {**options, "crossover": 1, "latency-ns": network.latency_ns or 0}
    options["buffer-bytes"] = switch.buffer_bytes or 0
    if shared_buffer_bytes is not None:
        options["shared-bytes"] = shared_buffer_bytes
    if switch.sub_switches:
        at = {port: index for index, part in enumerate(switch.sub_switches) for port in part.ports}
        options["sub-switches"] = ",".join(str(at[port]) for port in sorted(at))
        options["uplink-bps"] = switch.sub_switches[0].uplink_bps or network.rate_bps
        options["uplink-buffer-bytes"] = switch.buffer_bytes or 0
    return options


def stack_options(stack: Stack) -> dict[str, object]:
    return {
        "congestion": stack.congestion,
        "least-timeout-ns": stack.rto_min_ms * 1_000_000,
        # Linux delays acknowledgements by 40 ms, and by less than the timeout in any case.
        "delayed-ack-ns": min(40_000_000, stack.rto_min_ms * 1_000_000 // 2),
        "probe-tails": int(stack.probes_tails),
        "eager-bytes": stack.eager_bytes,
        "message-ns": stack.message_ns,
        "skew-ns": stack.skew_us * 1000,
    }
