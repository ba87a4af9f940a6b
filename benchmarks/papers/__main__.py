"""Compares published figures with predictions for the same clusters.

tools/papers list                        the papers
tools/papers kutzner-2007                each figure: published, simulated, how far apart, and what that is worth
tools/papers all --markdown FILE         all of them as one document (docs/reproduce.md)
tools/papers collapse --markdown FILE    what decides LAM's collapse in kutzner-2007 (docs/kutzner-unknowns.md)
"""

from __future__ import annotations

import argparse
import sys
from collections.abc import Iterable, Sequence

from measured.circumstances import here_and_now
from rich.text import Text

from clearway.base.console import open_console, sheet_for
from clearway.base.errors import ClearwayError
from clearway.base.output_file import whole_file
from clearway.base.sheet import Column, table
from clearway.predict.cache import user_cache
from clearway.predict.progress import SweepProgress
from papers import first_answers
from papers.claim import Paper
from papers.collapse import page
from papers.collapse.cells import cells
from papers.collapse.trial import SEEDS, trials, without_losses
from papers.collapse.unknowns import STEPS_ON_ONE, unknowns
from papers.markdown import Judged, document
from papers.published import find_paper, paper_names
from papers.run import judge, simulations, vary
from papers.terminal import table_of

LIST, ALL, COLLAPSE = "list", "all", "collapse"


def main() -> int:
    parser = argparse.ArgumentParser(
        prog="tools/papers", description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter
    )
    parser.add_argument("paper", metavar="NAME", help=f"as `tools/papers {LIST}` names it, or {ALL}")
    parser.add_argument("--markdown", metavar="FILE", help="a document instead of tables ('-': standard output)")
    parser.add_argument("--no-cache", action="store_true", help="simulate again what was simulated before")
    parser.add_argument("-q", "--quiet", action="store_true", help="no progress")
    try:
        show(parser.parse_args())
    except ClearwayError as error:
        print(f"error: {error.message}\n\nhint: {error.hint}", file=sys.stderr)
        return 1
    return 0


def show(arguments: argparse.Namespace) -> None:
    sheet = sheet_for(open_console())
    if arguments.paper == LIST:
        columns = (Column("name", left=True), Column("what", left=True, flexible=30), Column("figures"))
        papers = [find_paper(name) for name in paper_names()]
        rows = [[paper.name, paper.title, str(len(paper.claims))] for paper in papers]
        print_lines(table(columns, rows, sheet))
        return
    if arguments.paper == COLLAPSE:
        with whole_file(arguments.markdown or "-") as stream:
            stream.write(collapse_page(arguments))
        return
    names = paper_names() if arguments.paper == ALL else [arguments.paper]
    judged = judge_all([find_paper(name) for name in names], arguments)
    if arguments.markdown:
        with whole_file(arguments.markdown) as stream:
            stream.write(document(judged))
        return
    for each in judged:
        print_lines(table_of(each.paper, each.verdicts, sheet))


def collapse_page(arguments: argparse.Namespace) -> str:
    chosen, varied = cells(), unknowns()
    cache = None if arguments.no_cache else user_cache()
    setups = len(SEEDS) * (1 + sum(len(each.variants) for each in varied)) + len(STEPS_ON_ONE)
    with SweepProgress(len(chosen) * setups, arguments.quiet) as progress:
        tried = trials(chosen, varied, cache, progress.done)
        ordered = without_losses(chosen, STEPS_ON_ONE, cache, progress.done)
    return page.document(chosen, tried, varied, ordered, here_and_now())


def judge_all(papers: Sequence[Paper], arguments: argparse.Namespace) -> list[Judged]:
    """With the assumptions varied only where a document is to be written: that takes longer than all the rest."""
    cache = None if arguments.no_cache else user_cache()
    varies = bool(arguments.markdown)
    answers = first_answers.kept()
    judged = []
    with SweepProgress(sum(simulations(paper, varies) for paper in papers), arguments.quiet) as progress:
        for paper in papers:
            verdicts = judge(paper, cache, progress.done)
            answers |= first_answers.new_answers(paper, verdicts, answers)
            verdicts = first_answers.with_first_answers(paper, verdicts, answers)
            judged.append(Judged(paper, verdicts, vary(paper, cache, progress.done) if varies else ()))
    first_answers.keep(answers)
    return judged


def print_lines(lines: Iterable[Text]) -> None:
    console = open_console()
    for line in lines:
        console.print(line, soft_wrap=True)


if __name__ == "__main__":
    sys.exit(main())
