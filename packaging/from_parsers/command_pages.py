"""Pages of commands in Markdown, for the site."""

from __future__ import annotations

import re
import textwrap
from collections.abc import Iterator

from commands_read import Command, Option

_EXAMPLE = re.compile(r"(sudo |mpirun -np \d+ )?clearway[ -]")


def command_page(command: Command) -> str:
    lines = [f"# clearway {command.name}", "", _text(command.summary), ""]
    for paragraph in filter(None, command.text.split("\n\n")):
        lines += ["```text", paragraph, "```", ""] if _EXAMPLE.match(paragraph) else [_text(paragraph), ""]
    if not command.actions:
        lines += list(_body(command))
    for action in command.actions:
        lines += [f"## {action.words[-1]}", "", _text(action.summary), "", *_body(action)]
    return "\n".join(lines) + "\n"


def _body(command: Command) -> Iterator[str]:
    yield from ("```text", _folded(command.usage), "```", "")
    group = None
    for option in (*command.operands, *command.options):
        if option.group != group:
            group = option.group
            heading = ("", f"**{_text(group)}**", "") if group else ("",)
            yield from (*heading, "| option | what it does |", "| --- | --- |")
        yield f"| {_name(option)} | {_cell(option.help)} |"
    yield ""


def _folded(usage: str) -> str:
    """In lines that fit on a page; a word in brackets is not divided."""
    whole = re.sub(r"\[[^\]]*\]+", lambda match: match[0].replace(" ", "\0"), usage)
    return textwrap.fill(whole, 88, subsequent_indent="    ", break_on_hyphens=False).replace("\0", " ")


def _name(option: Option) -> str:
    if not option.flags:
        return f"`{option.value}`"
    value = f"[={option.value}]" if option.is_value_optional else f" {option.value}" if option.value else ""
    return (
        ", ".join(f"`{flag}`" for flag in option.flags[:-1])
        + (", " if option.flags[:-1] else "")
        + f"`{option.flags[-1]}{value}`"
    )


def _text(text: str) -> str:
    """Nothing in it is markup, but for what stands in backquotes."""
    parts = re.split(r"(`[^`]*`)", text)
    return "".join(part if part.startswith("`") else re.sub(r"([\\*_\[\]<>#])", r"\\\1", part) for part in parts)


def _cell(text: str) -> str:
    return _text(text).replace("|", "\\|")
