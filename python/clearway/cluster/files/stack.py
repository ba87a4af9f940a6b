"""TCP, RDMA and MPI in a cluster's file: the tables [tcp], [rdma] and [mpi]."""

from __future__ import annotations

import json
from collections.abc import Callable
from dataclasses import dataclass, replace
from typing import Any

from clearway.base.errors import ClearwayError
from clearway.base.units import parse_bytes, parse_rate_bps, parse_time_ns, warn_once_binary
from clearway.cluster.files.table import Table
from clearway.cluster.stack import Stack
from clearway.testbed.shape import CONGESTION_CONTROLS

Value = str | int | bool


@dataclass(frozen=True, slots=True)
class Key:
    """A key of the file and the field of a Stack that it sets."""

    name: str
    field: str
    read: Callable[[Table, str], Value | None]
    write: Callable[[Value], Value] = lambda value: value


def times(unit_ns: int) -> tuple[Callable[[Table, str], Value | None], Callable[[Value], Value]]:
    def read(table: Table, key: str) -> int | None:
        told_ns = table.parsed(key, parse_time_ns)
        return None if told_ns is None else told_ns // unit_ns

    return read, lambda value: f"{int(value) * unit_ns}ns"


def read_message_size(table: Table, key: str) -> int | None:
    """0: no message at all."""
    told_bytes = table.parsed(key, parse_bytes)
    warn_once_binary(f"{table.file}: {key}", str(table.content.get(key, "")))
    return told_bytes


def read_size(table: Table, key: str) -> int | None:
    return table.parsed(key, parse_bytes)


def read_rate(table: Table, key: str) -> int | None:
    return table.parsed(key, parse_rate_bps)


def read_truth(table: Table, key: str) -> bool | None:
    return table.get(key, bool)


def read_count(table: Table, key: str) -> int | None:
    return table.count(key)


def one_of(*names: str) -> Callable[[Table, str], str | None]:
    def read(table: Table, key: str) -> str | None:
        told = table.get(key, str)
        if told is not None and told not in names:
            raise table.wrong(key, f"must be {' or '.join(names)}, not '{told}'")
        return told

    return read


TABLES: dict[str, tuple[Key, ...]] = {
    "tcp": (
        Key("congestion", "congestion", one_of(*CONGESTION_CONTROLS, "dctcp")),
        Key("least_timeout", "rto_min_ms", *times(1_000_000)),
        Key("timeout_rule", "timeout_rule", one_of("linux", "rfc6298")),
        Key("tick", "tick_ns", *times(1)),
        Key("own_ticks", "own_ticks", read_truth),
        Key("delayed_ack", "delayed_ack_ms", *times(1_000_000)),
        Key("quick_acks", "quick_acks", read_count),
        Key("tail_probes", "probes_tails", read_truth),
        Key("counts_acks", "counts_acks", read_truth),
        Key("forward_acks", "forward_acks", read_truth),
        Key("hystart", "hystart", read_truth),
        Key("slow_start_after_idle", "slow_start_after_idle", read_truth),
        Key("initial_window", "initial_window", read_count),
        Key("segment", "segment_bytes", read_count),
        Key("header", "header_bytes", read_count),
        Key("send_buffer", "send_buffer_bytes", read_size, str),
        Key("receive_buffer", "receive_buffer_bytes", read_size, str),
        Key("card_queue", "card_queue_bytes", read_size, str),
        Key("pace", "pace_bps", read_rate, lambda value: f"{value}bit"),
    ),
    "rdma": (
        Key("mtu", "mtu_bytes", read_count),
        Key("header", "rdma_header_bytes", read_count),
        Key("congestion", "rdma_congestion", one_of("none", "dcqcn")),
        Key("notification", "notification_ns", *times(1)),
        Key("alpha_timer", "alpha_timer_ns", *times(1)),
        Key("inverse_gain", "inverse_gain", read_count),
        Key("increase_timer", "increase_timer_ns", *times(1)),
        Key("increase_bytes", "increase_bytes", read_size, str),
        Key("additive", "additive_bps", read_rate, lambda value: f"{value}bit"),
        Key("hyper", "hyper_bps", read_rate, lambda value: f"{value}bit"),
        Key("least_rate", "least_bps", read_rate, lambda value: f"{value}bit"),
    ),
    "mpi": (
        Key("eager", "eager_bytes", read_message_size, str),
        Key("confirms", "confirms_bodies", read_truth),
        Key("collectives", "collectives", one_of("mpich", "openmpi")),
        Key("asks_first", "asks_first", read_truth),
        Key("header", "message_header_bytes", read_count),
        Key("message", "message_ns", *times(1)),
        Key("kilobyte", "kilobyte_ns", *times(1)),
        Key("memory_latency", "memory_latency_ns", *times(1)),
        Key("memory_kilobyte", "memory_kilobyte_ns", *times(1)),
        Key("skew", "skew_us", *times(1000)),
        Key("wakeup", "wakeup_ns", *times(1)),
        Key("shared_cores", "shared_cores", read_count),
        Key("bound", "bound", read_truth),
        Key("packet", "packet_ns", *times(1)),
        Key("timer", "timer_ns", *times(1)),
        Key("relay", "relay_ns", *times(1)),
        Key("wake", "wake_ns", *times(1)),
        Key("switch", "switch_ns", *times(1)),
        Key("poll", "poll_ns", *times(1)),
        Key("patience", "patience_ns", *times(1)),
        Key("looks_twice", "looks_twice", read_truth),
        Key("noise_period", "noise_period_ns", *times(1)),
        Key("noise_length", "noise_length_ns", *times(1)),
    ),
}


def read_stack(root: Table) -> Stack | None:
    """None where the file says nothing of it."""
    tables = [root.table(name) for name in TABLES]
    return changed_stack(Stack(), root) if any(tables) else None


def changed_stack(stack: Stack, root: Table) -> Stack:
    """With what the tables of a file say of it."""
    for name, keys in TABLES.items():
        table = root.table(name)
        if table is None:
            continue
        told: dict[str, Any] = {key.field: key.read(table, key.name) for key in keys}
        table.done()
        stack = replace(stack, **{field: value for field, value in told.items() if value is not None})
    if stack.rto_min_ms < 1:
        raise ClearwayError(f"{root.file}: tcp.least_timeout must be at least 1 ms", 'least_timeout = "200ms"')
    times_ns = (stack.notification_ns, stack.alpha_timer_ns, stack.increase_timer_ns)
    if min(*times_ns, stack.increase_bytes, stack.least_bps) < 1 or stack.inverse_gain < 2:
        raise ClearwayError(
            f"{root.file}: rdma's times, increase_bytes and least_rate must be more than 0, inverse_gain at least 2",
            'notification = "50us"',
        )
    if (stack.noise_period_ns == 0) != (stack.noise_length_ns == 0):
        raise ClearwayError(
            f"{root.file}: mpi.noise_period and mpi.noise_length must be given together", 'noise_length = "10us"'
        )
    return stack


def write_stack(stack: Stack) -> list[list[str]]:
    """What differs from the defaults, a block of lines for each table."""
    blocks = []
    for name, keys in TABLES.items():
        told = [(key, getattr(stack, key.field)) for key in keys]
        lines = [
            f"{key.name} = {json.dumps(key.write(value))}"
            for key, value in told
            if value != getattr(Stack(), key.field)
        ]
        blocks.append([f"[{name}]", *lines])
    return blocks
