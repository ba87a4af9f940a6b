"""The answer as a job script."""

from __future__ import annotations

import os
import shlex
from collections.abc import Iterator, Mapping
from pathlib import Path

from clearway.base.errors import ClearwayError
from clearway.base.output_file import whole_file
from clearway.base.visible import visible
from clearway.job.run_name import filled_in
from clearway.tune.answer import sentences
from clearway.tune.tuning import Tuning

# What sbatch was asked for, as it tells its job (sbatch(1), "output environment variables" of 22.05). It does not tell
# of the time limit, nor of --exclusive.
ASKED = {
    "SLURM_JOB_NUM_NODES": "nodes",
    "SLURM_NTASKS": "ntasks",
    "SLURM_NTASKS_PER_NODE": "ntasks-per-node",
    "SLURM_CPUS_PER_TASK": "cpus-per-task",
    "SLURM_MEM_PER_NODE": "mem",
    "SLURM_MEM_PER_CPU": "mem-per-cpu",
    "SLURM_JOB_PARTITION": "partition",
    "SLURM_JOB_ACCOUNT": "account",
}


def check_script(given: str) -> str:
    """Its name, with sbatch's patterns filled in. One that is there is somebody's work. Raises ClearwayError."""
    path = filled_in(given, os.environ)
    if Path(path).exists():
        raise ClearwayError(f"'{path}' exists already", "give a new file with --write")
    return path


def write_script(tuning: Tuning, given: str, environment: Mapping[str, str] = os.environ) -> None:
    """With what is known of the line as comments, for an allocation like ours. Raises ClearwayError."""
    path = check_script(given)
    with whole_file(path) as stream:
        stream.write("#!/bin/sh\n")
        if not tuning.testbed:
            stream.writelines(allocation(environment))
        for sentence in (f"clearway tune, {tuning.measured_at}", *sentences(tuning)):
            stream.write(f"# {visible(sentence)}\n")
        stream.write(f"{tuning.best_command}\n")
    Path(path).chmod(Path(path).stat().st_mode | 0o111)


def allocation(environment: Mapping[str, str]) -> Iterator[str]:
    """Lines of sbatch's options; none outside of a job of Slurm's. Without them it would start one rank."""
    if "SLURM_JOB_ID" not in environment:
        return
    for variable, option in ASKED.items():
        if value := environment.get(variable):
            yield f"#SBATCH --{option}={shlex.quote(visible(value))}\n"
    yield "##SBATCH --time=1:00:00    a time limit for the whole job; --exclusive, if it ran so\n"
