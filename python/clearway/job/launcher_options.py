"""How a launcher reads its own options: enough to tell where they end and the program begins.

A launcher's grammar is plain data (one file a launcher); here is the one reader of them all.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field

from clearway.base.errors import ClearwayError

OTHER_FORM = "put clearway-record before the program yourself: {launcher} … clearway-record PROGRAM …"


def words(text: str) -> frozenset[str]:
    return frozenset(text.split())


@dataclass(frozen=True, slots=True)
class Grammar:
    """The options of one launcher, by how many words they take. Names are written without leading dashes."""

    name: str  # "Open MPI 4"
    flags: frozenset[str]  # no value; one given as --name=value is fine
    one: frozenset[str]  # one value
    two: frozenset[str] = frozenset()  # two values: --mca KEY VALUE
    short_flags: str = ""  # letters that may stand in a cluster: -lvn4
    short_one: str = ""  # letters whose value may be attached: -n4
    short_attached: str = ""  # letters whose value, if any, is attached: -K0
    abbreviations: bool = False  # --ntasks-per-n for --ntasks-per-node
    synonyms: tuple[frozenset[str], ...] = ()  # names of one and the same option; all launchers know "n"
    separator: str = ":"  # between the programs of one job
    any_case: bool = False  # -PPN is -ppn
    program_files: frozenset[str] = frozenset()  # options whose value is a file that lists the programs
    empty_parts: bool = False  # nothing between two separators, before the first or behind the last is fine
    refused: Mapping[str, str] = field(default_factory=dict)  # option -> why the program cannot be found
    instead: Mapping[str, str] = field(
        default_factory=dict
    )  # of these: option -> what to do, where it is no other form

    def name_of(self, option: str) -> str:
        """Of an option as typed: without dashes and value."""
        name = option.lstrip("-").partition("=")[0]
        return name.lower() if self.any_case else name

    def same_names(self, name: str) -> frozenset[str]:
        """`name`, and what else its option is called. An abbreviation counts as the full name."""
        full = self._full_name(name)
        return next((names for names in self.synonyms if full in names), frozenset({full}))

    def _full_name(self, name: str) -> str:
        known = self.flags | self.one | self.two
        if not self.abbreviations or len(name) == 1 or name in known:
            return name
        full = [candidate for candidate in known if candidate.startswith(name)]
        return full[0] if len(full) == 1 else name

    def values_of(self, name: str) -> int | None:
        """How many words follow the long option `name`; None when there is no such option."""
        for count, names in enumerate((self.flags, self.one, self.two)):
            if name in names:
                return count
        if self.abbreviations:
            known = self.flags | self.one | self.two
            counts = {self.values_of(full) for full in known if full.startswith(name)}
            if len(counts) == 1:
                return counts.pop()
        return None


def program_positions(grammar: Grammar, command: Sequence[str]) -> list[int]:
    """Where the programs stand in `command`, whose first word is the launcher. One for each part of an MPMD job."""
    positions: list[int] = []
    at = 1
    while at <= len(command):
        at = skip_empty_parts(grammar, command, at)
        if at == len(command) and positions and grammar.empty_parts:
            break
        at = skip_options(grammar, command, at, command[0])
        if at >= len(command) or command[at] == grammar.separator:
            raise ClearwayError(
                f"no program in the command line of {grammar.name}: {' '.join(command)}",
                f"clearway run -- {command[0]} -np 8 PROGRAM ARGUMENTS",
            )
        positions.append(at)
        while at < len(command) and command[at] != grammar.separator:
            at += 1
        if at == len(command):
            break
        at += 1
    return positions


def skip_empty_parts(grammar: Grammar, command: Sequence[str], at: int) -> int:
    """The first word from `at` on, where a part of an MPMD job begins, that does not end an empty one."""
    while grammar.empty_parts and at < len(command) and command[at] == grammar.separator:
        at += 1
    return at


def skip_options(grammar: Grammar, command: Sequence[str], at: int, launcher: str) -> int:
    """The first word from `at` on that is neither an option of `launcher` nor an option's value."""
    while at < len(command) and command[at].startswith("-") and command[at] != "-":
        if command[at] == "--":
            return at + 1
        at += 1 + values_after(grammar, command[at], launcher)
    return at


def values_after(grammar: Grammar, option: str, launcher: str) -> int:
    """How many words behind `option`, as typed, are its values."""
    name, attached = grammar.name_of(option), option.partition("=")[2]
    if name in grammar.refused:
        hint = grammar.instead.get(name, OTHER_FORM.format(launcher=launcher))
        raise ClearwayError(f"'{option}': {grammar.refused[name]}", hint)
    if not option.startswith("--"):
        cluster = _values_after_cluster(grammar, option[1:])
        if cluster is not None:
            return cluster
    count = grammar.values_of(name)
    if count is None:
        raise ClearwayError(
            f"Clearway does not know the option '{option}' of {grammar.name}, so it cannot tell where the program "
            f"begins",
            OTHER_FORM.format(launcher=launcher),
        )
    return max(0, count - 1) if attached or "=" in option else count


def _values_after_cluster(grammar: Grammar, letters: str) -> int | None:
    """For getopt's short options, as `lvn4` or `n`; None when these letters are not a cluster."""
    for index, letter in enumerate(letters):
        if letter in grammar.short_attached:
            return 0
        if letter in grammar.short_one:
            return 0 if index + 1 < len(letters) else 1
        if letter not in grammar.short_flags:
            return None
    return 0
