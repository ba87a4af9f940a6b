"""Follow a running job: the ledger so far, refreshed every second until the job ends, or q is pressed.

clearway top DIR                        DIR of a job that was started with `clearway run -o DIR`
"""

from __future__ import annotations

import argparse


def configure(parser: argparse.ArgumentParser) -> None:
    parser.add_argument("directory", metavar="DIR", help="the Run directory")


def run(arguments: argparse.Namespace) -> int:
    from clearway.page.build.running import running
    from clearway.page.render.live import follow

    follow(running(arguments.directory))
    return 0
