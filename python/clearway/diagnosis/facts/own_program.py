"""Which program a rank runs, where one MPI job has several (`mpirun -n 4 md : -n 1 analysis`)."""

from __future__ import annotations

from pathlib import PurePosixPath

from clearway.diagnosis.facts import Case


def own_program(case: Case, process: int) -> str:
    """Its name, without the folder; empty where all ranks run the same, or it is not known of all."""
    programs = case.run.fact("process.program")
    if len(programs) < case.ranks or len(set(programs.values())) < 2:
        return ""
    return PurePosixPath(programs[process]).name
