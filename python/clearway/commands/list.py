"""List the Runs below a directory: what ran, how fast, how much time was lost, and why.

clearway list                           the Runs below here, the newest last
clearway list runs/2026-11 --last 20    the newest twenty of another directory
clearway list --json runs.json          all of them, for a script ('-': standard output)

The loss is the share of the wall-clock that could come back, and the verdict the costliest finding: `clearway report
RUN` shows its page. A Run that cannot be read has a line as well, which says why.
"""

from __future__ import annotations

import argparse

PIPED = 140  # wider than a page, for a line is read by itself


def configure(parser: argparse.ArgumentParser) -> None:
    parser.add_argument(
        "directory", metavar="DIR", nargs="?", default=".", help="where to look (default: the current directory)"
    )
    parser.add_argument("--last", type=int, metavar="N", help="show only the newest N")
    parser.add_argument(
        "--json", metavar="FILE", help="all Runs; schema: clearway docs json-schema ('-': standard output)"
    )


def run(arguments: argparse.Namespace) -> int:
    from dataclasses import replace
    from pathlib import Path

    from clearway.base.console import NARROWEST, open_console, print_lines, sheet_for
    from clearway.base.errors import ClearwayError
    from clearway.base.json import write_json
    from clearway.survey.kept_rows import user_cache
    from clearway.survey.listing import list_runs
    from clearway.survey.listing_terminal import lines_of

    if arguments.last is not None and arguments.last < 1:
        raise ClearwayError(f"--last {arguments.last} would show nothing", "clearway list DIR --last 20")
    listing = list_runs(Path(arguments.directory), user_cache())
    if arguments.json:
        write_json(listing, arguments.json)
    else:
        console = open_console()
        width = max(console.width, NARROWEST) if console.is_terminal else PIPED
        sheet = replace(sheet_for(console), width=width)
        print_lines(console, lines_of(listing, sheet, arguments.last))
    return 0
