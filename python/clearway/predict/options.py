"""The options that say on what cluster something is predicted: its name or file, and what is to be different."""

from __future__ import annotations

import argparse
from collections.abc import Sequence
from dataclasses import replace
from typing import TYPE_CHECKING, Any

from clearway.base.whole import is_whole

if TYPE_CHECKING:
    from clearway.cluster import Fabric, Network, Stack, SubSwitch, Switch
    from clearway.predict.simulated_cluster import Modelled

DEFAULT_HOSTS = 8
UPLINK = "10gbit"  # of a shape that is asked for


def add_cluster_options(parser: argparse.ArgumentParser) -> None:
    where = parser.add_argument_group("the cluster")
    where.add_argument(
        "--cluster",
        metavar="NAME|FILE",
        help="a ready cluster (clearway cluster list) or a file; the options below change it",
    )
    where.add_argument(
        "--testbed",
        metavar="OPTIONS",
        help="options of clearway testbed, and --mpi, instead of all below: predict what clearway bench would measure "
        "there",
    )
    where.add_argument("--network", metavar="NAME", help="which of the cluster's networks (default: the fastest)")
    where.add_argument("--hosts", type=int, metavar="N", help="number of hosts (default: all of --cluster's, or 8)")
    where.add_argument("--per-host", type=int, metavar="N", help="ranks on each host (default: its slots, or 1)")
    where.add_argument("--rate", help="speed of each link (default 1gbit)")
    where.add_argument("--latency-us", type=int, metavar="US", help="latency from host to host (default 20)")
    buffers = where.add_mutually_exclusive_group()
    buffers.add_argument("--buffer", metavar="SIZE", help="buffer of each switch port (default 64k); deep: never full")
    buffers.add_argument("--shared-buffer", metavar="SIZE", help="one buffer of this size for all ports together")
    buffers.add_argument("--cable", action="store_true", help="two hosts without a switch")
    where.add_argument("--sub-switches", metavar="N,N,…", help="hosts on each part of the switch: 9,9,9,5")
    where.add_argument(
        "--leaf-spine", metavar="HxS", help="leaves of H hosts, each with one uplink to each of S spines"
    )
    where.add_argument("--fat-tree", type=int, metavar="K", help="three layers of switches with K ports each")
    where.add_argument(
        "--dragonfly",
        metavar="HxRxL",
        help="groups of R routers with H hosts and L links to other groups each; packets go the shortest way",
    )
    where.add_argument(
        "--uplink", metavar="RATE", help=f"speed of links between switches (default: the cluster's, else {UPLINK})"
    )
    where.add_argument(
        "--flow-control",
        choices=("off", "pause", "pfc", "credits"),
        help="full ports stop their senders: pause is IEEE 802.3x, pfc is 802.1Qbb, credits are InfiniBand's",
    )
    where.add_argument(
        "--cut-through",
        action="store_true",
        help="switches forward a packet before all of it has arrived (cut-through)",
    )
    where.add_argument(
        "--burst", metavar="SIZE", help="links are token buckets that pass this much at once: shaped by Linux's tbf"
    )
    where.add_argument("--ecn", metavar="SIZE", help="ECN: mark packets when more than SIZE waits at a port")
    stack = parser.add_argument_group("TCP and MPI")
    stack.add_argument(
        "--congestion", choices=("cubic", "reno", "dctcp"), help="TCP's congestion control (default cubic)"
    )
    stack.add_argument(
        "--rto-min-ms", type=int, metavar="MS", help="TCP's minimum retransmission timeout (default 200)"
    )
    stack.add_argument("--old-tcp", action="store_true", help="TCP without tail loss probes and RACK, as before 2013")
    stack.add_argument(
        "--eager", metavar="SIZE", help="eager limit: longer messages wait for their receive (default 64Ki)"
    )
    stack.add_argument("--message-us", type=float, metavar="US", help="CPU time of each message (default 2)")
    stack.add_argument(
        "--skew-us", type=int, metavar="US", help="ranks start up to this much later (default 20; in a replay 0)"
    )
    stack.add_argument(
        "--set",
        action="append",
        default=[],
        metavar="KEY=VALUE",
        help="set a key of [tcp], [rdma] or [mpi] of the cluster file: mpi.kilobyte=150ns (may be repeated)",
    )


def cluster_options() -> list[str]:
    """As a namespace calls them."""
    parser = argparse.ArgumentParser(add_help=False)
    add_cluster_options(parser)
    return list(vars(parser.parse_args([])))


def model_asked(arguments: argparse.Namespace) -> Modelled:
    """Raises ClearwayError where options make no sense."""
    from clearway.base.errors import ClearwayError
    from clearway.cluster.ready import named_cluster
    from clearway.predict.simulated_cluster import default_model, model_of

    counts = (arguments.hosts, arguments.per_host, arguments.rto_min_ms)
    if any(count is not None and count < 1 for count in counts):
        raise ClearwayError("--hosts, --per-host and --rto-min-ms must be at least 1", "--hosts 8 --per-host 1")
    if any(time is not None and time < 0 for time in (arguments.latency_us, arguments.message_us, arguments.skew_us)):
        raise ClearwayError("times cannot be negative", "--latency-us 20")
    if arguments.cluster:
        base = model_of(named_cluster(arguments.cluster), arguments.hosts, arguments.per_host, arguments.network)
    else:
        base = default_model(2 if arguments.cable else arguments.hosts or DEFAULT_HOSTS)
    network, stack = network_asked(arguments, base.network, base.hosts), stack_asked(arguments, base.stack)
    if stack.congestion == "dctcp" and (network.switch is None or network.switch.mark_bytes is None):
        raise ClearwayError("DCTCP needs ECN marks, but no port marks packets", "--ecn 15k")
    if stack.rdma_congestion == "dcqcn" and not stack.mtu_bytes:
        raise ClearwayError("DCQCN is the congestion control of RDMA, but the hosts use TCP", "--set rdma.mtu=4096")
    if stack.rdma_congestion == "dcqcn" and (network.switch is None or network.switch.mark_bytes is None):
        raise ClearwayError("DCQCN needs ECN marks, but no port marks packets", "--ecn 100k")
    if stack.mtu_bytes and network.switch is not None and not (network.switch.flow_control or network.switch.credits):
        raise ClearwayError("RDMA needs flow control on all links", "--flow-control pfc")
    return replace(
        base,
        hosts=2 if arguments.cable else base.hosts,
        per_host=arguments.per_host or base.per_host,
        network=network,
        stack=stack,
    )


def network_asked(arguments: argparse.Namespace, network: Network, hosts: int) -> Network:
    from clearway.base.units import parse_bytes, parse_rate_bps

    switch = switch_asked(arguments, network.switch, hosts)
    return replace(
        network,
        rate_bps=parse_rate_bps(arguments.rate) if arguments.rate else network.rate_bps,
        latency_ns=network.latency_ns if arguments.latency_us is None else arguments.latency_us * 1000,
        switch=None if arguments.cable else switch,
        burst_bytes=parse_bytes(arguments.burst) if arguments.burst else network.burst_bytes,
    )


def switch_asked(arguments: argparse.Namespace, switch: Switch | None, hosts: int) -> Switch | None:
    """Raises ClearwayError where options make no sense together."""
    from clearway.base.errors import ClearwayError
    from clearway.base.units import parse_buffer, parse_bytes
    from clearway.cluster import Switch

    asked: dict[str, Any] = {}
    if arguments.sub_switches:
        asked |= {"sub_switches": sub_switches_asked(arguments, hosts), "fabric": None}
    if fabric := fabric_asked(arguments, hosts):
        asked |= {"sub_switches": (), "fabric": fabric}
    if arguments.uplink and not asked:
        asked |= uplink_asked(arguments.uplink, switch)
    if arguments.buffer:
        asked |= {"buffer_bytes": parse_buffer(arguments.buffer), "shared_buffer_bytes": None}
        if asked["buffer_bytes"] == 0:  # the simulator's word for deep
            raise ClearwayError("a port buffer of 0 bytes holds no packet", "--buffer 64k, or deep")
    if arguments.shared_buffer:
        asked["shared_buffer_bytes"] = parse_bytes(arguments.shared_buffer)
    if arguments.flow_control:
        asked["flow_control"] = arguments.flow_control in ("pause", "pfc")
        asked["credits"] = arguments.flow_control == "credits"
    if arguments.cut_through:
        asked["cut_through"] = True
    if arguments.ecn:
        asked["mark_bytes"] = parse_bytes(arguments.ecn)
        if asked["mark_bytes"] == 0:  # the simulator's word for no marks
            raise ClearwayError("--ecn must be more than 0", "--ecn 15k")
        asked |= {"mark_all_bytes": None, "mark_share": None}
    changed = replace(switch or Switch(hosts), **asked) if asked else switch
    if changed and (changed.flow_control or changed.credits) and changed.shared_buffer_bytes is not None:
        raise ClearwayError("with flow control each port has a buffer of its own", "--buffer 64k")
    if changed and changed.flow_control and changed.fabric and changed.fabric.router_hosts:
        raise ClearwayError(
            "a dragonfly may jam for ever with flow control that has no virtual lanes", "--flow-control credits"
        )
    return changed


def uplink_asked(rate: str, switch: Switch | None) -> dict[str, Any]:
    """Another rate of the links that the switches have between them. Raises ClearwayError where there are none."""
    from clearway.base.errors import ClearwayError
    from clearway.base.units import parse_rate_bps

    uplink_bps = parse_rate_bps(rate)
    if switch is not None and switch.fabric:
        return {"fabric": replace(switch.fabric, uplink_bps=uplink_bps)}
    if switch is not None and switch.sub_switches:
        return {"sub_switches": tuple(replace(part, uplink_bps=uplink_bps) for part in switch.sub_switches)}
    raise ClearwayError(
        f"--uplink {rate}: all hosts are on one switch, which has no uplink",
        "--sub-switches, --leaf-spine, --fat-tree and --dragonfly have uplinks",
    )


def fabric_asked(arguments: argparse.Namespace, hosts: int) -> Fabric | None:
    """Raises ClearwayError where hosts have no place, or there are two shapes."""
    from clearway.base.errors import ClearwayError
    from clearway.base.units import parse_rate_bps
    from clearway.cluster import Fabric

    shapes = [
        arguments.cable,
        arguments.sub_switches,
        arguments.leaf_spine,
        arguments.fat_tree,
        arguments.dragonfly,
    ]
    if sum(bool(shape) for shape in shapes) > 1:
        raise ClearwayError(
            "more than one shape of the network",
            "give only one of --cable, --sub-switches, --leaf-spine, --fat-tree, --dragonfly",
        )
    uplink_bps = parse_rate_bps(arguments.uplink or UPLINK)
    if arguments.fat_tree is not None:
        ports = arguments.fat_tree
        if ports < 2 or ports % 2 != 0 or hosts > ports**3 // 4:
            raise ClearwayError(
                f"a fat tree of {ports}-port switches cannot have {hosts} hosts", "--fat-tree K: K even, K³/4 hosts"
            )
        return Fabric(tree_ports=ports, uplink_bps=uplink_bps)
    if arguments.dragonfly is not None:
        return _dragonfly(arguments.dragonfly, hosts, uplink_bps)
    if arguments.leaf_spine is None:
        return None
    leaf_hosts, _, spines = arguments.leaf_spine.partition("x")
    if not is_whole(leaf_hosts) or not is_whole(spines) or min(int(leaf_hosts), int(spines)) < 1:
        raise ClearwayError(f"'{arguments.leaf_spine}' is not a number of hosts and spines, HxS", "--leaf-spine 16x4")
    return Fabric(leaf_hosts=int(leaf_hosts), spines=int(spines), uplink_bps=uplink_bps)


def _dragonfly(text: str, hosts: int, uplink_bps: int) -> Fabric:
    from clearway.base.errors import ClearwayError
    from clearway.cluster import Fabric

    parts = text.split("x")
    if len(parts) != 3 or not all(is_whole(part) and 1 <= int(part) <= 128 for part in parts):
        raise ClearwayError(f"'{text}' is not a shape of a dragonfly", "--dragonfly 4x8x4: hosts, routers, links")
    router_hosts, group_routers, router_links = map(int, parts)
    most = router_hosts * group_routers * (group_routers * router_links + 1)
    if hosts > most:
        raise ClearwayError(f"a dragonfly of {text} cannot have {hosts} hosts", f"it has room for {most}")
    return Fabric(
        router_hosts=router_hosts, group_routers=group_routers, router_links=router_links, uplink_bps=uplink_bps
    )


def sub_switches_asked(arguments: argparse.Namespace, hosts: int) -> tuple[SubSwitch, ...]:
    """Hosts fill the parts one after another."""
    from clearway.base.errors import ClearwayError
    from clearway.base.ranges import numbers_of
    from clearway.base.units import parse_rate_bps
    from clearway.cluster import SubSwitch

    sizes = numbers_of(arguments.sub_switches)
    if not sizes:
        raise ClearwayError(f"'{arguments.sub_switches}' is not a list of numbers of hosts", "--sub-switches 9,9,9,5")
    if min(sizes) < 1 or sum(sizes) != hosts:
        raise ClearwayError(f"sub-switches for {sum(sizes)} hosts do not fit {hosts} hosts", f"--hosts {sum(sizes)}")
    uplink_bps = parse_rate_bps(arguments.uplink or UPLINK)
    firsts = [1 + sum(sizes[:index]) for index in range(len(sizes))]
    return tuple(
        SubSwitch(tuple(range(first, first + size)), uplink_bps) for first, size in zip(firsts, sizes, strict=True)
    )


def stack_asked(arguments: argparse.Namespace, stack: Stack) -> Stack:
    from clearway.base.units import parse_bytes, warn_once_binary

    warn_once_binary("--eager", arguments.eager or "")
    asked: dict[str, Any] = {
        "congestion": arguments.congestion,
        "rto_min_ms": arguments.rto_min_ms,
        "probes_tails": False if arguments.old_tcp else None,
        "eager_bytes": parse_bytes(arguments.eager) if arguments.eager else None,
        "message_ns": None if arguments.message_us is None else round(arguments.message_us * 1000),
        "skew_us": arguments.skew_us,
    }
    named = replace(stack, **{field: value for field, value in asked.items() if value is not None})
    return stack_with(named, arguments.set)


def stack_with(stack: Stack, settings: Sequence[str]) -> Stack:
    """With "mpi.kilobyte=150ns" and the like. Raises ClearwayError where a cluster's file could not say so."""
    from clearway.base.errors import ClearwayError
    from clearway.cluster.files.stack import TABLES, changed_stack
    from clearway.cluster.files.table import Table

    told: dict[str, dict[str, object]] = {}
    for setting in settings:
        key, equals, value = setting.partition("=")
        table, dot, name = key.partition(".")
        if table not in TABLES or not (equals and dot and name):
            raise ClearwayError(
                f"--set {setting} is not KEY=VALUE", "--set tcp.initial_window=3, --set mpi.kilobyte=150ns"
            )
        told.setdefault(table, {})[name] = toml_value(value)
    return changed_stack(stack, Table(told, "--set"))


def toml_value(text: str) -> str | int | bool:
    """A number or a truth as in TOML; everything else is text, which TOML would want in quotes."""
    if text in ("true", "false"):
        return text == "true"
    return int(text) if is_whole(text) else text
