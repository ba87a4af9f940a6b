"""Saying one thing in a launcher's own words. Each function takes a command line and gives the changed one."""

from __future__ import annotations

import shlex
from collections.abc import Callable, Sequence
from dataclasses import replace

from clearway.base.errors import ClearwayError
from clearway.job.command_line import CommandLine, Option, Section, read_options
from clearway.job.launcher_options import Grammar
from clearway.job.launchers.openmpi import OPEN_MPIS
from clearway.job.launchers.slurm import SRUN
from clearway.job.launchers.testbed import DEFAULTS, TESTBED

Same = Callable[[Option], bool]
HANDED_ON = "launcher-options"  # of `clearway testbed run`


def with_ranks(line: CommandLine, ranks: int | None) -> CommandLine:
    if ranks is None:
        return line
    if line.grammar is None:
        raise ClearwayError("without a launcher there is one rank", "mpirun -np 8 PROGRAM ARGUMENTS")
    if line.grammar is TESTBED:
        return _with_ranks_on_testbed(line, ranks)
    if len(line.sections) > 1:
        raise ClearwayError(
            "cannot change the number of ranks of a job of several programs",
            "give each variant a command of its own: --variants FILE",
        )
    named = "-np" if line.grammar in OPEN_MPIS else "-n"
    return in_section(line, 0, read_option(line.grammar, (named, str(ranks))), of_name(line.grammar, "n"))


def _with_ranks_on_testbed(line: CommandLine, ranks: int) -> CommandLine:
    """On the same hosts where they go up in that, else on fewer."""
    hosts, per_host = int(testbed_option(line, "hosts")), int(testbed_option(line, "per-host"))
    if ranks % hosts == 0:
        said = {"per-host": ranks // hosts}
    elif ranks % per_host == 0 and ranks // per_host < hosts and not _names_hosts(line):
        said = {"hosts": ranks // per_host}
    elif ranks < hosts and not _names_hosts(line):
        said = {"hosts": ranks, "per-host": 1}
    else:
        raise ClearwayError(
            f"cannot divide {ranks} ranks evenly among the {hosts} hosts of this testbed",
            f"choose a multiple of {hosts}",
        )
    for name, number in said.items():
        option = Option((f"--{name}", str(number)), name, (str(number),))
        line = in_section(line, 0, option, of_name(TESTBED, name))
    return line


def testbed_option(line: CommandLine, name: str) -> str:
    """The last one, as argparse reads it; else what `clearway testbed run` has without it."""
    told = [option.values[0] for option in line.sections[0].options if option.name == name and option.values]
    return (told or [DEFAULTS[name]])[-1]


def _names_hosts(line: CommandLine) -> bool:
    """Whether it says something of a host that fewer hosts may lack, or runs on a testbed that is up."""
    return any(option.name in ("fault", "on", "switches") for option in line.sections[0].options)


def with_options(line: CommandLine, options: Sequence[str]) -> CommandLine:
    """The launcher's own options, each in place of the one of that name."""
    if not options:
        return line
    if line.grammar is None or line.launcher is None:
        raise ClearwayError(
            f"'{' '.join(options)}' is an option for a launcher, but this job has none", "mpirun -np 8 PROGRAM …"
        )
    if line.grammar is TESTBED:
        return handed_on(line, options)
    for option in read_options(line.grammar, [*options, line.launcher], line.launcher):
        same = of_name(line.grammar, option.name)
        # Each component of a heterogeneous step has options of its own; of mpirun's the first are for all.
        line = in_all(line, option, same) if line.grammar is SRUN else in_section(line, 0, option, same)
    return line


def handed_on(line: CommandLine, words: Sequence[str]) -> CommandLine:
    """Options of the MPI's launcher, as a testbed is told of them: all in one text, each said once."""
    told = [shlex.split(option.values[0]) for option in line.sections[0].options if option.name == HANDED_ON]
    groups = {_what(group): group for words in [*told, words] for group in _groups(words)}
    text = " ".join(_word(word) for group in groups.values() for word in group)
    return in_section(line, 0, Option((f"--{HANDED_ON}={text}",), HANDED_ON, (text,)), of_name(TESTBED, HANDED_ON))


def _groups(words: Sequence[str]) -> list[list[str]]:
    """Each option with its values."""
    begins = [at for at, word in enumerate(words) if word.startswith("-")]
    return [list(words[at:end]) for at, end in zip(begins, [*begins[1:], len(words)], strict=True)]


def _what(group: Sequence[str]) -> tuple[str, ...]:
    """What an option sets: one with two values a thing of that name."""
    return tuple(group[:2]) if len(group) > 2 else (group[0].partition("=")[0],)


def _word(word: str) -> str:
    """In quotes only where it would not be read as it is."""
    try:
        return word if shlex.split(word) == [word] else shlex.quote(word)
    except ValueError:
        return shlex.quote(word)


def read_option(grammar: Grammar, typed: tuple[str, str]) -> Option:
    return read_options(grammar, [*typed, "program"], "")[0]


def of_name(grammar: Grammar, name: str) -> Same:
    names = grammar.same_names(name)
    return lambda option: option.name in names or bool(grammar.same_names(option.name) & names)


def in_all(line: CommandLine, option: Option, same: Same) -> CommandLine:
    return line.each_section(lambda section: put(section, option, same))


def in_section(line: CommandLine, index: int, option: Option, same: Same) -> CommandLine:
    sections = list(line.sections)
    sections[index] = put(sections[index], option, same)
    return replace(line, sections=tuple(sections))


def put(section: Section, option: Option, same: Same) -> Section:
    """`option` in the place of the first that is the same, else behind all others."""
    places = [at for at, each in enumerate(section.options) if same(each)]
    at = places[0] if places else len(section.options)
    kept = without(section, same)
    return replace(section, options=(*kept[:at], option, *kept[at:]))


def without(section: Section, same: Same) -> tuple[Option, ...]:
    return tuple(option for option in section.options if not same(option))
