"""Show where the wall-clock of a recorded job went.

clearway report md-16                   the page of this Run
clearway report md-16 md-8 md-4         beside the same job on fewer ranks: would they be as fast?
clearway report 1234                    the page of Slurm job 1234, on a cluster that records all jobs
clearway report md-16 --html FILE       the page as one file for a browser; --json, --csv and --trace likewise

DIR is a Run directory, as `clearway run` or `clearway-record` left it; the job may still be running. Without an
output option the page is printed; several outputs can be asked for at once.
"""

from __future__ import annotations

import argparse
from collections.abc import Sequence
from typing import TYPE_CHECKING

from clearway.base.errors import ClearwayError

if TYPE_CHECKING:
    from clearway.page.model import Page
    from clearway.run import Run


def configure(parser: argparse.ArgumentParser) -> None:
    parser.add_argument("directory", metavar="DIR", nargs="?", help="the Run directory, or the number of a Slurm job")
    parser.add_argument("others", metavar="OTHER", nargs="*", help="Runs of the same job on other numbers of ranks")
    parser.add_argument("--all", action="store_true", help="do not cut lists in the terminal")
    parser.add_argument("--html", metavar="FILE", help="write the page as one self-contained HTML file")
    parser.add_argument("--json", metavar="FILE", help="write the page as JSON ('-': standard output)")
    parser.add_argument("--csv", metavar="DIR", dest="csv", help="write the page's tables as CSV files into DIR")
    parser.add_argument("--trace", metavar="FILE", help="write the timeline as a trace for ui.perfetto.dev")
    parser.add_argument("--log", metavar="FILE", help="the engine's log, if it is not found automatically")
    parser.add_argument(
        "--ask-slurm", action="store_true", help="let Slurm say how the job ended: time limit, cancelled"
    )
    parser.add_argument("--json-schema", action="store_true", help="print the JSON schema and exit")


def run(arguments: argparse.Namespace) -> int:
    if arguments.json_schema:
        print_schema()
        return 0
    if arguments.directory is None:
        raise ClearwayError("clearway report needs a Run directory", "clearway report DIR")
    from clearway.run import load

    recorded, others = load(directory_of(arguments.directory)), [load(other) for other in arguments.others]
    check_same_program(recorded, others)
    wanted = arguments.html or arguments.json or arguments.csv
    if wanted or not arguments.trace:
        show(make_page(recorded, others, arguments.log, arguments.ask_slurm), arguments)
    if arguments.trace:
        from clearway.page.render.trace import write_trace

        write_trace(recorded, arguments.trace)
    return 0


def directory_of(named: str) -> str:
    """A directory as it is; of the number of a job the Run that Slurm's plugin left."""
    from pathlib import Path

    from clearway.site.runs_of_job import find_run, is_job

    if Path(named).exists() or not is_job(named):
        return named
    chosen, others = find_run(named)
    if others:
        import sys

        names = ", ".join(run.name for run in others)
        print(f"clearway: job {named} has other Runs as well, in {chosen.parent}: {names}", file=sys.stderr)
    return str(chosen)


def check_same_program(recorded: Run, others: Sequence[Run]) -> None:
    from pathlib import PurePath

    def program(run: Run) -> str:
        return PurePath(run.fact("process.program").get(0, "")).name

    for other in others:
        if program(other) != program(recorded):
            raise ClearwayError(
                f"cannot compare different programs: {other.directory} is a Run of '{program(other)}', "
                f"{recorded.directory} of '{program(recorded)}'",
                "give Runs of one job on several numbers of ranks: clearway report md-16 md-8 md-4",
            )


def print_schema() -> None:
    import json

    from clearway.base.schema import schema_of
    from clearway.page.model import SCHEMA, Page

    print(json.dumps(schema_of(Page, SCHEMA), indent=2))


def make_page(recorded: Run, others: Sequence[Run], log: str | None, asks_slurm: bool = False) -> Page:
    """The page of a Run, with the engine's figures from `log` where the user names one."""
    import dataclasses

    from clearway.page.build import summarise

    page = summarise(recorded, others, state_of(recorded) if asks_slurm else "")
    if log is None:
        return page
    from clearway.engines import read_log

    return dataclasses.replace(page, engine=read_log(log))


def state_of(recorded: Run) -> str:
    from clearway.diagnosis.facts.tables.job import batch_of
    from clearway.job.slurm_state import slurm_state

    return slurm_state(batch_of(recorded))


def show(page: Page, arguments: argparse.Namespace) -> None:
    if arguments.html:
        from clearway.page.render.html import write_html

        write_html(page, arguments.html)
    if arguments.json:
        from clearway.base.json import write_json

        write_json(page, arguments.json)
    if arguments.csv:
        from clearway.page.render.csv import write_csv

        write_csv(page, arguments.csv)
    if not (arguments.html or arguments.json or arguments.csv):
        from clearway.base.console import open_console
        from clearway.page.render.terminal import print_page

        print_page(page, open_console(), arguments.all)
