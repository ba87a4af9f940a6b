"""What is to be different about a job, and the job's command line with it, in its own launcher's words."""

from __future__ import annotations

import re
import shlex
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, replace

from clearway.base.errors import ClearwayError
from clearway.base.installed import RECORDER, find_program
from clearway.job.command_line import CommandLine, Section, read_command
from clearway.job.launcher_at import Identify
from clearway.job.other_launcher import with_launcher
from clearway.job.recorded_command import find_programs
from clearway.job.rewriting import with_options, with_ranks
from clearway.job.settings import with_parameter, with_variable
from clearway.job.which_launcher import identify

UNCHANGED = "unchanged"
LISTS = frozenset({"CLEARWAY_FLOW_SOCKETS"})  # variables that hold options: "send_buffer:8m,rto_min:5ms"


@dataclass(frozen=True, slots=True)
class Change:
    """What differs from the job as it was typed. A Change of nothing is the job itself."""

    parameters: tuple[tuple[str, str], ...] = ()  # Open MPI's, by name
    environment: tuple[tuple[str, str], ...] = ()  # of every rank
    launcher_options: tuple[str, ...] = ()  # as typed: --bind-to core
    recorder_options: tuple[str, ...] = ()  # of clearway-record: --flow
    program_options: tuple[str, ...] = ()  # as typed: -npme 0
    ranks: int | None = None
    launcher: str | None = None  # another one than the job's
    program_prefix: tuple[str, ...] = ()  # words before the program: stdbuf -o64K
    without: tuple[str, ...] = ()  # options of the program, to be left out: -v
    batch_options: tuple[str, ...] = ()  # of sbatch, in the batch script: --mem=8G; no command line can say them


def combined(*changes: Change) -> Change:
    """All of them at once; where two say different things, the later wins."""
    every = Change()
    for change in changes:
        every = Change(
            _merged(every.parameters, change.parameters),
            _with_lists(every.environment, change.environment),
            (*every.launcher_options, *change.launcher_options),
            tuple(dict.fromkeys([*every.recorder_options, *change.recorder_options])),
            (*every.program_options, *change.program_options),
            every.ranks if change.ranks is None else change.ranks,
            change.launcher or every.launcher,
            (*change.program_prefix, *every.program_prefix),
            tuple(dict.fromkeys([*every.without, *change.without])),
            (*every.batch_options, *change.batch_options),
        )
    return every


def changed(
    command: Sequence[str],
    change: Change,
    environment: Mapping[str, str],
    recorder: Sequence[str] = (),
    identify_launcher: Identify = identify,
) -> list[str]:
    """`command` with `change`: what a person could type. What it already says is replaced, not said twice.

    `recorder`: clearway-record and its options, to put before the programs; the change's own follow. Without it,
    clearway-record is there only where the change needs it. Raises ClearwayError where the launcher has no such words.
    """
    if change.batch_options:
        raise ClearwayError(
            f"'{shlex.join(change.batch_options)}' can only be put into a batch script", "clearway fix job.sh"
        )
    line = read_command(command, environment, identify_launcher)
    line = with_launcher(line, change.launcher, environment, identify_launcher)
    line = with_ranks(line, change.ranks)
    for name, value in change.parameters:
        line = with_parameter(line, name, value)
    for name, value in change.environment:
        line = with_variable(line, name, value, environment)
    line = with_options(line, change.launcher_options)
    line = _with_program_options(line, change.program_options)
    line = _with_prefix(_without(line, change.without), change.program_prefix)
    if change.recorder_options and not recorder:
        recorder = [str(find_program(RECORDER))]
    if not recorder:
        return line.words
    return find_programs(line.words, environment, identify_launcher).recorded([*recorder, *change.recorder_options])


def describe(change: Change) -> str:
    """A few words for a table."""
    said = [f"{name} {value}" for name, value in change.parameters]
    said += [f"{name}={value}" for name, value in change.environment]
    options = (change.launcher_options, change.program_options, change.batch_options)
    said += [shlex.join(each) for each in options if each]
    said += [f"without {option}" for option in change.without]
    said += [shlex.join(change.program_prefix)] if change.program_prefix else []
    said += change.recorder_options
    if change.ranks is not None:
        said.append("1 rank" if change.ranks == 1 else f"{change.ranks} ranks")
    if change.launcher is not None:
        said.append(change.launcher)
    return ", ".join(said) or UNCHANGED


def _merged(first: tuple[tuple[str, str], ...], second: tuple[tuple[str, str], ...]) -> tuple[tuple[str, str], ...]:
    return tuple({**dict(first), **dict(second)}.items())


def _with_lists(first: tuple[tuple[str, str], ...], second: tuple[tuple[str, str], ...]) -> tuple[tuple[str, str], ...]:
    """Merged, and within a variable that is a list its options."""
    before = dict(first)
    joined = [
        (name, ",".join({option_of(each): each for each in f"{before[name]},{value}".split(",")}.values()))
        if name in LISTS and name in before
        else (name, value)
        for name, value in second
    ]
    return _merged(first, tuple(joined))


def option_of(text: str) -> str:
    return text.partition(":")[0]


def _with_program_options(line: CommandLine, options: Sequence[str]) -> CommandLine:
    def each(section: Section) -> Section:
        program = list(section.program)
        for group in grouped(options):
            _put(program, group)
        return replace(section, program=tuple(program))

    return line.each_section(each)


def _without(line: CommandLine, options: Sequence[str]) -> CommandLine:
    def each(section: Section) -> Section:
        first, *others = section.program or ("",)
        return replace(section, program=(first, *(word for word in others if word not in options)))

    return line.each_section(each) if options else line


def _with_prefix(line: CommandLine, prefix: Sequence[str]) -> CommandLine:
    def each(section: Section) -> Section:
        end = section.program[:1] == ("--",)  # of the launcher's own options: what follows is to be run
        return replace(section, program=(*section.program[:end], *prefix, *section.program[end:]))

    return line.each_section(each) if prefix else line


def grouped(words: Sequence[str]) -> list[list[str]]:
    """Each option with the values behind it. A negative number is a value."""
    groups: list[list[str]] = []
    for word in words:
        if not groups or (word.startswith(("-", "+")) and not re.fullmatch(r"[-+][\d.]+", word)):
            groups.append([])
        groups[-1].append(word)
    return groups


def _put(program: list[str], group: list[str]) -> None:
    """Replaces the option of that name, or appends it."""
    name, equals, _ = group[0].partition("=")
    for at, word in enumerate(program):
        if word == name and not equals:
            program[at : at + len(group)] = group
            return
        if equals and word.startswith(f"{name}="):
            program[at] = group[0]
            return
    program += group
