"""Manual pages, in the words that man knows (man(7))."""

from __future__ import annotations

import re
from collections.abc import Iterator

from commands_read import Command, Option

SEE_MORE = "clearway docs"
_EXAMPLE = re.compile(r"(sudo |mpirun -np \d+ )?clearway[ -]")


def clean(text: str) -> str:
    """As text of a line: nothing in it is an order to the formatter."""
    text = text.replace("\\", "\\e").replace("-", "\\-").replace("`", "\\(ga").replace("'", "\\(aq")
    text = text.replace("…", "...")  # not every terminal's character set has it
    text = re.sub(r"[^\x00-\x7f]", lambda match: f"\\[u{ord(match[0]):04X}]", text)
    return re.sub(r"^\.", r"\\&.", text, flags=re.MULTILINE)


def man_page(command: Command, version: str) -> str:
    """`man clearway-NAME`, with all its actions."""
    name = f"clearway-{'-'.join(command.words)}"
    lines = [_title(name, version), ".SH NAME", f"{clean(name)} \\- {clean(_unfinished(command.summary))}"]
    lines += [".SH SYNOPSIS", *_usage(command), *_description(command.text)]
    if command.operands and not command.actions:
        lines += [".SH OPERANDS", *(line for each in command.operands for line in _option(each))]
    if command.options and not command.actions:
        lines += [".SH OPTIONS", *_options(command)]
    for action in command.actions:
        lines += [f".SH {clean(action.words[-1].upper())}", clean(action.summary), *_usage(action, ".PP")]
        lines += [line for each in action.operands for line in _option(each)]
        lines += _options(action)
    lines += [".SH SEE ALSO", f"\\fBclearway\\fR(1), and the pages that {_bold(SEE_MORE)} lists"]
    return "\n".join(lines) + "\n"


def overview_page(commands: tuple[Command, ...], groups: dict[str, tuple[str, ...]], version: str) -> str:
    """`man clearway`."""
    by_name = {command.name: command for command in commands}
    lines = [_title("clearway", version), ".SH NAME"]
    lines += ["clearway \\- where the wall\\-clock of a parallel job went, and how to get it back", ".SH SYNOPSIS"]
    lines += [".B clearway", ".I COMMAND", "[\\fIARGUMENTS\\fR]", ".SH DESCRIPTION"]
    lines += [
        "Records an unmodified MPI job, and shows on one page where its time went, what holds it up, and what to do:"
    ]
    lines += [
        ".PP",
        ".nf",
        ".RS",
        clean("clearway run -- mpirun -np 8 PROGRAM ARGUMENTS"),
        clean("clearway report DIR"),
    ]
    lines += [".RE", ".fi", ".SH COMMANDS"]
    for title, names in groups.items():
        lines.append(f".SS {clean(title)}")
        for name in names:
            lines += [".TP", f".BR {clean('clearway-' + name)} (1)", clean(by_name[name].summary)]
    lines += [
        ".SH SEE ALSO",
        f"The documentation is installed with it: {_bold(SEE_MORE)} lists its pages, and prints them.",
    ]
    return "\n".join(lines) + "\n"


def pages(commands: tuple[Command, ...], groups: dict[str, tuple[str, ...]], version: str) -> Iterator[tuple[str, str]]:
    """Names of files, and what is in them."""
    yield "clearway.1", overview_page(commands, groups, version)
    for command in commands:
        yield f"clearway-{command.name}.1", man_page(command, version)


def _title(name: str, version: str) -> str:
    return f'.TH "{clean(name.upper())}" 1 "" "Clearway {version}" "Clearway"\n.nh\n.ad l'


def _unfinished(sentence: str) -> str:
    """The line of NAME begins with a small letter, but for a word such as MPI, and has no full stop."""
    first, _, rest = sentence.rstrip(".").partition(" ")
    return f"{first.lower() if first[1:].islower() or len(first) == 1 else first} {rest}"


def _bold(text: str) -> str:
    return f"\\fB{clean(text)}\\fR"


def _usage(command: Command, before: str = "") -> list[str]:
    program, _, rest = command.usage.partition(" ")
    return [*filter(None, [before]), _bold(program) + " " + clean(rest)]


def _description(text: str) -> list[str]:
    """Paragraphs; those whose lines are typed stay as they are."""
    examples, description = [], []
    for paragraph in filter(None, text.split("\n\n")):
        if _EXAMPLE.match(paragraph):
            examples += [".PP", ".nf", ".RS", clean(paragraph), ".RE", ".fi"]
        else:
            description += [".PP", clean(" ".join(paragraph.split()))]
    lines = [".SH DESCRIPTION", *description] if description else []
    return [*lines, ".SH EXAMPLES", *examples] if examples else lines


def _options(command: Command) -> Iterator[str]:
    group = ""
    for option in command.options:
        if option.group != group:
            group = option.group
            yield f".SS {clean(group)}"
        yield from _option(option)


def _option(option: Option) -> Iterator[str]:
    value = f"\\fI{clean(option.value)}\\fR" if option.value else ""
    if not option.flags:
        head = value
    elif option.is_value_optional:
        head = ", ".join(map(_bold, option.flags)) + f"[={value}]"
    else:
        head = ", ".join(map(_bold, option.flags)) + (f" {value}" if value else "")
    yield from (".TP", head, clean(option.help) or "\\&")
    if option.choices and len(option.choices) <= 12:
        yield f"One of: {clean(', '.join(option.choices))}."
