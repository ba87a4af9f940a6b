"""Measure a collective operation: throughput against message size, with the MPI's own algorithm and others.

clearway bench alltoall -- mpirun -np 8                      sizes 256 B to 1 MiB on this machine or cluster
clearway bench alltoall --grid 90x88x80 -- srun -n 16        the messages of PME on this grid
clearway bench allgather --testbed "--hosts 8 --buffer 20k"  on a cluster in a box
clearway bench alltoall --submit='--nodes=8' -- srun         each size as a task of a job array; --resume DIR shows it
clearway bench alltoall --save-table FILE -- mpirun -np 8    writes the table that `clearway run --flow=FILE` reads

After -- comes a launcher with its options, without a program.
"""

from __future__ import annotations

import argparse
from typing import TYPE_CHECKING

from clearway.bench.sweep import OPERATIONS

if TYPE_CHECKING:
    from pathlib import Path

    from clearway.bench.figures import RawPoint
    from clearway.bench.job import Watch
    from clearway.bench.on_testbed import Stage
    from clearway.bench.printed import Printed
    from clearway.bench.program import Request
    from clearway.bench.sweep import Sweep

DEFAULT_SIZES = "256..1Mi"
DEFAULT_CALLS = 25
DEFAULT_BUDGET_S = 20.0
DEFAULT_LEAST_CALLS = 3
BUDGET_HELP = f"seconds for each size and algorithm (default {DEFAULT_BUDGET_S:g})"
LEAST_HELP = f"make at least this many calls, however long they take (default {DEFAULT_LEAST_CALLS})"


def configure(parser: argparse.ArgumentParser) -> None:
    operations = parser.add_subparsers(dest="operation", metavar="OPERATION", required=True)
    for name in OPERATIONS:
        add_options(operations.add_parser(name, help=f"MPI_{name.capitalize()}"))


def add_options(parser: argparse.ArgumentParser) -> None:
    from clearway.queue.options import add_submit

    what = parser.add_argument_group("what to measure")
    what.add_argument(
        "--sizes", metavar="LIST", help=f"sizes of the message from each rank to each other (default {DEFAULT_SIZES})"
    )
    what.add_argument("--grid", metavar="XxYxZ", help="the message size of PME on this grid: 90x88x80")
    what.add_argument(
        "--algorithms", metavar="LIST", help="own (the MPI's), flow, or names: ordered,pairwise+token:12000"
    )
    what.add_argument(
        "--calls",
        type=int,
        default=DEFAULT_CALLS,
        metavar="N",
        help=f"at most this many calls of each size and algorithm (default {DEFAULT_CALLS})",
    )
    what.add_argument("--budget-s", type=float, default=DEFAULT_BUDGET_S, metavar="S", help=BUDGET_HELP)
    what.add_argument("--least-calls", type=int, default=DEFAULT_LEAST_CALLS, metavar="N", help=LEAST_HELP)
    what.add_argument(
        "--interleave",
        action="store_true",
        help="let algorithms take turns call by call (for networks without loss)",
    )
    where = parser.add_argument_group("where to run")
    where.add_argument(
        "--testbed", metavar="OPTIONS", help="run on a cluster in a box: '--hosts 8 --rate 20mbit --buffer 20k'"
    )
    where.add_argument(
        "--rate",
        metavar="RATE",
        help="speed of the hosts' network cards (1gbit), to show the most that the links allow",
    )
    where.add_argument(
        "--mpi-library", metavar="PATH", help="the launcher's libmpi.so, if it is not found automatically"
    )
    where.add_argument(
        "--read",
        metavar="FILE",
        help="show an earlier sweep: its JSON, or the output of clearway-bench",
    )
    add_submit(parser, "each message size", "default 1: they might disturb each other")
    where.add_argument("--resume", metavar="DIR", help="resume what was submitted from DIR")
    where.add_argument("-o", "--output", metavar="DIR", help="with --submit: where the results go")
    output = parser.add_argument_group("output")
    output.add_argument(
        "--json", metavar="FILE", help="all figures ('-': standard output); schema: clearway docs json-schema"
    )
    output.add_argument("--html", metavar="FILE", help="picture and table as one page")
    output.add_argument("--plot", metavar="FILE", help="the picture: .png, .svg or .pdf")
    output.add_argument(
        "--save-table", metavar="FILE", help="write the fastest algorithm of each size, for `clearway run --flow=FILE`"
    )
    output.add_argument("-q", "--quiet", action="store_true", help="show no progress")
    parser.add_argument("launcher", nargs=argparse.REMAINDER, metavar="LAUNCHER", help="mpirun -np 8, srun -n 16 …")


def run(arguments: argparse.Namespace) -> int:
    from clearway.base.picture.figure import check_plot_name, require_matplotlib

    if arguments.plot:
        check_plot_name(arguments.plot)
    if arguments.html:
        require_matplotlib()
    sweep = submitted(arguments) if arguments.resume or arguments.submit is not None else measured(arguments)
    if sweep is None:
        return 0
    write(sweep, arguments)
    return 1 if any(point.fault for curve in sweep.curves for point in curve.points) else 0


def submitted(arguments: argparse.Namespace) -> Sweep | None:
    """What there is of it, with whatever is missing submitted. None: nothing yet."""
    from pathlib import Path

    from clearway.bench.by_queue import sizes_in
    from clearway.queue import advance
    from clearway.queue.watch import follow, tell

    directory = Path(arguments.resume).absolute() if arguments.resume else submit_sizes(arguments)
    work = sizes_in(directory)
    standing = advance(directory, work, by_a_person=True)
    if arguments.watch and not standing.is_complete:
        standing = follow(directory, work)
    tell(standing, directory, f"bench {arguments.operation}")
    return work.so_far()


def submit_sizes(arguments: argparse.Namespace) -> Path:
    import os
    from pathlib import Path

    from clearway.base.errors import ClearwayError
    from clearway.base.units import parse_rate_bps
    from clearway.bench.by_queue import Wish, write_wish
    from clearway.bench.program import find_mpi_library
    from clearway.job.run_directory import make_run_directory
    from clearway.queue import submit, write_submission

    launcher = launcher_of(arguments)
    if not launcher or arguments.testbed or arguments.read:
        raise ClearwayError("--submit needs a launcher, and nothing else to run on", "clearway bench alltoall -- srun")
    library = arguments.mpi_library or find_mpi_library(launcher, os.environ)
    rate = parse_rate_bps(arguments.rate) if arguments.rate else None
    wish = Wish(tuple(launcher), request_of(arguments), str(Path(library).absolute()) if library else None, rate)
    submission = submit(arguments.submit, "bench", arguments.at_once or 1)
    directory = make_run_directory(arguments.output, f"bench-{arguments.operation}")
    write_wish(directory, wish)
    write_submission(directory, submission)
    return directory


def launcher_of(arguments: argparse.Namespace) -> list[str]:
    words: list[str] = arguments.launcher
    return words[1:] if words[:1] == ["--"] else words


def measured(arguments: argparse.Namespace) -> Sweep:
    import os

    from clearway.base.errors import ClearwayError
    from clearway.base.units import parse_rate_bps
    from clearway.bench.assemble import assemble
    from clearway.queue.options import check_submit

    check_submit(arguments)
    launcher = launcher_of(arguments)
    places = {"a launcher": launcher, "--testbed": arguments.testbed, "--read": arguments.read}
    ways = [name for name, given in places.items() if given]
    if len(ways) != 1:
        told = "no launcher to measure with" if not ways else f"{' and '.join(ways)} exclude each other"
        raise ClearwayError(told, "clearway bench alltoall -- mpirun -np 8")
    rate = parse_rate_bps(arguments.rate) if arguments.rate else None
    if arguments.read:
        return read(arguments.read, rate)
    request = request_of(arguments)
    from clearway.bench.program import PROGRAM
    from clearway.bench.settings import settings_of

    if launcher:
        settings = settings_of([*launcher, PROGRAM], os.environ)
        return assemble(run_under(launcher, request, arguments), link_bits_per_s=rate, settings=settings)
    from clearway.bench.on_testbed import stage_of

    stage = stage_of(arguments.testbed)
    settings = settings_of([PROGRAM], os.environ)
    return assemble(run_on(stage, request, arguments), stage.words, rate or stage.shape.rate_bps, settings)


def read(path: str, rate: int | None) -> Sweep:
    from pathlib import Path

    from clearway.base.errors import ClearwayError
    from clearway.bench.assemble import assemble
    from clearway.bench.printed import read_lines
    from clearway.bench.saved_sweep import is_json, sweep_from

    try:
        text = Path(path).read_text(encoding="utf-8", errors="replace")
    except OSError as error:
        raise ClearwayError(
            f"cannot read '{path}': {error.strerror}", "--read takes a file that `clearway bench --json` wrote"
        ) from None
    if is_json(text):
        return sweep_from(text, path)
    printed = read_lines(text.splitlines())
    if printed.job is None:
        raise ClearwayError(
            f"'{path}' is not the output of clearway-bench", "make one: srun clearway-bench alltoall … > FILE"
        )
    return assemble(printed, link_bits_per_s=rate)


def request_of(arguments: argparse.Namespace) -> Request:
    import os

    from clearway.base.errors import ClearwayError
    from clearway.base.installed import find_program
    from clearway.bench.program import PROGRAM, Request, find_flow_library
    from clearway.bench.sizes import own_last, parse_algorithms, parse_sizes

    if min(arguments.calls, arguments.least_calls) < 1 or not 0 < arguments.budget_s < 1e6:
        raise ClearwayError(
            "--calls and --least-calls must be at least 1, and --budget-s above 0", "--calls 25 --budget-s 20"
        )
    has_flow = find_flow_library(find_program(PROGRAM)) is not None
    names = parse_algorithms(arguments.algorithms or ("flow,own" if has_flow else "own"))
    sizes = arguments.sizes or (None if arguments.grid else DEFAULT_SIZES)
    return Request(
        arguments.operation,
        parse_sizes(sizes) if sizes else (),
        arguments.grid,
        names if arguments.interleave else own_last(names),
        arguments.calls,
        min(arguments.calls, arguments.least_calls),
        arguments.budget_s,
        arguments.interleave,
        knows_best="CLEARWAY_FLOW_TABLE" in os.environ,
    )


def run_under(launcher: list[str], request: Request, arguments: argparse.Namespace) -> Printed:
    import os
    from pathlib import Path

    from clearway.base.installed import find_program
    from clearway.bench.job import run_job
    from clearway.bench.program import PROGRAM, find_flow_library, find_mpi_library

    program = find_program(PROGRAM)
    library = find_mpi_library(launcher, os.environ)
    if arguments.mpi_library:
        library = Path(arguments.mpi_library)
    command = [*launcher, str(program), *request.arguments(library, find_flow_library(program))]
    return run_job(command, os.environ, progress(arguments.quiet))


def run_on(stage: Stage, request: Request, arguments: argparse.Namespace) -> Printed:
    from pathlib import Path

    from clearway.base.installed import find_program
    from clearway.base.interruption import ended_by_signals
    from clearway.bench.job import run_job
    from clearway.bench.on_testbed import launch_line
    from clearway.bench.program import PROGRAM, find_flow_library

    program = find_program(PROGRAM)
    library = Path(arguments.mpi_library) if arguments.mpi_library else None
    words = [str(program), *request.arguments(library, find_flow_library(program))]
    with ended_by_signals(), launch_line(stage, words) as (command, environment):
        return run_job(command, environment, progress(arguments.quiet))


def progress(quiet: bool) -> Watch:
    """Tells on stderr of each point as it comes: a sweep over a slow network takes minutes."""
    import sys

    def watch(printed: Printed, point: RawPoint | None) -> None:
        if quiet or point is None or printed.ended:
            return
        seconds = sum(point.calls_ns) * 1e-9
        told = point.fault or f"{len(point.calls_ns)} calls, {seconds:.2f} s, {point.timeouts} TCP timeouts"
        print(f"clearway: {point.candidate}, {point.block_bytes} bytes: {told}", file=sys.stderr)

    return watch


def write(sweep: Sweep, arguments: argparse.Namespace) -> None:
    from pathlib import Path

    if arguments.json != "-":
        from clearway.base.console import open_console, print_lines, sheet_for
        from clearway.bench.terminal import table_of

        console = open_console()
        print_lines(console, table_of(sweep, sheet_for(console)))
    if arguments.json:
        from clearway.base.json import write_json

        write_json(sweep, arguments.json)
    if arguments.html:
        from clearway.bench.html import write_html

        write_html(sweep, arguments.html)
    if arguments.plot:
        from clearway.bench.plot import write_plot

        write_plot(sweep, arguments.plot)
    if arguments.save_table:
        from clearway.bench.flow_table import save_table

        save_table(sweep, Path(arguments.save_table))
