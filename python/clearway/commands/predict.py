"""Predict a job, or a collective operation, on a modelled cluster, simulated packet by packet.

clearway predict --workload gromacs33:aqp1 --ranks 1,2,4,8,16 --cluster procurve2848 --alltoall lam,ordered
clearway predict --workload gromacs33 --ranks 16 --run DIR       leaves Runs: see clearway report DIR
clearway predict --from DIR --rate 10gbit --latency-us 5         a recorded job (--timeline) on another network
clearway predict --from DIR --no-core-wait                       … as if its ranks had not waited for cores
clearway predict alltoall --hosts 16 --rate 1gbit --buffer 64k    where does it collapse, and which order cures it?
clearway predict alltoall --cluster procurve2848 --hosts 16       a ready cluster, or a file (clearway docs clusters)
clearway predict alltoall --hosts 32 --sub-switches 9,9,9,5 --uplink 10gbit --algorithms lam,ordered+barrier
clearway predict alltoall --cluster testbed --hosts 8 --set mpi.shared_cores=4 --algorithms lam,ordered+credits:8000
clearway predict alltoall --hosts 64 --leaf-spine 16x4 --uplink 40gbit --flow-control pause
clearway predict allgather --hosts 8 --algorithms ring,recursive_doubling --sizes 4Ki..1Mi --json FILE

The same options give the same figures. `clearway docs simulator` says what is modelled, and how far it agrees with real
TCP.
"""

from __future__ import annotations

import argparse
from typing import TYPE_CHECKING

from clearway.predict.jobs.options import JOB_OPTIONS, add_job_options
from clearway.predict.options import add_cluster_options

if TYPE_CHECKING:
    from clearway.predict.collectives.prediction import Prediction
    from clearway.predict.collectives.request import Request
    from clearway.predict.jobs.prediction import JobPrediction

ALGORITHMS = {
    "alltoall": "lam,direct,ordered,ordered+barrier,pairwise+token:12000,chunk:8000",
    "allgather": "direct,ring,recursive_doubling",
}
DEFAULT_SIZES = "1Ki..256Ki"
DEFAULT_CALLS = 25
OPERATION_OPTIONS = ("sizes", "algorithms", "calls", "pause_ms")


def configure(parser: argparse.ArgumentParser) -> None:
    parser.add_argument(
        "operation", nargs="?", choices=tuple(ALGORITHMS), help="predict this collective operation, instead of a job"
    )
    add_job_options(parser.add_argument_group("a job"))
    what = parser.add_argument_group("an operation")
    what.add_argument(
        "--sizes", metavar="LIST", help=f"message sizes, from each rank to each other (default {DEFAULT_SIZES})"
    )
    what.add_argument("--algorithms", metavar="LIST", help="algorithms to compare, such as lam,ordered+barrier")
    what.add_argument(
        "--calls", type=int, metavar="N", help=f"calls of each size and algorithm (default {DEFAULT_CALLS})"
    )
    what.add_argument("--pause-ms", type=int, metavar="MS", help="pause between calls (default 0)")
    add_cluster_options(parser)
    parser.add_argument("--seed", type=int, default=1, metavar="N", help="seed of the random numbers (default 1)")
    output = parser.add_argument_group("output")
    output.add_argument(
        "--json", metavar="FILE", help="all figures ('-': standard output); schema: clearway docs json-schema"
    )
    output.add_argument("--plot", metavar="FILE", help="throughput against size, or speedup: .svg, .png or .pdf")
    output.add_argument("--html", metavar="FILE", help="picture and table in one file")
    output.add_argument("--no-cache", action="store_true", help="simulate again what was simulated before")
    output.add_argument("-q", "--quiet", action="store_true", help="show no progress")


def run(arguments: argparse.Namespace) -> int:
    from clearway.base.errors import ClearwayError

    asked = [arguments.operation, arguments.workload, getattr(arguments, "from")]
    if sum(each is not None for each in asked) != 1:
        raise ClearwayError("what is to be predicted?", "one of: alltoall, allgather, --workload NAME, --from DIR")
    if arguments.seed < 0:
        raise ClearwayError("the seed cannot be negative", "--seed 1")
    refuse_unsuited(arguments)
    check_outputs(arguments)
    if arguments.operation:
        predict_operation(arguments)
    else:
        from clearway.predict.jobs.command import predict_asked

        write(predict_asked(arguments), arguments)
    return 0


def refuse_unsuited(arguments: argparse.Namespace) -> None:
    """Options of jobs for an operation, and the other way round. Raises ClearwayError."""
    from clearway.base.errors import ClearwayError

    others = JOB_OPTIONS if arguments.operation else OPERATION_OPTIONS
    kind = "jobs" if arguments.operation else "operations"
    for name in others:
        if getattr(arguments, name) is not None:
            raise ClearwayError(f"--{name.replace('_', '-')} is for {kind}", "clearway predict --help")


def predict_operation(arguments: argparse.Namespace) -> None:
    from clearway.base import quantities as q
    from clearway.bench.sizes import parse_algorithms, parse_sizes
    from clearway.predict.cache import user_cache
    from clearway.predict.collectives.prediction import Point
    from clearway.predict.collectives.sweep import predict
    from clearway.predict.progress import SweepProgress

    candidates = parse_algorithms(arguments.algorithms or ALGORITHMS[arguments.operation])
    sizes = parse_sizes(arguments.sizes or DEFAULT_SIZES)
    cache = None if arguments.no_cache else user_cache()
    with SweepProgress(len(candidates) * len(sizes), arguments.quiet) as progress:

        def watch(point: Point) -> None:
            told = f"{q.count(point.packet_hops)} packet-hops, {point.timeouts} TCP timeouts"
            progress.done(f"{point.candidate}, {point.block_bytes} bytes", told)

        prediction = predict(request_of(arguments), candidates, sizes, watch, cache)
    write(prediction, arguments)


def check_outputs(arguments: argparse.Namespace) -> None:
    """Before anything is simulated. Raises ClearwayError."""
    from clearway.base.picture.figure import check_plot_name, require_matplotlib

    if arguments.plot:
        check_plot_name(arguments.plot)
    if arguments.html:
        require_matplotlib()


def request_of(arguments: argparse.Namespace) -> Request:
    from clearway.base.errors import ClearwayError
    from clearway.predict.collectives.request import Request
    from clearway.predict.options import model_asked

    calls = DEFAULT_CALLS if arguments.calls is None else arguments.calls
    pause_ms = arguments.pause_ms or 0
    if calls < 1:
        raise ClearwayError("--calls must be at least 1", "--calls 25")
    if pause_ms < 0:
        raise ClearwayError("times cannot be negative", "--pause-ms 1")
    model = model_asked(arguments)
    return Request(
        arguments.operation,
        model.hosts,
        model.per_host,
        model.network,
        model.stack,
        calls,
        pause_ms,
        arguments.seed,
    )


def write(prediction: Prediction | JobPrediction, arguments: argparse.Namespace) -> None:
    from clearway.base.json import write_json
    from clearway.predict.collectives.prediction import Prediction

    if arguments.json != "-":
        from clearway.base.console import open_console, print_lines, sheet_for
        from clearway.predict.collectives.terminal import table_of
        from clearway.predict.jobs.terminal import table_of as job_table_of

        console = open_console()
        sheet = sheet_for(console)
        print_lines(
            console,
            table_of(prediction, sheet) if isinstance(prediction, Prediction) else job_table_of(prediction, sheet),
        )
    if arguments.json:
        write_json(prediction, arguments.json)
    if not arguments.plot and not arguments.html:
        return
    if isinstance(prediction, Prediction):
        draw_operation(prediction, arguments)
    else:
        draw_job(prediction, arguments)


def draw_job(prediction: JobPrediction, arguments: argparse.Namespace) -> None:
    from clearway.predict.jobs.html import write_html
    from clearway.predict.jobs.picture import write_plot

    if arguments.plot:
        write_plot(prediction, arguments.plot)
    if arguments.html:
        write_html(prediction, arguments.html)


def draw_operation(prediction: Prediction, arguments: argparse.Namespace) -> None:
    from clearway.bench.html import write_html
    from clearway.bench.plot import write_plot
    from clearway.predict.collectives.picture import sweep_of

    sweep = sweep_of(prediction)
    if arguments.plot:
        write_plot(sweep, arguments.plot)
    if arguments.html:
        write_html(sweep, arguments.html)
