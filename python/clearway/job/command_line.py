"""A launcher's command line taken apart, so that it can be changed and put together again."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, replace

from clearway.base.errors import ClearwayError
from clearway.job.launcher_at import Identify, launcher_at
from clearway.job.launcher_options import Grammar, program_positions, skip_empty_parts, skip_options, values_after
from clearway.job.which_launcher import identify


@dataclass(frozen=True, slots=True)
class Option:
    """One option of a launcher, as typed."""

    words: tuple[str, ...]
    name: str  # without dashes
    values: tuple[str, ...]


@dataclass(frozen=True, slots=True)
class Section:
    """A program with its arguments, and the launcher's options for it. Several make an MPMD job."""

    options: tuple[Option, ...]
    program: tuple[str, ...]  # with the "--" before it, where one was typed

    @property
    def words(self) -> list[str]:
        return [*(word for option in self.options for word in option.words), *self.program]


@dataclass(frozen=True, slots=True)
class CommandLine:
    prefix: tuple[str, ...]  # timeout 60 …
    launcher: str | None
    grammar: Grammar | None  # None: no launcher, the one section is the program
    sections: tuple[Section, ...]

    @property
    def words(self) -> list[str]:
        words = [*self.prefix, *((self.launcher,) if self.launcher else ())]
        for index, section in enumerate(self.sections):
            words += [self.grammar.separator] if index and self.grammar else []
            words += section.words
        return words

    def each_section(self, change: Callable[[Section], Section]) -> CommandLine:
        return replace(self, sections=tuple(map(change, self.sections)))


def read_command(
    command: Sequence[str], environment: Mapping[str, str], identify_launcher: Identify = identify
) -> CommandLine:
    """Takes `command` apart. Raises ClearwayError where it cannot tell what is the program."""
    start, grammar = launcher_at(command, environment, identify_launcher)
    if start >= len(command):
        raise ClearwayError(f"no program in '{' '.join(command)}'", "type it as: mpirun -np 8 PROGRAM ARGUMENTS")
    prefix, words = tuple(command[:start]), list(command[start:])
    if grammar is None:
        return CommandLine(prefix, None, None, (Section((), tuple(words)),))
    return CommandLine(prefix, words[0], grammar, tuple(_sections(grammar, words)))


def read_options(grammar: Grammar, words: Sequence[str], launcher: str) -> tuple[Option, ...]:
    """The options at the beginning of `words`."""
    return _options_until(grammar, words, skip_options(grammar, words, 0, launcher), launcher)[0]


def _options_until(grammar: Grammar, words: Sequence[str], end: int, launcher: str) -> tuple[tuple[Option, ...], int]:
    """The options before `end`, and where they end themselves: a "--" may follow."""
    options: list[Option] = []
    at = 0
    while at < end and words[at] != "--":
        count = 1 + values_after(grammar, words[at], launcher)
        options += _told_apart(grammar, tuple(words[at : at + count]))
        at += count
    return tuple(options), at


def _sections(grammar: Grammar, words: list[str]) -> list[Section]:
    sections = []
    begin = 1
    for at in program_positions(grammar, words):
        begin = skip_empty_parts(grammar, words, begin)
        end = words.index(grammar.separator, at) if grammar.separator in words[at:] else len(words)
        options, count = _options_until(grammar, words[begin:at], at - begin, words[0])
        sections.append(Section(options, tuple(words[begin + count : end])))
        begin = end + 1
    return sections


def _told_apart(grammar: Grammar, words: tuple[str, ...]) -> list[Option]:
    """One option of several words; or the options that getopt's -ln4 stands for."""
    first, values = words[0], words[1:]
    name, (_, equals, attached) = grammar.name_of(first), first.partition("=")
    letters = grammar.short_flags + grammar.short_one + grammar.short_attached
    if not letters or first.startswith("--") or first[1] not in letters:
        return [Option(words, name, (*((attached,) if equals else ()), *values))]
    options: list[Option] = []
    for index, letter in enumerate(first[1:], 1):
        if letter not in grammar.short_flags:
            value = first[index + 1 :]
            given = (value,) if value else values
            return [*options, Option((f"-{letter}{value}", *values), letter, given)]
        options.append(Option((f"-{letter}",), letter, ()))
    return options
