"""From the command that a user would have typed to the one that is run."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass

from clearway.base.errors import ClearwayError
from clearway.job.launcher_at import Identify, launcher_at
from clearway.job.launcher_options import program_positions
from clearway.job.which_launcher import identify


@dataclass(frozen=True, slots=True)
class Job:
    """A command line, and where its programs stand in it."""

    command: tuple[str, ...]
    programs: tuple[int, ...]  # positions in command; several in an MPMD job
    launched: bool  # False: the command is the program itself

    @property
    def program(self) -> str:
        """The first program."""
        return self.command[self.programs[0]]

    def recorded(self, recorder: Sequence[str]) -> list[str]:
        """The command with `recorder` (clearway-record and its options) before each program.

        A program without a launcher is recorded with --always: whoever asks for it means it.
        """
        inserted = list(self.command)
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
    return Job(tuple(command), tuple(positions), launched=True)
