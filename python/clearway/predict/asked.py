"""What `clearway predict` is asked, as its options say it, and the answer: one prediction."""

from __future__ import annotations

import argparse
from collections.abc import Sequence
from functools import cache
from typing import TYPE_CHECKING

from clearway.base.command_line import Parser
from clearway.predict.jobs.options import JOB_OPTIONS, add_job_options
from clearway.predict.options import add_cluster_options
from clearway.queue.options import add_submit

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
OPERATION_OPTIONS = ("sizes", "algorithms", "calls", "pause_ms", "testbed")


def add_options(parser: argparse.ArgumentParser) -> None:
    parser.add_argument(
        "operation", nargs="?", choices=tuple(ALGORITHMS), help="predict this collective operation, instead of a job"
    )
    add_job_options(parser.add_argument_group("a job"))
    what = parser.add_argument_group("an operation")
    what.add_argument(
        "--sizes", metavar="LIST", help=f"sizes of the message from each rank to each other (default {DEFAULT_SIZES})"
    )
    what.add_argument("--algorithms", metavar="LIST", help="algorithms to compare, such as lam,ordered+barrier")
    what.add_argument(
        "--calls", type=int, metavar="N", help=f"calls of each size and algorithm (default {DEFAULT_CALLS})"
    )
    what.add_argument("--pause-ms", type=int, metavar="MS", help="pause between calls (default 0)")
    add_cluster_options(parser)
    sweep = parser.add_argument_group("a sweep")
    sweep.add_argument(
        "--vary",
        metavar="OPTION=A,B",
        action="append",
        default=[],
        help="predict for each value: rate=1gbit,10gbit, seed=1-100 (all combinations if repeated)",
    )
    sweep.add_argument("-o", "--output", metavar="DIR", help="directory for the results, for --resume")
    sweep.add_argument("--resume", metavar="DIR", help="resume the sweep in DIR")
    add_submit(parser, "a share of the sweep")
    sweep.add_argument("--tasks", type=int, default=100, metavar="N", help="tasks of the job array (default 100)")
    sweep.add_argument("--csv", metavar="FILE", help="write a line for each figure of the sweep ('-': standard output)")
    parser.add_argument("--seed", type=int, default=1, metavar="N", help="seed of the random numbers (default 1)")
    output = parser.add_argument_group("output")
    output.add_argument(
        "--json", metavar="FILE", help="all figures ('-': standard output); schema: clearway docs json-schema"
    )
    output.add_argument("--plot", metavar="FILE", help="throughput against size, or speedup: .svg, .png or .pdf")
    output.add_argument("--html", metavar="FILE", help="write picture and table as one page")
    output.add_argument("--no-cache", action="store_true", help="simulate again instead of using cached results")
    output.add_argument("-q", "--quiet", action="store_true", help="show no progress")


def options_read(words: Sequence[str]) -> argparse.Namespace:
    """As this command understands them. Raises ClearwayError."""
    return own_parser().parse_args(words)


@cache
def own_parser() -> Parser:
    """Made once: a sweep reads options for each of its predictions."""
    parser = Parser(prog="clearway predict")
    add_options(parser)
    return parser


def predicted(arguments: argparse.Namespace) -> Prediction | JobPrediction:
    """Raises ClearwayError where options make no sense, or it cannot be simulated."""
    from clearway.base.errors import ClearwayError

    asked = [arguments.operation, arguments.workload, getattr(arguments, "from")]
    if sum(map(bool, asked)) != 1:
        told = "more than one thing to predict" if any(asked) else "nothing to predict"
        raise ClearwayError(told, "name one of: alltoall, allgather, --workload NAME, --from DIR")
    if arguments.seed < 0:
        raise ClearwayError("the seed cannot be negative", "--seed 1")
    refuse_unsuited(arguments)
    if arguments.operation:
        return predict_operation(arguments)
    from clearway.predict.jobs.command import predict_asked

    return predict_asked(arguments)


def refuse_unsuited(arguments: argparse.Namespace) -> None:
    """Options of jobs for an operation, and the other way round. Raises ClearwayError."""
    from clearway.base.errors import ClearwayError

    others = JOB_OPTIONS if arguments.operation else OPERATION_OPTIONS
    kind = "jobs" if arguments.operation else "operations"
    for name in others:
        if getattr(arguments, name) is not None:
            raise ClearwayError(f"--{name.replace('_', '-')} is only for {kind}", "clearway predict --help")


def predict_operation(arguments: argparse.Namespace) -> Prediction:
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

        return predict(request_of(arguments), candidates, sizes, watch, cache)


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
    if arguments.testbed:
        return request_as_measured(arguments, calls)
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


def request_as_measured(arguments: argparse.Namespace, calls: int) -> Request:
    """What `clearway bench --testbed` would measure. Raises ClearwayError where more of a cluster is asked for."""
    from clearway.base.errors import ClearwayError
    from clearway.bench.on_testbed import shape_and_mpi
    from clearway.predict.collectives.on_testbed import request_on_testbed
    from clearway.predict.options import cluster_options

    names = [name for name in (*cluster_options(), "pause_ms") if name != "testbed"]
    others = [name for name in names if getattr(arguments, name) not in (None, False, [])]
    if others:
        option = f"--{others[0].replace('_', '-')}"
        raise ClearwayError(
            f"{option} and --testbed exclude each other: both describe the hosts", 'put all of it into --testbed "…"'
        )
    shape, mpi = shape_and_mpi(arguments.testbed, "clearway predict")
    return request_on_testbed(arguments.operation, shape, mpi, calls, arguments.seed)
