"""What is to be predicted, and how clearway-simulate is asked for it."""

from __future__ import annotations

from dataclasses import dataclass

from clearway.cluster import Fabric, Network, Stack, Switch

WARM_UP_CALLS = 4  # of clearway-bench (native/bench/options.hpp)
# Linux's token buckets count a frame with its header and nothing around it (net/sched/sch_tbf.c).
AS_INFINIBAND_FRAMES = {"frame-bytes": 0, "least-frame-bytes": 0, "gap-bytes": 2}  # two symbols around each packet
AS_BUCKETS_COUNT = {"frame-bytes": 14, "least-frame-bytes": 0, "gap-bytes": 0}


@dataclass(frozen=True, slots=True)
class Request:
    """One operation, and the cluster on which it is simulated."""

    operation: str  # "alltoall"
    hosts: int  # number of hosts that take part
    per_host: int  # ranks on each
    network: Network  # network between the hosts
    stack: Stack  # TCP and MPI of every host
    calls: int  # calls of each algorithm at each size
    pause_ms: int  # pause between two calls
    seed: int  # seed of the random numbers
    meeting: str = "none"  # barrier before each call, as clearway bench has it

    @property
    def untimed_calls(self) -> int:
        """Before those that count: as under clearway bench, which checks its first call, and warms up."""
        return 0 if self.meeting == "none" else 1 + WARM_UP_CALLS

    def arguments(self, candidate: str, block_bytes: int) -> list[str]:
        """The command line of clearway-simulate for one point."""
        values: dict[str, object] = {
            "operation": self.operation,
            "candidate": candidate,
            "bytes": block_bytes,
            "hosts": self.hosts,
            "ranks-per-host": self.per_host,
            "calls": self.untimed_calls + self.calls,
            "pause-ns": self.pause_ms * 1_000_000,
            "seed": self.seed,
            "meeting": self.meeting,
            **({"gather-first": 1} if self.untimed_calls else {}),
            **network_options(self.network),
            **stack_options(self.stack),
        }
        return [word for name, value in values.items() for word in (f"--{name}", str(value))]


def network_options(network: Network) -> dict[str, object]:
    """The path from host to host has two links, each with half of the latency."""
    options: dict[str, object] = {"rate-bps": network.rate_bps, "latency-ns": (network.latency_ns or 0) // 2}
    if network.burst_bytes:
        options |= {"burst-bytes": network.burst_bytes, **AS_BUCKETS_COUNT}
    switch = network.switch
    if switch is None:
        return {**options, "crossover": 1, "latency-ns": network.latency_ns or 0}
    options["buffer-bytes"] = switch.buffer_bytes or 0
    if switch.shared_buffer_bytes is not None:
        options["shared-bytes"] = switch.shared_buffer_bytes
    if switch.pool_share is not None:
        options["shared-percent"] = max(1, round(switch.pool_share * 100))
    if switch.uplink_latency_ns is not None:
        options["uplink-latency-ns"] = switch.uplink_latency_ns
    if switch.mark_bytes is not None:
        options |= {"mark-bytes": switch.mark_bytes, "ecn": 1}
    if switch.mark_all_bytes is not None and switch.mark_share is not None:
        options |= {"mark-all-bytes": switch.mark_all_bytes, "mark-ppm": max(1, round(switch.mark_share * 1e6))}
    options["flow-control"] = "credits" if switch.credits else "pause" if switch.flow_control else "off"
    if switch.credits:
        options |= AS_INFINIBAND_FRAMES
    if switch.flow_control and switch.uplink_flow_control is False:
        options["stop-switches"] = 0
    options["cut-through"] = int(bool(switch.cut_through))
    if switch.fabric:
        options |= fabric_options(switch.fabric, network)
        options["uplink-buffer-bytes"] = switch.buffer_bytes or 0
    if switch.sub_switches:
        at = {port: index for index, part in enumerate(switch.sub_switches) for port in part.ports}
        options["sub-switches"] = ",".join(str(at[port]) for port in sorted(at))
        options |= uplink_options(switch, network)
    return options


def uplink_options(switch: Switch, network: Network) -> dict[str, object]:
    """Of the sub-switches. Lists where they differ."""
    rates = [part.uplink_bps or network.rate_bps for part in switch.sub_switches]
    buffers = [part.buffer_bytes or switch.buffer_bytes or 0 for part in switch.sub_switches]
    options: dict[str, object] = {"uplink-bps": rates[0], "uplink-buffer-bytes": buffers[0]}
    if len(set(rates)) > 1:
        options["uplinks-bps"] = ",".join(map(str, rates))
    if len(set(buffers)) > 1:
        options["uplink-buffers-bytes"] = ",".join(map(str, buffers))
    return options


def fabric_options(fabric: Fabric, network: Network) -> dict[str, object]:
    return {
        "leaf-hosts": fabric.leaf_hosts or 0,
        "spines": fabric.spines or 0,
        "fat-tree-ports": fabric.tree_ports or 0,
        "router-hosts": fabric.router_hosts or 0,
        "group-routers": fabric.group_routers or 0,
        "router-links": fabric.router_links or 0,
        "uplink-bps": fabric.uplink_bps or network.rate_bps,
    }


def stack_options(stack: Stack) -> dict[str, object]:
    return {
        "congestion": stack.congestion,
        "least-timeout-ns": stack.rto_min_ms * 1_000_000,
        "delayed-ack-ns": min(stack.delayed_ack_ms * 1_000_000, stack.rto_min_ms * 1_000_000 // 2),
        "probe-tails": int(stack.probes_tails),
        "counts-acks": int(stack.counts_acks),
        "forward-acks": int(stack.forward_acks),
        "initial-window": stack.initial_window,
        "segment-bytes": stack.segment_bytes,
        "header-bytes": stack.header_bytes,
        "send-buffer-bytes": stack.send_buffer_bytes,
        "receive-buffer-bytes": stack.receive_buffer_bytes,
        "mtu-bytes": stack.mtu_bytes,
        "rdma-header-bytes": stack.rdma_header_bytes,
        "dcqcn": int(stack.rdma_congestion == "dcqcn"),
        "notification-ns": stack.notification_ns,
        "alpha-ns": stack.alpha_timer_ns,
        "inverse-gain": stack.inverse_gain,
        "increase-ns": stack.increase_timer_ns,
        "increase-bytes": stack.increase_bytes,
        "additive-bps": stack.additive_bps,
        "hyper-bps": stack.hyper_bps,
        "least-bps": stack.least_bps,
        "eager-bytes": stack.eager_bytes,
        "confirm-bodies": int(stack.confirms_bodies),
        "collectives": stack.collectives,
        "asks-first": int(stack.asks_first),
        "message-ns": stack.message_ns,
        "kilobyte-ns": stack.kilobyte_ns,
        "memory-latency-ns": stack.memory_latency_ns,
        "memory-kilobyte-ns": stack.memory_kilobyte_ns,
        "skew-ns": stack.skew_us * 1000,
        "timeout-rule": stack.timeout_rule,
        "tick-ns": stack.tick_ns,
        "own-ticks": int(stack.own_ticks),
        "restart-after-idle": int(stack.slow_start_after_idle),
        "hystart": int(stack.hystart),
        "quick-acks": stack.quick_acks,
        "card-queue-bytes": stack.card_queue_bytes,
        "pace-bytes-per-s": stack.pace_bps // 8,
        "message-header-bytes": stack.message_header_bytes,
        "wakeup-ns": stack.wakeup_ns,
        "shared-cores": stack.shared_cores,
        "bound": int(stack.bound),
        "packet-ns": stack.packet_ns,
        "timer-ns": stack.timer_ns,
        "relay-ns": stack.relay_ns,
        "wake-ns": stack.wake_ns,
        "switch-ns": stack.switch_ns,
        "poll-ns": stack.poll_ns,
        "patience-ns": stack.patience_ns,
        "look-twice": int(stack.looks_twice),
        "noise-period-ns": stack.noise_period_ns,
        "noise-detour-ns": stack.noise_length_ns,
    }
