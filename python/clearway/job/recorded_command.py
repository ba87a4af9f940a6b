"""From the command that a user would have typed to the one that is run."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass

from clearway.base.errors import ClearwayError
from clearway.job.launcher_at import Identify, launcher_at
from clearway.job.launcher_options import program_positions
from clearway.job.launchers.slurm import SRUN
from clearway.job.multi_prog import is_multi_prog, recorded_list
from clearway.job.which_launcher import identify


@dataclass(frozen=True, slots=True)
class Job:
    """A command line, and where its programs stand in it."""

    command: tuple[str, ...]
    programs: tuple[int, ...]  # positions in command; several in an MPMD job
    launched: bool  # False: the command is the program itself
    listed: bool = False  # in the place of the program stands a file that lists programs: srun --multi-prog

    @property
    def program(self) -> str:
        """The first program."""
        return self.command[self.programs[0]]

    def recorded(self, recorder: Sequence[str]) -> list[str]:
        """The command with `recorder` (clearway-record and its options) before each program.

        A program without a launcher is recorded with --always: whoever asks for it means it. Of programs that are
        listed in a file, another file has the recorder before each.
        """
        inserted = list(self.command)
        if self.listed:
            inserted[self.programs[0]] = recorded_list(self.program, recorder)
            return inserted
        for at in reversed(self.programs):
            inserted[at:at] = recorder if self.launched else [*recorder, "--always"]
        return inserted


def find_programs(
    command: Sequence[str], environment: Mapping[str, str], identify_launcher: Identify = identify
) -> Job:
    """Finds the programs that `command` would launch. Raises ClearwayError when it cannot tell."""
    start, grammar = launcher_at(command, environment, identify_launcher)
    if start >= len(command):
        raise ClearwayError(f"no program in '{' '.join(command)}'", "clearway run -- mpirun -np 8 PROGRAM ARGUMENTS")
    if grammar is None:
        return Job(tuple(command), (start,), launched=False)
    positions = (start + at for at in program_positions(grammar, command[start:]))
    programs = tuple(positions)
    listed = grammar is SRUN and is_multi_prog(command[start : programs[0]])
    return Job(tuple(command), programs, launched=True, listed=listed)
