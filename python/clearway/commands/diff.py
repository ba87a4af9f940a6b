"""Show how two Runs, or two groups of Runs, differ: where the seconds went, and which settings changed.

clearway diff A B                       two Runs
clearway diff A1 A2 A3 -- B1 B2 B3      two groups: with three Runs of each, chance can be told from a difference
clearway diff before/ after/            likewise: all Runs below two folders
clearway diff A B --html FILE           as one file for a browser; --json likewise

B is compared with A. The sentence at the top claims no more than the Runs allow.
"""

from __future__ import annotations

import argparse

BETWEEN = "\0"  # takes the place of a "--" among the words: argparse would forget where it stood


def configure(parser: argparse.ArgumentParser) -> None:
    parser.usage = "clearway diff [OPTIONS] A B  |  clearway diff [OPTIONS] A1 A2 … -- B1 B2 …"
    parser.add_argument("runs", metavar="RUN", nargs="*", help="Run directories, or folders with Runs below them")
    parser.add_argument(
        "--same-work", action="store_true", help="treat all Runs as the same work, though they look different"
    )
    parser.add_argument("--all", action="store_true", help="do not cut lists in the terminal")
    parser.add_argument("--html", metavar="FILE", help="write it as one self-contained HTML file")
    parser.add_argument(
        "--json", metavar="FILE", help="all figures; schema: clearway docs json-schema ('-': standard output)"
    )


def run(arguments: argparse.Namespace) -> int:
    from clearway.survey.differ import differ
    from clearway.survey.member import read_member
    from clearway.survey.sides import sides_of

    a, b = sides_of(arguments.runs)
    made = differ(list(map(read_member, a)), list(map(read_member, b)), arguments.same_work)
    if arguments.html:
        from clearway.survey.difference_html import write_html

        write_html(made, arguments.html)
    if arguments.json:
        from clearway.base.json import write_json

        write_json(made, arguments.json)
    if not (arguments.html or arguments.json):
        from clearway.base.console import open_console, print_lines, sheet_for
        from clearway.survey.difference_terminal import lines_of

        console = open_console()
        print_lines(console, lines_of(made, sheet_for(console, arguments.all)))
    return 0
