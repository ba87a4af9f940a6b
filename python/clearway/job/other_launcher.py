"""The same job under another launcher."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import replace

from clearway.base.errors import ClearwayError
from clearway.job.command_line import CommandLine, Option, Section
from clearway.job.launcher_at import Identify
from clearway.job.launcher_options import Grammar, words
from clearway.job.launchers.openmpi import OPEN_MPIS
from clearway.job.launchers.testbed import TESTBED
from clearway.job.rewriting import in_section, of_name, read_option
from clearway.job.settings import PARAMETER_OPTIONS, VARIABLE_OPTIONS, variables_of, with_variable
from clearway.job.which_launcher import identify

# Said to one MPI about itself: another one has neither the words nor the need.
OWN_AFFAIRS = PARAMETER_OPTIONS | words("pmixmca am tune allow-run-as-root oversubscribe report-bindings")


def with_launcher(
    line: CommandLine, launcher: str | None, environment: Mapping[str, str], identify_launcher: Identify = identify
) -> CommandLine:
    """The job under another launcher; what both understand is kept."""
    if launcher is None:
        return line
    if line.grammar is TESTBED:
        raise ClearwayError("a testbed uses the MPI of its --mpi option", "clearway testbed run --mpi mpich …")
    grammar = identify_launcher(launcher, environment)
    if grammar is None or line.grammar is None:
        word = line.sections[0].program[0] if line.grammar is None else launcher
        raise ClearwayError(f"'{word}' is not an MPI launcher", "mpirun -np 8 PROGRAM ARGUMENTS")
    ranks = [_ranks_of(line.grammar, section) for section in line.sections]
    variables = [variables_of(line.grammar, section) for section in line.sections]
    sections = [replace(section, options=_understood(line.grammar, grammar, section)) for section in line.sections]
    line = CommandLine(line.prefix, launcher, grammar, tuple(sections))
    for index, number in enumerate(ranks):
        if number is not None:
            line = in_section(line, index, read_option(grammar, ("-n", number)), of_name(grammar, "n"))
    for name, value in dict(pair for pairs in variables for pair in pairs).items():
        line = with_variable(line, name, value if value is not None else environment.get(name, ""), environment)
    return line


def _ranks_of(grammar: Grammar, section: Section) -> str | None:
    names = grammar.same_names("n")
    return next((option.values[0] for option in section.options if option.name in names), None)


def _understood(old: Grammar, new: Grammar, section: Section) -> tuple[Option, ...]:
    """Options that mean the same to both launchers. Raises ClearwayError for one that must not be lost."""
    if old is new:
        return section.options
    said_otherwise = VARIABLE_OPTIONS | old.same_names("n")
    if not (old in OPEN_MPIS and new in OPEN_MPIS):
        said_otherwise |= OWN_AFFAIRS
    kept = [option for option in section.options if option.name not in said_otherwise]
    for option in kept:
        if new.values_of(option.name) != len(option.values):
            raise ClearwayError(
                f"{new.name} has no option that does what {old.name}'s '{' '.join(option.words)}' does",
                "leave it out, or give that variant a command of its own in a file: --variants FILE",
            )
    return tuple(kept)
