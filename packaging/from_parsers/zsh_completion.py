"""Completion for zsh: a function of `compdef`."""

from __future__ import annotations

import re

from commands_read import Command, Option, every_command
from values import kind_of

HEAD = "#compdef clearway clearway-record\n# Completion of clearway for zsh. Made from its parsers: do not edit.\n"
TAIL = """
if [[ $service == clearway-record ]]; then
    _clearway_record "$@"
else
    _clearway "$@"
fi
"""


def zsh_completion(commands: tuple[Command, ...]) -> str:
    functions = [
        _of_actions("_clearway", commands, ["'(- *)--help[show all commands]'", "'(- *)--version[show the version]'"])
    ]
    for command in every_command(commands):
        name = "_".join(("_clearway", *command.words))
        functions.append(_of_actions(name, command.actions, []) if command.actions else _of_command(name, command))
    return HEAD + "\n".join(functions) + TAIL


def _of_actions(name: str, actions: tuple[Command, ...], options: list[str]) -> str:
    """A function that completes the next word, and leaves what follows to that one's."""
    shown = "\n".join(f"        {_quoted(action.words[-1] + ':' + _plain(action.summary))}" for action in actions)
    options = " ".join([*options, "'1: :->action'", "'*:: :->rest'"])
    return f"""
{name}() {{
    local curcontext=$curcontext context state state_descr line
    typeset -A opt_args
    local -a actions=(
{shown}
    )
    _arguments -C {options}
    case $state in
        action) _describe -t commands command actions ;;
        rest) (( $+functions[{name}_$line[1]] )) && {name}_$line[1] ;;
    esac
}}
"""


def _of_command(name: str, command: Command) -> str:
    specs = [spec for option in command.options for spec in _specs(option)]
    if command.ends_with_job:
        # What stands before the job is not asked for; its own options are not ours.
        specs += [_quoted("(-)1:program: _command_names -e"), _quoted("*::job: _normal")]
    else:
        specs += [
            _quoted(f"{'*' if at else '1'}:{_plain(each.value)}:{_action(each)}")
            for at, each in enumerate(command.operands[:2])
        ]
    body = " \\\n        ".join(["_arguments -s -S" + (" -A '-*'" if command.ends_with_job else ""), *specs])
    return f"\n{name}() {{\n    {body}\n}}\n"


def _specs(option: Option) -> list[str]:
    """One for each of its names."""
    text = f"[{_plain(option.help)}]"
    value = f":{_plain(option.value)}:{_action(option)}" if option.value else ""
    if option.is_value_optional:
        value = f":{value}"
    others = f"({' '.join(option.flags)})" if len(option.flags) > 1 else ""
    specs = []
    for flag in option.flags:
        joined = (
            ("=-" if option.is_value_optional else "=") if flag.startswith("--") and value else ("+" if value else "")
        )
        specs.append(_quoted(f"{others}{flag}{joined}{text}{value}"))
    return specs


def _action(option: Option) -> str:
    kind = kind_of(option)
    if kind == "choices":
        return f"({' '.join(option.choices)})"
    return {"file": "_files", "folder": "_files -/"}.get(kind, " ")


def _plain(text: str) -> str:
    """Without what has a meaning in a spec."""
    return re.sub(r"([\[\]:\\])", r"\\\1", text).replace("\n", " ")


def _quoted(text: str) -> str:
    return "'" + text.replace("'", "'\\''") + "'"
