"""From the command that a user would have typed to the one that is run."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from functools import partial

from clearway.base.errors import ClearwayError
from clearway.job.command_line import read_command
from clearway.job.launcher_at import Identify, launcher_at
from clearway.job.launcher_options import program_positions
from clearway.job.launchers.slurm import SRUN
from clearway.job.multi_prog import is_multi_prog, recorded_list
from clearway.job.program_file import file_position, recorded_file
from clearway.job.program_folder import has_folder, with_whole_paths
from clearway.job.which_launcher import identify


@dataclass(frozen=True, slots=True)
class Job:
    """A command line, and where its programs stand in it."""

    command: tuple[str, ...]
    programs: tuple[int, ...]  # positions in command; several in an MPMD job
    launched: bool  # False: the command is the program itself
    # In the place of the program stands a file that lists programs: this makes another one of it, with a recorder.
    listed: Callable[[str, Sequence[str]], str] | None = None

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
        if self.listed is not None:
            inserted[self.programs[0]] = self.listed(self.program, recorder)
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
    file = file_position(grammar, command[start:])
    if file is not None:
        made = partial(recorded_file, grammar, command[start])
        return Job(tuple(command), (start + file,), launched=True, listed=made)
    positions = program_positions(grammar, command[start:])
    line = read_command(command, environment, identify_launcher)
    if has_folder(line):
        line = with_whole_paths(line)
        command, positions = line.words, program_positions(grammar, line.words[start:])
    programs = tuple(start + at for at in positions)
    listed = recorded_list if grammar is SRUN and is_multi_prog(command[start : programs[0]]) else None
    return Job(tuple(command), programs, launched=True, listed=listed)
