"""What a job was told already: by its environment, its launcher's command line, its program's options."""

from __future__ import annotations

import os
import shlex
from collections.abc import Iterator
from pathlib import PurePath

from clearway.base.errors import ClearwayError
from clearway.base.whole import is_whole
from clearway.diagnosis.facts import Case
from clearway.job.command_line import CommandLine, Section, read_command
from clearway.job.settings import PARAMETER_OPTIONS, variables_of
from clearway.job.which_launcher import identify_recorded

LIBRARIES = ("OPENBLAS_NUM_THREADS", "GOTO_NUM_THREADS", "MKL_NUM_THREADS", "BLIS_NUM_THREADS")  # go before OMP's


def parameter(case: Case, name: str) -> str | None:
    """An Open MPI parameter: mpirun hands those of its command line on to the ranks' environment."""
    told = case.environment(f"OMPI_MCA_{name}")
    return told if told is not None else _last(v for o, v in _two_words(case) if o == name)


def variable(case: Case, name: str) -> str | None:
    """An environment variable of the ranks."""
    told = case.environment(name)
    return told if told is not None else _last(v for n, v in _exported(case) if n == name)


def launcher(case: Case) -> str:
    """What the job's launcher is called: "Open MPI 4", "srun"; "" where the record does not tell."""
    line = launcher_line(case)
    return line.grammar.name if line is not None and line.grammar is not None else ""


def launcher_option(case: Case, *names: str) -> str | None:
    """The value of the last of the launcher's options with one of these names; "" for one without a value."""
    options = [option for section in _sections(case) for option in section.options if option.name in names]
    return " ".join(options[-1].values) if options else None


def program_option(case: Case, name: str) -> str | None:
    """The word behind an option of the program: that of "-ntomp"; "" where there is none."""
    words = program_words(case)
    if name not in words:
        return None
    at = words.index(name)
    return words[at + 1] if at + 1 < len(words) else ""


def program_wrapper(case: Case) -> str:
    """What the launcher starts first: "taskset" of `taskset -c 0 ./program`; "" where the record does not tell."""
    words = [word for section in _sections(case)[:1] for word in section.program if word != "--"]
    return PurePath(words[0]).name if words else ""


def program_words(case: Case) -> list[str]:
    """The program's command line on rank 0."""
    try:
        return shlex.split(case.tables.job.command)
    except ValueError:  # it was longer than the record's room for it
        return case.tables.job.command.split()


def threads_per_rank(case: Case) -> int:
    """As the program was told (GROMACS' own option goes before the variable), else as many as were seen at work.

    Libraries that were told otherwise, by variables of their own, may have more; and a program may ask for larger teams
    in its source.
    """
    seen = case.tables.cores.most_threads if case.tables.cores else 1
    in_teams = int(case.cores.teams.threads.max()) if case.cores else 1
    for told in (program_option(case, "-ntomp"), variable(case, "OMP_NUM_THREADS")):
        if told and is_whole(told) and int(told) > 0:
            return max(int(told), seen if _of_libraries(case) else min(in_teams, seen))
    return seen


def number_of_threads(case: Case, threads: int) -> tuple[tuple[str, str], ...]:
    """Variables that give each rank so many, and libraries that have a variable of their own as well."""
    return tuple((name, str(threads)) for name in ("OMP_NUM_THREADS", *_of_libraries(case)))


def _of_libraries(case: Case) -> list[str]:
    return [name for name in LIBRARIES if variable(case, name)]


def launcher_line(case: Case) -> CommandLine | None:
    """The job's command line, taken apart; None where the record has none, or it cannot be understood here."""
    try:
        return read_command(case.command, os.environ, identify_recorded) if case.command else None
    except ClearwayError:  # a Run may be looked at where its launcher is not installed
        return None


def _sections(case: Case) -> tuple[Section, ...]:
    line = launcher_line(case)
    return line.sections if line else ()


def _two_words(case: Case) -> Iterator[tuple[str, str]]:
    for section in _sections(case):
        for option in section.options:
            if option.name in PARAMETER_OPTIONS:
                yield option.values[0], option.values[1]


def _exported(case: Case) -> Iterator[tuple[str, str | None]]:
    line = launcher_line(case)
    if line is not None and line.grammar is not None:
        for section in line.sections:
            yield from variables_of(line.grammar, section)


def _last(values: Iterator[str | None]) -> str | None:
    return next(reversed([*values]), None)
