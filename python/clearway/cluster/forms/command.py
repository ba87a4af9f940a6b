"""A job's command line with a form's words in it."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import replace

from clearway.base.errors import ClearwayError
from clearway.base.whole import is_whole
from clearway.cluster.forms.model import Form
from clearway.cluster.forms.registry import Entry
from clearway.job.change import changed
from clearway.job.command_line import CommandLine, read_command
from clearway.job.launcher_options import Grammar, words

# What the placement says instead.
HOSTS = words(
    """hostfile machinefile default-hostfile H host hosts hostlist f machine machines map-by mapby rank-by rankby bycore
    bynode byslot npernode npersocket pernode N ppn perhost rankfile rf oversubscribe nooversubscribe distribution m
    nodelist w nodes ntasks-per-node ntasks-per-socket ntasks-per-core"""
)
CORES = words(
    """bind-to bindto bind-to-core bind-to-socket bind-to-none binding cpu-bind cpus-per-proc cpus-per-rank cpu-set
    cpu-list use-hwthread-cpus"""
)


def as_placed(
    form: Form, entry: Entry, command: Sequence[str], environment: Mapping[str, str], binds: bool = True
) -> list[str]:
    """`command` as it must be typed for the ranks to be where they were placed. Raises ClearwayError.

    Where the placement does not bind ranks, what the command says of binding stays.
    """
    if entry.grammar is None:
        return [*form.prefix, *_unknown(form, command)]
    line = _read(entry.grammar, command, environment)

    def same(_word: str, _environment: Mapping[str, str]) -> Grammar | None:
        return entry.grammar

    silent = _silent(line, HOSTS | CORES if binds else HOSTS)
    placed = changed(silent.words, form.change, environment, identify_launcher=same)
    if form.instead:
        placed = [*_without_program(_read(entry.grammar, placed, environment), entry.grammar), *form.instead]
    return [*form.prefix, *placed]


def program_of(entry: Entry, command: Sequence[str], environment: Mapping[str, str]) -> tuple[str, ...]:
    """The program in `command`, with its arguments."""
    if entry.grammar is None:
        return tuple(command[_program_at(command) :])
    program = _read(entry.grammar, command, environment).sections[0].program
    return program[1:] if program[0] == "--" else program


def ranks_of(entry: Entry, command: Sequence[str], environment: Mapping[str, str]) -> int | None:
    """The number of ranks that `command` asks for."""
    if entry.grammar is None:
        return int(command[2]) if _program_at(command) == 3 and is_whole(command[2]) else None
    return number_of(said_of(entry, command, environment, "n"))


def said_of(entry: Entry, command: Sequence[str], environment: Mapping[str, str], name: str) -> str | None:
    """What `command` says to this option of its launcher, or to a synonym of it."""
    if entry.grammar is None:
        return None
    names = entry.grammar.same_names(name)
    section = _read(entry.grammar, command, environment).sections[0]
    values = [option.values[0] for option in section.options if option.name in names and option.values]
    return values[-1] if values else None


def number_of(text: str | None) -> int | None:
    return int(text) if text and is_whole(text) else None


def _read(grammar: Grammar, command: Sequence[str], environment: Mapping[str, str]) -> CommandLine:
    line = read_command(command, environment, lambda _word, _environment: grammar)
    if len(line.sections) > 1:
        raise ClearwayError("cannot place the ranks of several programs in one job yet", "place one program")
    return line


def _silent(line: CommandLine, names: frozenset[str]) -> CommandLine:
    """Without the options of these names."""
    return line.each_section(lambda s: replace(s, options=tuple(o for o in s.options if o.name not in names)))


def _without_program(line: CommandLine, grammar: Grammar) -> list[str]:
    ranks = grammar.same_names("n")
    options = [option for option in line.sections[0].options if option.name not in ranks]
    return [*line.prefix, str(line.launcher), *(word for option in options for word in option.words)]


def _unknown(form: Form, command: Sequence[str]) -> list[str]:
    program = command[_program_at(command) :]
    return [command[0], *form.change.launcher_options, *program, *form.change.program_options]


def _program_at(command: Sequence[str]) -> int:
    """For a launcher that is not known: LAUNCHER [-np N] PROGRAM …"""
    at = 3 if command[1:2] in (["-np"], ["-n"], ["++p"]) else 1
    if at >= len(command) or command[at][0] in "-+":
        raise ClearwayError(f"cannot find the program in '{' '.join(command)}'", "LAUNCHER [-np N] PROGRAM ARGUMENTS")
    return at
