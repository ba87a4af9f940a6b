"""Compare published figures with predictions for the same clusters.

clearway reproduce list                        the papers
clearway reproduce kutzner-2007                each figure: published, simulated, how far apart, and what that is worth
clearway reproduce all --markdown FILE         all of them as one document (docs/reproduce.md)
"""

from __future__ import annotations

import argparse
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from collections.abc import Sequence

    from clearway.reproduce.claim import Paper
    from clearway.reproduce.markdown import Judged

LIST, ALL = "list", "all"


def configure(parser: argparse.ArgumentParser) -> None:
    parser.add_argument("paper", metavar="NAME", help=f"as `clearway reproduce {LIST}` names it, or {ALL}")
    parser.add_argument("--markdown", metavar="FILE", help="a document instead of tables ('-': standard output)")
    parser.add_argument("--no-cache", action="store_true", help="simulate again what was simulated before")
    parser.add_argument("-q", "--quiet", action="store_true", help="no progress")


def run(arguments: argparse.Namespace) -> int:
    from clearway.reproduce.papers import find_paper, paper_names

    if arguments.paper == LIST:
        return print_list([find_paper(name) for name in paper_names()])
    names = paper_names() if arguments.paper == ALL else [arguments.paper]
    judged = judge_all([find_paper(name) for name in names], arguments)
    if arguments.markdown:
        write_markdown(judged, arguments.markdown)
    else:
        print_tables(judged)
    return 0


def judge_all(papers: Sequence[Paper], arguments: argparse.Namespace) -> list[Judged]:
    """With the assumptions varied only where a document is to be written: that takes longer than all the rest."""
    from clearway.predict.cache import user_cache
    from clearway.predict.progress import SweepProgress
    from clearway.reproduce.markdown import Judged
    from clearway.reproduce.run import judge, simulations, vary

    cache = None if arguments.no_cache else user_cache()
    varies = bool(arguments.markdown)
    judged = []
    with SweepProgress(sum(simulations(paper, varies) for paper in papers), arguments.quiet) as progress:
        for paper in papers:
            verdicts = judge(paper, cache, progress.done)
            judged.append(Judged(paper, verdicts, vary(paper, cache, progress.done) if varies else ()))
    return judged


def print_list(papers: Sequence[Paper]) -> int:
    from clearway.base.sheet import Column, table
    from clearway.commands.schedule import print_lines
    from clearway.page.render.terminal import open_console, sheet_for

    console = open_console()
    columns = (Column("name", left=True), Column("what", left=True, flexible=30), Column("figures"))
    rows = [[paper.name, paper.title, str(len(paper.claims))] for paper in papers]
    print_lines(console, table(columns, rows, sheet_for(console)))
    return 0


def print_tables(judged: Sequence[Judged]) -> None:
    from clearway.commands.schedule import print_lines
    from clearway.page.render.terminal import open_console, sheet_for
    from clearway.reproduce.terminal import table_of

    console = open_console()
    for each in judged:
        print_lines(console, table_of(each.paper, each.verdicts, sheet_for(console)))


def write_markdown(judged: Sequence[Judged], path: str) -> None:
    from clearway.base.output_file import whole_file
    from clearway.reproduce.markdown import document

    with whole_file(path) as stream:
        stream.write(document(judged))
