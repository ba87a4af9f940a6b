"""The options that shape a testbed, of `clearway testbed` and of `--testbed OPTIONS`. What they mean: shape.py."""

from __future__ import annotations

import argparse

from clearway.base.units import parse_buffer, parse_rate_bps
from clearway.testbed.fault import parse_fault
from clearway.testbed.shape import Shape


def add_shape(parser: argparse.ArgumentParser) -> None:
    parser.add_argument("--hosts", type=int, default=4, metavar="N", help="number of hosts (default 4)")
    parser.add_argument("--rate", default="20mbit", help="speed of every link: 20mbit (the default), 1gbit")
    parser.add_argument("--buffer", default="64k", help="buffer of each switch port: 64k (the default); deep: no loss")
    parser.add_argument("--per-host", type=int, default=1, metavar="N", help="ranks on each host (default 1)")
    parser.add_argument("--congestion", default="cubic", help="TCP's congestion control: cubic (the default) or reno")
    parser.add_argument("--rto-min", type=int, metavar="MS", help="TCP's minimum timeout (kernel default: 200)")
    parser.add_argument("--latency-us", type=int, default=0, metavar="N", help="latency from host to host (default 0)")
    parser.add_argument(
        "--switches", type=int, default=1, metavar="N", help="number of switches, with uplinks between them (default 1)"
    )
    parser.add_argument("--uplink", metavar="RATE", help="speed of each switch's uplink (default: as --rate)")
    parser.add_argument(
        "--spread", action="store_true", help="connect node1 to the first switch, node2 to the second, and so on"
    )
    parser.add_argument("--second-card", metavar="RATE", help="each host has a second card, eth1, of this rate")
    parser.add_argument(
        "--fault",
        action="append",
        default=[],
        metavar="FAULT",
        help="node3:cpu=50%% (of a core), node3:rate=10mbit (its port), node3:rate-to=10mbit (only toward it), "
        "node3:loss=1%% (of packets to it), node3:mtu=1400 (larger packets to it are lost), node3:latency-us=500 (of "
        "what it sends); may be repeated",
    )


def add_slurm(parser: argparse.ArgumentParser) -> None:
    parser.add_argument("--slurm", action="store_true", help="start Slurm too, with users user1 and user2")
    parser.add_argument(
        "--host-cpus",
        type=int,
        metavar="N",
        help="cores of each host, for Slurm (default: this machine's)",
    )


def shape_of(arguments: argparse.Namespace) -> Shape:
    return Shape(
        hosts=arguments.hosts,
        rate_bps=parse_rate_bps(arguments.rate),
        buffer_bytes=parse_buffer(arguments.buffer),
        per_host=arguments.per_host,
        congestion=arguments.congestion,
        rto_min_ms=arguments.rto_min,
        switches=arguments.switches,
        uplink_bps=None if arguments.uplink is None else parse_rate_bps(arguments.uplink),
        spread=arguments.spread,
        second_card_bps=None if arguments.second_card is None else parse_rate_bps(arguments.second_card),
        latency_us=arguments.latency_us,
        faults=tuple(parse_fault(text) for text in arguments.fault),
    )
