"""What the MPI was told before a sweep: its parameters and variables that decide how collectives are made."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence

from clearway.base.errors import ClearwayError
from clearway.job.command_line import CommandLine, read_command
from clearway.job.prefixes import assigned_variables, launcher_position
from clearway.job.settings import PARAMETER_OPTIONS, variables_of

PARAMETER = "OMPI_MCA_"  # Open MPI's parameters, as variables
DECIDING = (f"{PARAMETER}coll_", f"{PARAMETER}btl_", f"{PARAMETER}pml", "MPIR_CVAR_", "I_MPI_ADJUST_", "UCX_")


def settings_of(command: Sequence[str], environment: Mapping[str, str]) -> dict[str, str]:
    """By name, Open MPI's parameters as its variables are called; what the command line says goes before the rest."""
    around = {**environment, **assigned_variables(command[: launcher_position(command)])}
    told = {**around, **dict(_in_line(command, around))}
    return {name: told[name] for name in sorted(told) if name.startswith(DECIDING)}


def _in_line(command: Sequence[str], environment: Mapping[str, str]) -> Iterator[tuple[str, str]]:
    try:
        line = read_command(command, environment)
    except ClearwayError:  # a launcher that is not known: what it was told is not known either
        return
    yield from _told(line)


def _told(line: CommandLine) -> Iterator[tuple[str, str]]:
    for section in line.sections:
        for option in section.options:
            if option.name in PARAMETER_OPTIONS:
                yield f"{PARAMETER}{option.values[0]}", option.values[1]
        if line.grammar is not None:
            for name, value in variables_of(line.grammar, section):
                if value is not None:
                    yield name, value
