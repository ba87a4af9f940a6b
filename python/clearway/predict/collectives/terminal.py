"""A prediction as a table for a terminal."""

from __future__ import annotations

from collections.abc import Iterator

from rich.text import Text

from clearway.base import quantities as q
from clearway.base.sheet import FLAG, Cell, Column, Sheet, heading, table
from clearway.base.units import format_buffer, format_rate
from clearway.bench.terminal import megabytes
from clearway.cluster import Fabric, Network, Stack, Switch
from clearway.predict.collectives.prediction import Point, Prediction
from clearway.predict.collectives.request import Request

COLUMNS = (
    Column("block"),
    Column("algorithm", left=True),
    Column("MB/s a rank"),
    Column("of the wire", keep=4),
    Column("median call", keep=2),
    Column("slowest", keep=3),
    Column("drops", keep=5),
    Column("TCP timeouts", keep=5),
    Column("sent again", keep=1),
)


def table_of(prediction: Prediction, sheet: Sheet) -> list[Text]:
    request = prediction.request
    ranks = request.hosts * request.per_host
    return [
        heading(
            f"{request.operation} on {ranks} ranks, {request.hosts} hosts, predicted", f"seed {request.seed}", sheet
        ),
        Text(words_of(request), style="dim"),
        Text(f"The links carry at most {megabytes(prediction.limit_bytes_per_s)} MB/s per rank.", style="dim"),
        Text(),
        *table(COLUMNS, rows(prediction), sheet),
    ]


def words_of(request: Request) -> str:
    """The cluster in a line."""
    return f"{network_words(request.network)} · {tcp_words(request.stack)}"


def network_words(network: Network) -> str:
    switch = network.switch
    parts = [format_rate(network.rate_bps or 0)]
    if switch is None:
        parts.append("a cable")
    elif switch.shared_buffer_bytes is not None:
        parts.append(f"ports share {format_buffer(switch.shared_buffer_bytes)}")
    else:
        parts.append(f"port buffers {format_buffer(switch.buffer_bytes)}")
    if network.burst_bytes:
        parts.append(f"token buckets of {format_buffer(network.burst_bytes)}")
    if switch is not None and switch.sub_switches:
        sizes = "+".join(str(len(part.ports)) for part in switch.sub_switches)
        parts.append(f"sub-switches of {sizes} ports, uplinks {format_rate(switch.sub_switches[0].uplink_bps or 0)}")
    return " · ".join([*parts, *switch_words(switch)])


def switch_words(switch: Switch | None) -> Iterator[str]:
    """What is not usual about it."""
    if switch is None:
        return
    if switch.fabric:
        yield fabric_words(switch.fabric)
    if switch.flow_control:
        yield "PAUSE"
    if switch.credits:
        yield "credits"
    if switch.cut_through:
        yield "cut-through"
    if switch.mark_bytes is not None:
        yield f"ECN marks above {format_buffer(switch.mark_bytes)}{mark_words(switch)}"


def mark_words(switch: Switch) -> str:
    if switch.mark_all_bytes is None or switch.mark_share is None:
        return ""
    return f", {100 * switch.mark_share:g} % of packets at {format_buffer(switch.mark_all_bytes)}, all above it"


def fabric_words(fabric: Fabric) -> str:
    uplinks = f", uplinks {format_rate(fabric.uplink_bps)}" if fabric.uplink_bps else ""
    if fabric.tree_ports:
        return f"a fat tree of {fabric.tree_ports}-port switches{uplinks}"
    if fabric.router_hosts:
        return (
            f"a dragonfly of groups of {fabric.group_routers} routers with {fabric.router_hosts} hosts and "
            f"{fabric.router_links} links to other groups each{uplinks}"
        )
    return f"leaves of {fabric.leaf_hosts} hosts on {fabric.spines} spines{uplinks}"


def tcp_words(stack: Stack) -> str:
    if stack.mtu_bytes:
        control = ", DCQCN" if stack.rdma_congestion == "dcqcn" else ""
        return f"RDMA{control}, packets of {stack.mtu_bytes:,} bytes"
    tcp = f"TCP {stack.congestion}, minimum timeout {stack.rto_min_ms} ms"
    if not stack.probes_tails:
        tcp += ", without tail loss probes"
    return f"{tcp} · all ranks on {stack.shared_cores} cores" if stack.shared_cores else tcp


def rows(prediction: Prediction) -> Iterator[list[Cell]]:
    """Sizes in order, the algorithms at each of them together."""
    for block_bytes in sorted({point.block_bytes for point in prediction.points}):
        size = q.bytes_(block_bytes)
        for point in prediction.points:
            if point.block_bytes == block_bytes:
                yield [size, point.candidate, *figures(point)]
                size = ""


def figures(point: Point) -> list[Cell]:
    calls = sorted(point.calls_ns)
    return [
        megabytes(point.mean_bytes_per_s),
        q.ratio(point.share_of_limit),
        q.seconds(calls[len(calls) // 2] * 1e-9),
        q.seconds(calls[-1] * 1e-9),
        q.count(point.drops),
        Text(q.count(point.timeouts), style=FLAG) if point.timeouts else "0",
        q.count(point.resent),
    ]
