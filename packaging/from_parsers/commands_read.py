"""What the parsers of `clearway` say, as plain values: manual pages and completions are made of it."""

from __future__ import annotations

import argparse
import os
import re
import sys
from collections.abc import Iterator
from dataclasses import dataclass
from pathlib import Path

PYTHON = Path(__file__).resolve().parents[2] / "python"
sys.path.insert(0, str(PYTHON))

from clearway.commands import GROUPS, parser_of  # noqa: E402

DOCS = PYTHON.parent / "docs"
RULES = PYTHON / "clearway" / "diagnosis" / "rules"


@dataclass(frozen=True)
class Option:
    """One option, or a word that stands by itself."""

    flags: tuple[str, ...]  # empty: a word by itself
    value: str  # how its value is called; "": it has none
    is_value_optional: bool  # then it is written behind "="
    help: str
    choices: tuple[str, ...]  # all that it may be; empty: anything
    group: str = ""

    @property
    def takes_next_word(self) -> bool:
        return bool(self.flags and self.value and not self.is_value_optional)


@dataclass(frozen=True)
class Command:
    """`clearway NAME`, or an action of it: `clearway testbed up`."""

    words: tuple[str, ...]
    summary: str
    text: str  # what stands below the summary, examples first
    usage: str
    options: tuple[Option, ...]
    operands: tuple[Option, ...]
    ends_with_job: bool  # whether a whole command line of another program follows
    actions: tuple[Command, ...] = ()

    @property
    def name(self) -> str:
        return " ".join(self.words)


def read_commands(recorder_help: str = "") -> tuple[Command, ...]:
    """All commands in the order of `clearway --help`. `recorder_help` is what `clearway-record --help` prints."""
    os.environ["COLUMNS"] = "1000"  # usage in one line
    commands = (
        _read(parser_of(name), (name,), str(parser_of(name).description)) for names in GROUPS.values() for name in names
    )
    return tuple(_with_recorder_options(command, recorder_help) for command in commands)


def every_command(commands: tuple[Command, ...]) -> Iterator[Command]:
    """With their actions."""
    for command in commands:
        yield command
        yield from every_command(command.actions)


def _read(parser: argparse.ArgumentParser, words: tuple[str, ...], description: str) -> Command:
    summary, _, text = description.strip().partition("\n")
    options, operands, actions = [], [], []
    ends_with_job = False
    for group in parser._action_groups:
        title = "" if group in (parser._positionals, parser._optionals) else str(group.title)
        for action in group._group_actions:
            if isinstance(action, argparse._SubParsersAction):
                shown = {choice.dest: choice.help or "" for choice in action._choices_actions}
                actions = [_read(each, (*words, name), shown.get(name, "")) for name, each in action.choices.items()]
            elif action.option_strings:
                options.append(_option(parser, action, title))
            elif action.nargs == argparse.REMAINDER:
                ends_with_job = True
            else:
                operands.append(_option(parser, action, title))
    usage = parser.format_usage().removeprefix("usage: ").strip()
    return Command(words, summary, text.strip(), usage, tuple(options), tuple(operands), ends_with_job, tuple(actions))


def _option(parser: argparse.ArgumentParser, action: argparse.Action, group: str) -> Option:
    formatter = parser._get_formatter()
    value = ""
    if action.nargs != 0:
        metavar = action.metavar or (action.dest.upper() if not action.choices else "")
        value = " ".join(metavar) if isinstance(metavar, tuple) else metavar or "NAME"
    help_text = formatter._expand_help(action) if action.help else ""
    choices = tuple(map(str, action.choices)) if action.choices else _known(value)
    return Option(tuple(action.option_strings), value, action.nargs == "?", help_text, choices, group)


def _known(value: str) -> tuple[str, ...]:
    """What a word may be that the parser leaves to the command."""
    if value == "RULE":
        return tuple(sorted(page.stem.replace("_", "-") for page in RULES.glob("*.md")))
    if value == "PAGE":
        return tuple(sorted(page.stem for page in DOCS.glob("*.md")))
    return ()


# "  -o, --output DIR      the Run directory", "      --flow[=TABLE]    steer …"
NATIVE_OPTION = re.compile(r"^ {2,}(?:(-\w), )?(--[\w-]+)(\[=(\w+)\]| (\w+))? {2,}(.*)$", re.MULTILINE)


def _with_recorder_options(command: Command, recorder_help: str) -> Command:
    """`clearway record` leaves its options to clearway-record."""
    if command.words != ("record",) or not recorder_help:
        return command
    options = tuple(
        Option(tuple(filter(None, (short, long))), optional or required, bool(optional), text, ())
        for short, long, _, optional, required, text in NATIVE_OPTION.findall(recorder_help)
    )
    environment = recorder_help.rpartition("\n\n")[2]
    text = f"{command.text}\n\n{environment}" if environment.startswith("The environment") else command.text
    return Command(
        command.words, command.summary, text, command.usage, options, command.operands, True, command.actions
    )
