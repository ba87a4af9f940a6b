"""Show how a collective operation moves its data, phase by phase, and prove that it is correct.

clearway schedule list                              the algorithms
clearway schedule show ordered --ranks 5            phases, traffic, picture
clearway schedule show rabenseifner --ranks 8       the same for reductions and broadcasts
clearway schedule check node_ordered --hosts 3,2,4  every byte arrives once, no port is overloaded, nothing hangs
"""

from __future__ import annotations

import argparse
from typing import TYPE_CHECKING

from clearway.schedule.model import OPERATIONS

if TYPE_CHECKING:
    from collections.abc import Iterable

    from rich.text import Text

    from clearway.base.sheet import Sheet
    from clearway.schedule.model import Request, Schedule

GATES = ("none", "token", "barrier", "credits")
MOST_LISTED_RANKS = 64  # of more ranks the table shows sums, not who sends to whom
MOST_PHASES = 16


def configure(parser: argparse.ArgumentParser) -> None:
    actions = parser.add_subparsers(dest="action", metavar="ACTION", required=True)
    actions.add_parser("list", help="list the algorithms, and the operations that each can do")
    show = actions.add_parser("show", help="show phases, traffic and picture of a schedule")
    check = actions.add_parser("check", help="prove that a schedule is right, or say what is wrong with it")
    for each in (show, check):
        each.add_argument("algorithm", metavar="NAME", help="a name from `clearway schedule list`")
        each.add_argument("--ranks", type=int, metavar="N", help="number of ranks")
        each.add_argument("--per-host", type=int, metavar="N", help="consecutive ranks on each host (default 1)")
        each.add_argument("--hosts", metavar="N,N,…", help="ranks on each host, where hosts differ: 3,2,4")
        each.add_argument(
            "--operation",
            choices=OPERATIONS,
            metavar="NAME",
            help="the operation (default: the first that the algorithm can do)",
        )
        each.add_argument(
            "--bytes", default="64Ki", metavar="SIZE", help="bytes of a block, or of the vector (default 64Ki)"
        )
        each.add_argument(
            "--root", type=int, default=0, metavar="RANK", help="root rank of bcast and reduce (default 0)"
        )
        each.add_argument(
            "--uneven", action="store_true", help="for v and w operations: blocks of many sizes, some empty"
        )
    show.add_argument("--svg", metavar="FILE", help="draw the phases as SVG ('-': standard output)")
    show.add_argument("--all", action="store_true", help="print all phases")
    check.add_argument("--gate", choices=GATES, default="none", help="what separates phases (default none)")


def run(arguments: argparse.Namespace) -> int:
    if arguments.action == "list":
        return print_list()
    request = request_of(arguments)
    return show(request, arguments) if arguments.action == "show" else check(request)


def request_of(arguments: argparse.Namespace) -> Request:
    from clearway.base.errors import ClearwayError
    from clearway.base.units import parse_bytes
    from clearway.schedule.model import Request
    from clearway.schedule.native import list_algorithms
    from clearway.schedule.placement import place

    hosts = place(arguments.ranks, arguments.per_host, arguments.hosts)
    block_bytes = parse_bytes(arguments.bytes)
    if block_bytes >= 2**40:
        raise ClearwayError(f"--bytes {arguments.bytes} is too large for a block: it must be below 1Ti", "--bytes 64Ki")
    operations = {algorithm.name: algorithm.operations for algorithm in list_algorithms()}
    if arguments.algorithm not in operations:
        raise ClearwayError(f"there is no algorithm '{arguments.algorithm}'", f"one of: {', '.join(operations)}")
    operation = arguments.operation or operations[arguments.algorithm][0]
    if operation not in operations[arguments.algorithm]:
        able = [name for name, served in operations.items() if operation in served]
        raise ClearwayError(f"the algorithm {arguments.algorithm} cannot do {operation}", f"one of: {', '.join(able)}")
    if not 0 <= arguments.root < len(hosts):
        raise ClearwayError(f"--root {arguments.root} is not one of the {len(hosts)} ranks", f"0 to {len(hosts) - 1}")
    gate = getattr(arguments, "gate", "none")
    return Request(arguments.algorithm, operation, hosts, block_bytes, arguments.uneven, gate, arguments.root)


def print_list() -> int:
    from clearway.base.console import open_console, print_lines, sheet_for
    from clearway.schedule.native import list_algorithms
    from clearway.schedule.table import algorithm_table

    console = open_console()
    print_lines(console, algorithm_table(list_algorithms(), sheet_for(console)))
    return 0


def show(request: Request, arguments: argparse.Namespace) -> int:
    from clearway.schedule.native import make_schedule

    wants_svg = arguments.svg is not None
    schedule = make_schedule(request, sends=wants_svg or len(request.hosts) <= MOST_LISTED_RANKS)
    if wants_svg:
        from clearway.base.output_file import whole_file
        from clearway.schedule.svg_picture import draw

        picture = draw(schedule)
        with whole_file(arguments.svg) as stream:
            stream.write(picture)
    if arguments.svg != "-":
        from clearway.base.console import open_console, print_lines, sheet_for

        console = open_console()
        most = len(schedule.phases) if arguments.all else MOST_PHASES
        print_lines(console, page(schedule, sheet_for(console, arguments.all), most))
    return 0


def page(schedule: Schedule, sheet: Sheet, most_phases: int) -> Iterable[Text]:
    from rich.text import Text

    from clearway.schedule import text_picture
    from clearway.schedule.table import phase_table, promise, title

    yield title(schedule, sheet)
    yield Text()
    yield from phase_table(schedule, sheet, most_phases)
    yield Text()
    yield promise(schedule)
    picture = text_picture.draw(schedule, sheet.width - 2, most_phases)
    if picture:
        yield Text()
        yield from (Text(f"  {line}".rstrip()) for line in picture)


def check(request: Request) -> int:
    from clearway.base.console import open_console, print_lines
    from clearway.schedule.native import make_schedule
    from clearway.schedule.table import verdict

    schedule = make_schedule(request, check=True)
    print_lines(open_console(), verdict(schedule))
    return 1 if schedule.violations else 0
