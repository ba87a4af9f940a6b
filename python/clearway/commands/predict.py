"""Predict a collective operation on a cluster that is not there: throughput, lost packets and timeouts, simulated.

clearway predict alltoall --hosts 16 --rate 1gbit --buffer 64k    where does it collapse, and which order cures it?
clearway predict alltoall --cluster procurve2848 --hosts 16       a ready cluster, or a file (docs/clusters.md)
clearway predict alltoall --hosts 32 --sub-switches 9,9,9,5 --uplink 10gbit --algorithms lam,ordered+barrier
clearway predict allgather --hosts 8 --algorithms ring,recursive_doubling --sizes 4k..1M --json FILE

The same options give the same figures. docs/simulator.md says what is modelled, and how far it agrees with real TCP.
"""

from __future__ import annotations

import argparse
from typing import TYPE_CHECKING

from clearway.predict.options import add_cluster_options

if TYPE_CHECKING:
    from clearway.predict.prediction import Prediction
    from clearway.predict.wish import Wish

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
    add_cluster_options(parser)
    output = parser.add_argument_group("output")
    output.add_argument("--json", metavar="FILE", help="all figures; schema in docs/json-schema ('-': standard output)")
    output.add_argument("--plot", metavar="FILE", help="throughput against message size: .svg, .png or .pdf")
    output.add_argument("--html", metavar="FILE", help="picture and table in one file")
    output.add_argument("--no-cache", action="store_true", help="simulate again what was simulated before")
    output.add_argument("-q", "--quiet", action="store_true", help="no progress")


def run(arguments: argparse.Namespace) -> int:
    from clearway import quantities as q
    from clearway.bench.words import parse_algorithms, parse_sizes
    from clearway.predict.cache import user_cache
    from clearway.predict.prediction import Point
    from clearway.predict.progress import SweepProgress
    from clearway.predict.sweep import predict

    check_outputs(arguments)
    candidates, sizes = parse_algorithms(arguments.algorithms), parse_sizes(arguments.sizes)
    cache = None if arguments.no_cache else user_cache()
    with SweepProgress(len(candidates) * len(sizes), arguments.quiet) as progress:

        def watch(point: Point) -> None:
            told = f"{q.count(point.packet_hops)} packet-hops, {point.timeouts} TCP timeouts"
            progress.done(f"{point.candidate}, {point.block_bytes} bytes", told)

        prediction = predict(wish_of(arguments), candidates, sizes, watch, cache)
    write(prediction, arguments)
    return 0


def check_outputs(arguments: argparse.Namespace) -> None:
    """Before anything is simulated. Raises ClearwayError."""
    from clearway.bench.plot import check_plot_name, require_matplotlib

    if arguments.plot:
        check_plot_name(arguments.plot)
    if arguments.html:
        require_matplotlib()


def wish_of(arguments: argparse.Namespace) -> Wish:
    from clearway.errors import ClearwayError
    from clearway.predict.options import model_asked
    from clearway.predict.wish import Wish

    if arguments.calls < 1:
        raise ClearwayError("there must be a call", "--calls 25")
    if min(arguments.seed, arguments.pause_ms) < 0:
        raise ClearwayError("seed and times cannot be negative", "clearway predict alltoall --help")
    model = model_asked(arguments)
    return Wish(
        arguments.operation,
        model.hosts,
        model.per_host,
        model.network,
        model.stack,
        arguments.calls,
        arguments.pause_ms,
        arguments.seed,
    )


def write(prediction: Prediction, arguments: argparse.Namespace) -> None:
    if arguments.json != "-":
        from clearway.commands.schedule import print_lines
        from clearway.predict.terminal import table_of
        from clearway.report.terminal import open_console, sheet_for

        console = open_console()
        print_lines(console, table_of(prediction, sheet_for(console)))
    if arguments.json:
        from clearway.predict.json import write_json

        write_json(prediction, arguments.json)
    if arguments.plot or arguments.html:
        from clearway.bench.html import write_html
        from clearway.bench.plot import write_plot
        from clearway.predict.picture import sweep_of

        sweep = sweep_of(prediction)
        if arguments.plot:
            write_plot(sweep, arguments.plot)
        if arguments.html:
            write_html(sweep, arguments.html)
