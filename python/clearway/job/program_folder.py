"""`--path FOLDER` of Open MPI 5 and `-path FOLDER` of Intel MPI: the launcher writes FOLDER/ before the program's name.

Open MPI 5 does so whatever the program is called, so also before the path of clearway-record; Intel MPI where it is no
absolute path. What they would have made of the program's name is written instead. (Open MPI 4 and PATH are for
clearway-record to look through: native/launcher/open_mpi_words.hpp.)
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace
from pathlib import Path, PurePath

from clearway.job.command_line import CommandLine, Option, Section
from clearway.job.launchers.mpich_hydra import INTEL_HYDRA
from clearway.job.launchers.openmpi import OPEN_MPI_5


def has_folder(line: CommandLine) -> bool:
    """Whether there is anything to write otherwise."""
    return line.grammar in (OPEN_MPI_5, INTEL_HYDRA) and any(_folders(section) for section in line.sections)


def with_whole_paths(line: CommandLine) -> CommandLine:
    if line.grammar is OPEN_MPI_5:
        return line.each_section(_of_open_mpi)
    sections, folder = [], ""
    for section in line.sections:
        folder = (_folders(section) or [folder])[0]  # which holds for those behind it
        name = section.program[_begin(section)] if section.program else ""
        at_once = not folder or PurePath(name).is_absolute()
        sections.append(section if at_once else _in_folder(section, folder))
    return replace(line, sections=tuple(sections))


def _of_open_mpi(section: Section) -> Section:
    folders = _folders(section)
    if not folders:
        return section
    kept = tuple(option for option in section.options if not _names_folder(option))
    return _in_folder(replace(section, options=kept), str(Path.cwd() / folders[0]))


def _in_folder(section: Section, folder: str) -> Section:
    at = _begin(section)
    program: Sequence[str] = section.program
    return replace(section, program=(*program[:at], f"{folder}/{program[at]}", *program[at + 1 :]))


def _begin(section: Section) -> int:
    return 1 if section.program[:1] == ("--",) else 0


def _folders(section: Section) -> list[str]:
    """The one that holds first: the last -path, else -gpath."""
    named = sorted((option for option in section.options if _names_folder(option)), key=lambda each: each.name)
    return [option.values[0] for option in reversed(named)]


def _names_folder(option: Option) -> bool:
    return option.name in ("path", "gpath") and bool(option.values)
