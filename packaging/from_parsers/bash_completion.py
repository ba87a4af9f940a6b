"""Completion for bash 4 and newer, which needs no package besides."""

from __future__ import annotations

from commands_read import Command, Option, every_command
from values import kind_of, operand_of

FRAME = r"""# Completion of clearway for bash. Made from its parsers: do not edit.

# What is known of a command: its options, those of them that take the next word, its actions, whether a job follows.
__clearway_about() {
    options="" takes="" actions="" job="" operand=""
    case $1 in
@ABOUT@
    esac
}

# Words for the value of an option, or for an operand.
__clearway_value() {
    case "$1" in
@VALUES@
    esac
}

__clearway_words() { COMPREPLY=($(compgen -W "$1" -- "$word")); }
__clearway_files() { compopt -o filenames 2>/dev/null; COMPREPLY=($(compgen -f -- "$word")); }
__clearway_folders() { compopt -o filenames 2>/dev/null; COMPREPLY=($(compgen -d -- "$word")); }

# The command line of the job: its program, then files.
__clearway_job() {
    if declare -F _command_offset >/dev/null; then
        _command_offset "$1"
    elif ((COMP_CWORD == $1)); then
        compopt -o filenames 2>/dev/null
        COMPREPLY=($(compgen -c -- "$word") $(compgen -d -- "$word"))
    else
        __clearway_files
    fi
}

_clearway() {
    local word=${COMP_WORDS[COMP_CWORD]} previous=${COMP_WORDS[COMP_CWORD-1]} command="" at each
    local options takes actions job operand
    COMPREPLY=()
    [[ ${COMP_WORDS[0]##*/} == clearway-record ]] && command=record
    __clearway_about "$command"
    for ((at = 1; at < COMP_CWORD; at++)); do
        each=${COMP_WORDS[at]}
        if [[ $each == -- && $job ]]; then
            __clearway_job $((at + 1))
            return
        elif [[ " $takes " == *" $each "* ]]; then
            ((++at))
            [[ ${COMP_WORDS[at]} == "=" ]] && ((++at))
        elif [[ $each == -* || $each == "=" || ${COMP_WORDS[at-1]} == "=" ]]; then
            continue
        elif [[ " $actions " == *" $each "* ]]; then
            command="${command:+$command }$each"
            __clearway_about "$command"
        elif [[ $job ]]; then
            __clearway_job "$at"
            return
        fi
    done
    if [[ $word == "=" ]]; then
        word=""
    elif [[ $previous == "=" ]]; then
        previous=${COMP_WORDS[COMP_CWORD-2]}
    fi
    if [[ $previous == -* && ${COMP_WORDS[COMP_CWORD-1]} == "=" || " $takes " == *" $previous "* ]]; then
        __clearway_value "$command $previous"
    elif [[ $word == -* ]]; then
        __clearway_words "$options"
    elif [[ $actions ]]; then
        __clearway_words "$actions"
    elif [[ $job ]]; then
        __clearway_job "$COMP_CWORD"
    elif [[ $operand ]]; then
        __clearway_value "$command $operand"
    fi
}

complete -F _clearway clearway clearway-record
"""


def bash_completion(commands: tuple[Command, ...]) -> str:
    top = [command.name for command in commands]
    about = [f'        "") options="--help --version" actions="{" ".join(top)}" ;;']
    values = []
    for command in every_command(commands):
        about.append(f'        "{command.name}") {_about(command)} ;;')
        values += [line for option in command.options for line in _values(command, option, option.flags)]
        if (operand := operand_of(command)) is not None:
            values += _values(command, operand, (operand.value,))
    return FRAME.replace("@ABOUT@", "\n".join(about)).replace("@VALUES@", "\n".join(values))


def _about(command: Command) -> str:
    flags = " ".join(flag for option in command.options for flag in option.flags)
    takes = " ".join(flag for option in command.options if option.takes_next_word for flag in option.flags)
    facts = {"options": flags, "takes": takes, "actions": " ".join(each.words[-1] for each in command.actions)}
    facts["job"] = "yes" if command.ends_with_job else ""
    operand = operand_of(command)
    facts["operand"] = operand.value if operand else ""
    return " ".join(f'{name}="{value}"' for name, value in facts.items() if value)


def _values(command: Command, option: Option, names: tuple[str, ...]) -> list[str]:
    kind = kind_of(option)
    if not option.value or not kind:
        return []
    words = " ".join(option.choices)
    do = {"choices": f'__clearway_words "{words}"', "file": "__clearway_files", "folder": "__clearway_folders"}[kind]
    return [f"        {' | '.join(chr(34) + f'{command.name} {name}' + chr(34) for name in names)}) {do} ;;"]
