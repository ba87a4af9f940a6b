"""Show the clusters that come with Clearway: what they are, and where each figure is from.

clearway cluster list                       the names, for `clearway predict --cluster NAME`
clearway cluster show procurve2848          its file; copy it to make one of your own:
clearway cluster show procurve2848 >my.toml && clearway predict alltoall --cluster my.toml
"""

from __future__ import annotations

import argparse


def configure(parser: argparse.ArgumentParser) -> None:
    actions = parser.add_subparsers(dest="action", metavar="ACTION", required=True)
    actions.add_parser("list", help="list the names, and what each cluster is")
    show = actions.add_parser("show", help="print the file of a cluster")
    show.add_argument("name", metavar="NAME", help="a name from `clearway cluster list`")


def run(arguments: argparse.Namespace) -> int:
    from clearway.cluster.ready import ready_text

    if arguments.action == "list":
        return print_list()
    print(ready_text(arguments.name), end="")
    return 0


def print_list() -> int:
    from clearway.base.console import open_console, print_lines, sheet_for
    from clearway.base.sheet import Column, table
    from clearway.cluster.ready import ready_names, ready_text, title_of

    console = open_console()
    columns = (Column("name", left=True), Column("what", left=True, flexible=40))
    rows = [[name, title_of(ready_text(name))] for name in ready_names()]
    print_lines(console, table(columns, rows, sheet_for(console)))
    return 0
