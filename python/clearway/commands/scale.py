"""Predict from a few Runs of a job how long it would take on more ranks, and where that time would go.

clearway scale RUN2 RUN4 RUN8 --to 16,64,1024      three Runs on different numbers of ranks, or more
clearway scale RUN2 RUN4 --to 16                   two of them give bounds only
clearway scale RUN* --to 64 --scaling weak         each rank has the same work, whatever their number
clearway scale RUN* --to 64 --cluster FILE         moving data simulated on the network of that cluster
clearway scale RUN* --to 64 --html FILE            as one file for a browser; --json likewise

Fits a law to each line of the ledger, to each MPI call, and to the numbers of calls and bytes. The expected time stands
beside simple guesses: constant, perfect scaling, Amdahl's law.
"""

from __future__ import annotations

import argparse


def configure(parser: argparse.ArgumentParser) -> None:
    parser.add_argument(
        "runs", metavar="RUN", nargs="+", help="Run directories of one program on different numbers of ranks"
    )
    parser.add_argument("--to", metavar="RANKS", nargs="+", required=True, help="numbers of ranks: 16,64 or 16 64")
    parser.add_argument(
        "--scaling",
        choices=("strong", "weak"),
        help="strong: the same work on more ranks; weak: the same work for each rank (default: found from the Runs)",
    )
    parser.add_argument(
        "--cluster",
        metavar="NAME|FILE",
        help="simulate the time that messages take on the network of this cluster (clearway cluster list; clearway "
        "docs clusters)",
    )
    output = parser.add_argument_group("output")
    output.add_argument("--all", action="store_true", help="also show lines that take almost no time")
    output.add_argument("--html", metavar="FILE", help="write it as one self-contained HTML file")
    output.add_argument(
        "--json", metavar="FILE", help="all figures ('-': standard output); schema: clearway docs json-schema"
    )


def run(arguments: argparse.Namespace) -> int:
    from clearway.base.interruption import ended_by_signals
    from clearway.predict.scaling.asked import targets_of
    from clearway.predict.scaling.measured import measure
    from clearway.predict.scaling.scale import scale
    from clearway.predict.scaling.simulated import NamedCluster

    targets = targets_of(arguments.to)
    on = None
    if arguments.cluster:
        from clearway.cluster.ready import named_cluster
        from clearway.predict.cache import user_cache

        on = NamedCluster(arguments.cluster, named_cluster(arguments.cluster), user_cache())
    with ended_by_signals():
        made = scale([measure(directory) for directory in arguments.runs], targets, arguments.scaling, on)
    if arguments.html:
        from clearway.predict.scaling.html import write_html

        write_html(made, arguments.html)
    if arguments.json:
        from clearway.base.json import write_json

        write_json(made, arguments.json)
    if not (arguments.html or arguments.json):
        from clearway.base.console import open_console, print_lines, sheet_for
        from clearway.predict.scaling.terminal import lines_of

        console = open_console()
        print_lines(console, lines_of(made, sheet_for(console, arguments.all)))
    return 0
