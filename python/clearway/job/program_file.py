"""`mpirun --app FILE` of Open MPI and `mpiexec -configfile FILE` of MPICH and Intel MPI: the programs of a job, with
the launcher's options for each, are listed in a file.

    -np 1 ./ocean -n 4
    # a comment
    -np 3 -x A=b ./atmosphere

Seen with Open MPI 4.1.4 and 5.0.11, MPICH 4.0.2 and 5.0.2, Intel MPI 2021.18: all divide lines at spaces, and know no
quotes; MPICH 5 and Intel MPI go on with a line that ends with a backslash.
"""

from __future__ import annotations

import re
from collections.abc import Sequence
from functools import partial

from clearway.job.launcher_options import Grammar, program_positions, values_after
from clearway.job.program_list import recorded_copy

NAME = "programs.txt"  # in the Run directory


def file_position(grammar: Grammar, command: Sequence[str]) -> int | None:
    """Where the name of such a file stands in `command`, whose first word is the launcher."""
    at = 1
    while at < len(command) and command[at].startswith("-") and command[at] not in ("-", "--"):
        if grammar.name_of(command[at]) in grammar.program_files and "=" not in command[at]:
            return at + 1 if at + 1 < len(command) else None
        at += 1 + values_after(grammar, command[at], command[0])
    return None


def recorded_file(grammar: Grammar, launcher: str, path: str, recorder: Sequence[str]) -> str:
    """Another file, with the recorder before each program. Its path. Raises ClearwayError."""
    what = f"the list of programs of {launcher}"
    return recorded_copy(path, what, NAME, recorder, r"[\s'\"\\#:]", partial(_all_recorded, grammar, launcher))


def _all_recorded(grammar: Grammar, launcher: str, text: str, before: str) -> str:
    lines = re.split(r"(?<=\n)", text)
    continued = [False, *(line.rstrip().endswith("\\") for line in lines)]
    return "".join(
        line if goes_on else _recorded(grammar, launcher, line, before)
        for line, goes_on in zip(lines, continued, strict=False)
    )


def _recorded(grammar: Grammar, launcher: str, line: str, before: str) -> str:
    places = [match.start() for match in re.finditer(r"\S+", line)]
    words = line.split()
    if not words or words[0].startswith("#"):
        return line
    for at in reversed(program_positions(grammar, [launcher, *words])):
        place = places[at - 1]
        line = f"{line[:place]}{before} {line[place:]}"
    return line
