"""Explain a finding: what it means, why it costs time, how it was measured, what to do, how safe that is.

clearway explain                    lists all rules
clearway explain congestion-loss    prints one rule's page
"""

from __future__ import annotations

import argparse

from clearway.base.errors import ClearwayError
from clearway.base.nearest import did_you_mean


def configure(parser: argparse.ArgumentParser) -> None:
    parser.add_argument(
        "rule", metavar="RULE", nargs="?", help="name of the rule, as the page prints it (default: list them all)"
    )


def run(arguments: argparse.Namespace) -> int:
    from rich.markdown import Markdown

    from clearway.base.console import open_console
    from clearway.diagnosis.rules import page_text, rules

    if arguments.rule is None:
        width = max(map(len, rules()))
        for name, rule in rules().items():
            print(f"{name:<{width}}  {rule.TITLE}")
        return 0
    name = arguments.rule.replace("_", "-")
    if name not in rules():
        hint = did_you_mean(name, rules(), "`clearway explain` lists them all")
        raise ClearwayError(f"there is no rule '{arguments.rule}'", hint)
    console = open_console()
    if console.is_terminal:
        console.print(Markdown(page_text(name)))
    else:
        print(page_text(name), end="")
    return 0
