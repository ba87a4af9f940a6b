"""Predict a collective operation on a cluster that is not there: throughput, lost packets and timeouts, simulated.

clearway predict alltoall --hosts 16 --rate 1gbit --buffer 64k    where does it collapse, and which order cures it?
clearway predict alltoall --hosts 32 --sub-switches 9,9,9,5 --uplink 10gbit --algorithms lam,ordered+barrier
clearway predict allgather --hosts 8 --algorithms ring,recursive_doubling --sizes 4k..1M --json FILE

The same options give the same figures. docs/simulator.md says what is modelled, and how far it agrees with real TCP.
"""

from __future__ import annotations

import argparse
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from clearway.cluster import Network
    from clearway.predict.prediction import Prediction
    from clearway.predict.sweep import Watch
    from clearway.predict.wish import Stack, Wish

ALGORITHMS = {
    "alltoall": "lam,direct,ordered,ordered+barrier,pairwise+token:12000,chunk:8000",
    "allgather": "direct,ring,recursive_doubling",
}
DEFAULT_SIZES = "1k..256k"
DEFAULT_CALLS = 25


def configure(parser: argparse.ArgumentParser) -> None:
    operations = parser.add_subparsers(dest="operation", metavar="OPERATION", required=True)
    for name in ALGORITHMS:
        add_options(operations.add_parser(name, help=f"MPI_{name.capitalize()}"), name)


def add_options(parser: argparse.ArgumentParser, operation: str) -> None:
    what = parser.add_argument_group("what is predicted")
    what.add_argument(
        "--sizes", default=DEFAULT_SIZES, metavar="LIST", help=f"bytes of a block (default {DEFAULT_SIZES})"
    )
    what.add_argument("--algorithms", default=ALGORITHMS[operation], metavar="LIST", help="such as lam,ordered+barrier")
    what.add_argument(
        "--calls", type=int, default=DEFAULT_CALLS, metavar="N", help=f"of each (default {DEFAULT_CALLS})"
    )
    what.add_argument("--pause-ms", type=int, default=0, metavar="MS", help="between calls (default 0)")
    what.add_argument("--seed", type=int, default=1, metavar="N", help="of all that chance decides (default 1)")
    where = parser.add_argument_group("the cluster")
    where.add_argument("--hosts", type=int, default=8, metavar="N", help="default 8; 2 with --cable")
    where.add_argument("--per-host", type=int, default=1, metavar="N", help="ranks on each host (default 1)")
    where.add_argument("--rate", default="1gbit", help="of each link (default 1gbit)")
    where.add_argument("--latency-us", type=int, default=20, metavar="US", help="from host to host (default 20)")
    buffers = where.add_mutually_exclusive_group()
    buffers.add_argument("--buffer", default="64k", metavar="SIZE", help="of each switch port (default 64k), or deep")
    buffers.add_argument("--shared-buffer", metavar="SIZE", help="of one buffer for all ports")
    buffers.add_argument("--cable", action="store_true", help="two hosts without a switch")
    where.add_argument("--sub-switches", metavar="N,N,…", help="hosts on each part of the switch: 9,9,9,5")
    where.add_argument("--uplink", default="10gbit", metavar="RATE", help="of each part (default 10gbit)")
    stack = parser.add_argument_group("TCP and MPI")
    stack.add_argument("--congestion", choices=("cubic", "reno"), default="cubic")
    stack.add_argument("--rto-min-ms", type=int, default=200, metavar="MS", help="TCP's least timeout (default 200)")
    stack.add_argument("--old-tcp", action="store_true", help="without tail loss probes and RACK: before 2013")
    stack.add_argument("--eager", default="64k", metavar="SIZE", help="longer messages wait for their receive (64k)")
    stack.add_argument(
        "--message-us", type=float, default=2, metavar="US", help="of a core for each message (default 2)"
    )
    stack.add_argument(
        "--skew-us", type=int, default=20, metavar="US", help="ranks begin up to so much late (default 20)"
    )
    output = parser.add_argument_group("output")
    output.add_argument("--json", metavar="FILE", help="all figures; schema in docs/json-schema ('-': standard output)")
    output.add_argument("-q", "--quiet", action="store_true", help="no progress")


def run(arguments: argparse.Namespace) -> int:
    from clearway.bench.words import parse_algorithms, parse_sizes
    from clearway.predict.sweep import predict

    candidates, sizes = parse_algorithms(arguments.algorithms), parse_sizes(arguments.sizes)
    watch = progress(arguments.quiet, len(candidates) * len(sizes))
    write(predict(wish_of(arguments), candidates, sizes, watch), arguments.json)
    return 0


def wish_of(arguments: argparse.Namespace) -> Wish:
    from clearway.errors import ClearwayError
    from clearway.predict.wish import Wish
    from clearway.testbed.units import parse_size

    if min(arguments.hosts, arguments.per_host, arguments.calls, arguments.rto_min_ms) < 1:
        raise ClearwayError(
            "there must be hosts, ranks, calls and a least timeout", "--hosts 8 --per-host 1 --calls 25"
        )
    if min(arguments.seed, arguments.pause_ms, arguments.latency_us, arguments.message_us, arguments.skew_us) < 0:
        raise ClearwayError("seed and times cannot be negative", "clearway predict alltoall --help")
    return Wish(
        arguments.operation,
        2 if arguments.cable else arguments.hosts,
        arguments.per_host,
        network_of(arguments),
        parse_size(arguments.shared_buffer) if arguments.shared_buffer else None,
        stack_of(arguments),
        arguments.calls,
        arguments.pause_ms,
        arguments.seed,
    )


def network_of(arguments: argparse.Namespace) -> Network:
    from clearway.cluster import Network, SubSwitch, Switch
    from clearway.errors import ClearwayError
    from clearway.testbed.units import parse_buffer, parse_rate

    sub_switches: list[SubSwitch] = []
    if arguments.sub_switches:
        try:
            sizes = [int(size) for size in arguments.sub_switches.split(",")]
        except ValueError:
            raise ClearwayError(f"'{arguments.sub_switches}' is no list of hosts", "--sub-switches 9,9,9,5") from None
        if min(sizes) < 1 or sum(sizes) != arguments.hosts:
            raise ClearwayError(
                f"sub-switches of {sum(sizes)} hosts do not hold {arguments.hosts}", f"--hosts {sum(sizes)}"
            )
        uplink_bps = parse_rate(arguments.uplink)
        for size in sizes:
            first = 1 + sum(len(part.ports) for part in sub_switches)
            sub_switches.append(SubSwitch(tuple(range(first, first + size)), uplink_bps))
    switch = Switch(arguments.hosts, buffer_bytes=parse_buffer(arguments.buffer), sub_switches=tuple(sub_switches))
    rate_bps, latency_ns = parse_rate(arguments.rate), arguments.latency_us * 1000
    return Network("modelled", rate_bps, latency_ns, switch=None if arguments.cable else switch)


def stack_of(arguments: argparse.Namespace) -> Stack:
    from clearway.bench.words import parse_size
    from clearway.predict.wish import Stack

    return Stack(
        arguments.congestion,
        arguments.rto_min_ms,
        not arguments.old_tcp,
        parse_size(arguments.eager),
        round(arguments.message_us * 1000),
        arguments.skew_us,
    )


def progress(quiet: bool, points: int) -> Watch:
    """Tells on stderr of each point as it comes: large clusters take minutes."""
    import sys

    from clearway import quantities as q
    from clearway.predict.prediction import Point

    done = 0

    def watch(point: Point) -> None:
        nonlocal done
        done += 1
        if not quiet:
            told = f"{q.count(point.packet_hops)} packet-hops, {point.timeouts} TCP timeouts"
            place = f"{done} of {points}: {point.candidate}, {point.block_bytes} bytes"
            print(f"clearway: {place}: {told}", file=sys.stderr)

    return watch


def write(prediction: Prediction, path: str | None) -> None:
    if path != "-":
        from clearway.commands.schedule import print_lines
        from clearway.predict.terminal import table_of
        from clearway.report.terminal import open_console, sheet_for

        console = open_console()
        print_lines(console, table_of(prediction, sheet_for(console)))
    if path:
        from clearway.predict.json import write_json

        write_json(prediction, path)
