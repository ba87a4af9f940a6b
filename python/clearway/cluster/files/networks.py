"""The networks and switches in a cluster's file."""

from __future__ import annotations

from clearway.base.ranges import numbers
from clearway.base.units import parse_bytes, parse_rate_bps, parse_time_ns
from clearway.cluster.files.table import Table
from clearway.cluster.model import Fabric, Network, SubSwitch, Switch


def read_networks(root: Table) -> dict[str, Network]:
    group = root.table("networks")
    if group is None:
        return {}
    found = {}
    for name in group.content:
        table = group.table(name)
        if table is not None:
            found[name] = _network(name, table)
    return found


def _network(name: str, table: Table) -> Network:
    switch = table.table("switch")
    network = Network(
        name,
        rate_bps=table.parsed("rate", parse_rate_bps),
        latency_ns=table.parsed("latency", parse_time_ns),
        subnet=table.get("subnet", str),
        switch=None if switch is None else _switch(switch),
        burst_bytes=table.parsed("burst", parse_bytes),
    )
    table.done()
    return network


def _switch(table: Table) -> Switch:
    ports = table.count("ports")
    if ports is None:
        raise table.wrong("ports", "is missing", "ports = 48")
    fabric = table.table("fabric")
    parts = tuple(_sub_switch(part, ports) for part in table.tables("sub_switches"))
    switch = Switch(
        ports,
        model=table.get("model", str),
        buffer_bytes=table.parsed("buffer", parse_bytes),
        shared_buffer_bytes=table.parsed("shared_buffer", parse_bytes),
        cut_through=table.get("cut_through", bool),
        flow_control=table.get("flow_control", bool),
        credits=table.get("credits", bool),
        sub_switches=parts,
        mark_bytes=table.parsed("mark", parse_bytes),
        mark_all_bytes=table.parsed("mark_all", parse_bytes),
        mark_share=table.get("mark_share", float),
        fabric=None if fabric is None else _fabric(fabric),
        pool_share=table.get("pool_share", float),
        uplink_latency_ns=table.parsed("uplink_latency", parse_time_ns),
        uplink_flow_control=table.get("uplink_flow_control", bool),
    )
    table.done()
    if switch.pool_share is not None and not 0 < switch.pool_share <= 1000:
        raise table.wrong("pool_share", f"must be more than 0, not {switch.pool_share:g}", "pool_share = 1.0")
    check_marks(switch, table)
    if switch.credits and switch.flow_control:
        raise table.wrong("credits", "and flow_control exclude each other", "credits = true: InfiniBand")
    every = [port for part in parts for port in part.ports]
    if len(set(every)) < len(every):
        raise table.wrong("sub_switches", "have ports in common")
    return switch


def check_marks(switch: Switch, table: Table) -> None:
    """Raises ClearwayError where they make no sense together."""
    share, all_bytes = switch.mark_share, switch.mark_all_bytes
    if share is not None and not 0 < share <= 1:
        raise table.wrong("mark_share", f"must be more than 0 and at most 1, not {share:g}", "mark_share = 0.01")
    if all_bytes is not None and all_bytes <= (switch.mark_bytes or 0):
        raise table.wrong("mark_all", "must be more than mark", 'mark = "5k", mark_all = "200k"')
    if (all_bytes is None) != (share is None) or (all_bytes and not switch.mark_bytes):
        raise table.wrong("mark_all", "needs mark and mark_share beside it", 'mark = "5k", mark_share = 0.01')


def _fabric(table: Table) -> Fabric:
    fabric = Fabric(
        leaf_hosts=table.count("leaf_hosts"),
        spines=table.count("spines"),
        tree_ports=table.count("tree_ports"),
        router_hosts=table.count("router_hosts"),
        group_routers=table.count("group_routers"),
        router_links=table.count("router_links"),
        uplink_bps=table.parsed("uplink", parse_rate_bps),
    )
    table.done()
    shapes = (
        (fabric.leaf_hosts, fabric.spines),
        (fabric.tree_ports,),
        (fabric.router_hosts, fabric.group_routers, fabric.router_links),
    )
    if sum(None not in shape for shape in shapes) != 1:
        raise table.wrong(
            "leaf_hosts",
            "and spines, or tree_ports, or router_hosts, group_routers and router_links, must be given",
            "{ leaf_hosts = 16, spines = 4 }",
        )
    return fabric


def _sub_switch(table: Table, ports: int) -> SubSwitch:
    own = table.parsed("ports", numbers)
    if own is None:
        raise table.wrong("ports", "is missing", 'ports = "1-12"')
    if min(own) < 1 or max(own) > ports:
        raise table.wrong("ports", f"are not among the switch's ports 1 to {ports}")
    part = SubSwitch(tuple(own), table.parsed("uplink", parse_rate_bps), table.parsed("buffer", parse_bytes))
    table.done()
    return part
