"""Say how long a recorded job would have taken with a perfect network, even load, or cores of its own.

clearway what-if RUN --network perfect      messages take no time, and no packet is lost
clearway what-if RUN --network lossless     the same network without its lost packets
clearway what-if RUN --latency 1us          each message is on its way for 1 µs; its bytes take as long as before
clearway what-if RUN --balance perfect      all ranks compute equally long between two calls of all ranks
clearway what-if RUN --files perfect        reading and writing take no time
clearway what-if RUN --no-foreign-load      programs outside the job leave its cores alone
clearway what-if RUN --cores 2x             twice the cores; --cores each: one for each thread
clearway what-if RUN --network perfect --balance perfect          several at once
clearway what-if RUN --cluster FILE         on another cluster (clearway docs clusters), simulated; needs --timeline

The recorded calls are replayed in their order: a rank waits less only if what it waits for comes earlier.
For several clusters, algorithms or settings of TCP and MPI: clearway predict --from RUN.
"""

from __future__ import annotations

import argparse
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from clearway.diagnosis.facts import Case
    from clearway.predict.what_if.answer import Answer
    from clearway.predict.what_if.asked import Asked


def configure(parser: argparse.ArgumentParser) -> None:
    parser.add_argument("run", metavar="RUN", help="a Run directory")
    change = parser.add_argument_group("what to change")
    change.add_argument(
        "--network", choices=("perfect", "lossless"), help="perfect: messages take no time; lossless: no packet is lost"
    )
    change.add_argument(
        "--latency", metavar="TIME", help="time that a message needs from host to host, without its bytes: 1us"
    )
    change.add_argument("--balance", choices=("perfect",), help="all ranks compute equally long")
    change.add_argument("--files", choices=("perfect",), help="reading and writing files takes no time")
    change.add_argument("--no-foreign-load", action="store_true", help="no other program uses the job's cores")
    change.add_argument(
        "--cores", choices=("2x", "each"), help="2x: twice as many cores; each: one core for each thread"
    )
    change.add_argument(
        "--cluster", metavar="NAME|FILE", help="simulate the job on this one: a name (clearway cluster list), or a file"
    )
    output = parser.add_argument_group("output")
    output.add_argument("--all", action="store_true", help="also show lines that take almost no time")
    output.add_argument(
        "--json", metavar="FILE", help="all figures ('-': standard output); schema: clearway docs json-schema"
    )


def run(arguments: argparse.Namespace) -> int:
    from rich.console import Console

    from clearway.base.interruption import ended_by_signals
    from clearway.diagnosis.facts import open_case
    from clearway.run import load

    asked = asked_by(arguments)
    waiting = Console(stderr=True).status("Replaying the recorded calls …")  # on a terminal; a million take seconds
    with ended_by_signals(), waiting:
        made = answered(open_case(load(arguments.run)), asked, arguments.cluster)
    if arguments.json:
        from clearway.base.json import write_json

        write_json(made, arguments.json)
    if arguments.json != "-":
        from clearway.base.console import open_console, print_lines, sheet_for
        from clearway.predict.what_if.terminal import lines_of

        console = open_console()
        print_lines(console, lines_of(made, sheet_for(console, arguments.all)))
    return 0


def asked_by(arguments: argparse.Namespace) -> Asked:
    """Raises ClearwayError where the options make no sense together."""
    from clearway.base.errors import ClearwayError
    from clearway.base.pasted import pasted
    from clearway.base.units import parse_time_ns
    from clearway.predict.what_if.asked import Asked

    asked = Asked(
        network=arguments.network,
        latency_s=None if arguments.latency is None else parse_time_ns(arguments.latency) * 1e-9,
        balance=arguments.balance,
        files=arguments.files,
        no_foreign_load=arguments.no_foreign_load,
        cores=arguments.cores,
    )
    if arguments.cluster and asked != Asked():
        raise ClearwayError(
            "--cluster simulates the recorded job, which cannot be changed in another way at the same time",
            f"clearway what-if {pasted(arguments.run)} --cluster {pasted(arguments.cluster)}",
        )
    if asked == Asked() and not arguments.cluster:
        raise ClearwayError("no change to try", "clearway what-if RUN --network perfect")
    if asked.network == "perfect" and asked.latency_s is not None:
        raise ClearwayError(
            "a perfect network has no latency", "give one of --network perfect and --latency; lossless goes with both"
        )
    return asked


def answered(case: Case, asked: Asked, cluster: str | None) -> Answer:
    """Raises ClearwayError."""
    if cluster:
        from clearway.predict.what_if.on_cluster import answer_on_cluster

        return answer_on_cluster(case, cluster)
    from clearway.predict.what_if.asked import change_asked
    from clearway.predict.what_if.counterfactual import answer

    return answer(case, *change_asked(case, asked))
