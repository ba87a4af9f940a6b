"""Completion for fish."""

from __future__ import annotations

from commands_read import Command, Option, every_command
from values import kind_of, operand_of

HEAD = """# Completion of clearway for fish. Made from its parsers: do not edit.

# Whether the words before the cursor are those of a command, and no job has begun.
function __clearway_at
    set -l words (commandline -opc)
    set -e words[1]
    contains -- -- $words; and return 1
    set -l plain (string match -v -- '-*' $words)
    for at in (seq (count $argv))
        test "$plain[$at]" = "$argv[$at]"; or return 1
    end
end

# Whether they are those of a command, with nothing behind it.
function __clearway_just
    set -l words (commandline -opc)
    test (count $words) -eq (math 1 + (count $argv)); and __clearway_at $argv
end

# Whether a job has begun: what stands behind -- is another program's.
function __clearway_job_begins
    contains -- -- (commandline -opc)
end

function __clearway_job
    set -l words (commandline -opc)
    set -l begin (contains -i -- -- $words)
    set -e words[1..$begin]
    complete -C (string join -- ' ' $words (commandline -ct))
end

complete -c clearway -f
complete -c clearway -n __clearway_job_begins -a '(__clearway_job)'
complete -c clearway -n __clearway_just -l help -d 'Show all commands'
complete -c clearway -n __clearway_just -l version -d 'Show the version'
"""


def fish_completion(commands: tuple[Command, ...]) -> str:
    lines = [_word(command, "__clearway_just") for command in commands]
    for command in every_command(commands):
        at = _quoted(f"__clearway_at {command.name}")
        lines += [_word(action, f"__clearway_just {command.name}") for action in command.actions]
        if not command.actions:
            lines += [f"complete -c clearway -n {at} {_option(option)}" for option in command.options]
        operand = operand_of(command)
        if operand is not None and (value := _value(operand)):
            lines.append(f"complete -c clearway -n {at}{value}")
    return HEAD + "\n".join(lines) + "\n"


def _word(command: Command, where: str) -> str:
    return f"complete -c clearway -n {_quoted(where)} -a {command.words[-1]} -d {_quoted(command.summary)}"


def _option(option: Option) -> str:
    flags = " ".join(f"-l {flag[2:]}" if flag.startswith("--") else f"-s {flag[1:]}" for flag in option.flags)
    value = _value(option) if option.value else ""
    required = " -r" if option.takes_next_word and not value else ""
    return f"{flags}{value}{required} -d {_quoted(option.help)}"


def _value(option: Option) -> str:
    kind = kind_of(option)
    if kind == "choices":
        return f" -x -a {_quoted(' '.join(option.choices))}"
    if kind == "file":
        return " -r -F"
    return " -x -a '(__fish_complete_directories)'" if kind == "folder" else ""


def _quoted(text: str) -> str:
    return "'" + text.replace("\\", "\\\\").replace("'", "\\'") + "'"
