"""Say how long a recorded job would have taken with a perfect network, even load, or cores of its own.

clearway what-if RUN --network perfect      messages take no time, and no packet is lost
clearway what-if RUN --network lossless     the same network without its lost packets
clearway what-if RUN --balance perfect      all ranks compute equally long between two calls of all ranks
clearway what-if RUN --files perfect        reading and writing take no time
clearway what-if RUN --no-foreign-load      programs outside the job leave its cores alone
clearway what-if RUN --cores 2x             twice the cores; --cores each: one for each thread
clearway what-if RUN --network perfect --balance perfect          several at once

The recorded calls are replayed in their order: a rank waits less only if what it waits for comes earlier.
Another network, switch or number of hosts: clearway predict --from RUN.
"""

from __future__ import annotations

import argparse


def configure(parser: argparse.ArgumentParser) -> None:
    parser.add_argument("run", metavar="RUN", help="a Run directory")
    change = parser.add_argument_group("what to change")
    change.add_argument(
        "--network", choices=("perfect", "lossless"), help="perfect: messages take no time; lossless: no packet is lost"
    )
    change.add_argument("--balance", choices=("perfect",), help="all ranks compute equally long")
    change.add_argument("--files", choices=("perfect",), help="reading and writing files takes no time")
    change.add_argument("--no-foreign-load", action="store_true", help="no other program uses the job's cores")
    change.add_argument(
        "--cores", choices=("2x", "each"), help="2x: twice as many cores; each: one core for each thread"
    )
    output = parser.add_argument_group("output")
    output.add_argument("--all", action="store_true", help="also show lines of almost no time")
    output.add_argument(
        "--json", metavar="FILE", help="all figures ('-': standard output); schema: clearway docs json-schema"
    )


def run(arguments: argparse.Namespace) -> int:
    from rich.console import Console

    from clearway.diagnosis.facts import open_case
    from clearway.predict.what_if.asked import change_asked
    from clearway.predict.what_if.counterfactual import answer
    from clearway.run import load

    asked = (arguments.network, arguments.balance, arguments.files, arguments.no_foreign_load, arguments.cores)
    if not any(asked):
        from clearway.base.errors import ClearwayError

        raise ClearwayError("no change to try", "clearway what-if RUN --network perfect")
    with Console(stderr=True).status("Replaying the recorded calls …"):  # on a terminal; seconds for a million of them
        case = open_case(load(arguments.run))
        made = answer(case, *change_asked(case, *asked))
    if arguments.json:
        from clearway.base.json import write_json

        write_json(made, arguments.json)
    if arguments.json != "-":
        from clearway.base.console import open_console, print_lines, sheet_for
        from clearway.predict.what_if.terminal import lines_of

        console = open_console()
        print_lines(console, lines_of(made, sheet_for(console, arguments.all)))
    return 0
