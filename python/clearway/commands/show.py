"""Print the page of a recorded job, or follow a running one with --live.

clearway show DIR                       the page, as `clearway report` prints it
clearway show DIR --live                as `clearway top`
"""

from __future__ import annotations

import argparse


def configure(parser: argparse.ArgumentParser) -> None:
    parser.add_argument("directory", metavar="DIR", help="the Run directory")
    parser.add_argument("--live", action="store_true", help="refresh every second until the job ends, or q is pressed")
    parser.add_argument("--all", action="store_true", help="do not cut lists")


def run(arguments: argparse.Namespace) -> int:
    if arguments.live:
        from clearway.page.build.running import running
        from clearway.page.render.live import follow

        follow(running(arguments.directory))
        return 0
    from clearway.base.console import open_console
    from clearway.page.build import summarise
    from clearway.page.render.terminal import print_page
    from clearway.run import load

    print_page(summarise(load(arguments.directory)), open_console(), arguments.all)
    return 0
