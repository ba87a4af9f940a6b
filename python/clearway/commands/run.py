"""Run an MPI job and record it.

clearway run -- mpirun -np 8 PROGRAM ARGUMENTS              the job as you would type it
clearway run --flow -- srun -n 16 PROGRAM …                 collectives sent in an order that avoids congestion
clearway run --io-cache auto -- nwchem input.nw             its scratch files in memory

Puts clearway-record before the program in the command line of mpirun or mpiexec (Open MPI, MPICH, Intel MPI) or
srun, and runs that. The job's output, exit code and signals are its own. `clearway docs recording` explains what
is recorded; see also `clearway docs flow` and `clearway docs io-cache`.
"""

from __future__ import annotations

import argparse
import contextlib
import math
import os
import re
import sys
from collections.abc import Sequence
from pathlib import Path
from typing import TYPE_CHECKING

from clearway.base.errors import ClearwayError
from clearway.base.whole import is_whole
from clearway.job.flow import FROM_TRIALS, flow_options
from clearway.job.io_cache import io_cache_options

if TYPE_CHECKING:
    from clearway.job.journal import Journal

DEFAULT_RECORDS = 65536  # in a rank's timeline: 2 MB

RECORD_BYTES = 64 * 1024  # what the first segments of a rank's record need
CANNOT_LOAD = (
    "has a module put a library before those of the system (LD_LIBRARY_PATH)? clearway-record needs none of them"
)
NOT_STARTED = (126, 127)  # exit codes of shells and of clearway-record: no program, or none that may be run
SENTENCE_LIMIT_RANKS = 64  # the page of more takes longer than a prompt should


def configure(parser: argparse.ArgumentParser) -> None:
    parser.usage = (
        "clearway run [-o DIR] [--flow[=TABLE]] [--io-cache SIZE] [--timeline[=N]] [--sample-ms N] [-q] [--] "
        "LAUNCHER … PROGRAM …"
    )
    parser.add_argument(
        "-o",
        "--output",
        metavar="DIR",
        help="the Run directory; %%j %%A %%a %%x %%N as in sbatch (default: clearway-PROGRAM-TIME, or -JOB)",
    )
    parser.add_argument(
        "--timeline",
        metavar="N",
        type=_records,
        nargs="?",
        const=DEFAULT_RECORDS,
        help="keep the newest N calls of each rank (default 65536)",
    )
    parser.add_argument(
        "--sample-ms",
        metavar="N",
        type=_milliseconds,
        default=100,
        help="milliseconds between samples of connections (default 100)",
    )
    parser.add_argument(
        "--flow",
        metavar="TABLE",
        type=_table,
        nargs="?",
        const=FROM_TRIALS,
        help="order collective operations so that they avoid congestion; start from TABLE, written by `clearway bench "
        "--save-table`",
    )
    parser.add_argument(
        "--flow-algorithm", metavar="NAME", help="use this algorithm for all collectives ('own': the MPI's)"
    )
    parser.add_argument(
        "--io-cache",
        metavar="SIZE",
        help="keep scratch files in memory: SIZE on each host (256Mi), 64Mi/rank, or as much as is free (auto)",
    )
    parser.add_argument(
        "--io-cache-files",
        metavar="GLOB",
        help="which files to keep in memory: patterns, separated by colons (default: TMPDIR and the engines' scratch "
        "files)",
    )
    parser.add_argument("-q", "--quiet", action="store_true", help="print nothing besides the job's output")
    parser.add_argument("command", nargs=argparse.REMAINDER, metavar="COMMAND", help="the job, as you would type it")


def _records(text: str) -> int:
    if not is_whole(text) or int(text) == 0:
        raise argparse.ArgumentTypeError(
            f"'{text}' is not a number of calls; write --timeline=N, or --timeline -- COMMAND"
        )
    return int(text)


def _milliseconds(text: str) -> int:
    if not is_whole(text) or int(text) == 0:
        raise argparse.ArgumentTypeError(f"'{text}' is not a number of milliseconds")
    return int(text)


def _table(text: str) -> str:
    if text != FROM_TRIALS and not Path(text).is_file():
        raise argparse.ArgumentTypeError(f"there is no table '{text}'; write --flow=TABLE, or --flow -- COMMAND")
    return text


def run(arguments: argparse.Namespace) -> int:
    from clearway.base.apart import done_apart
    from clearway.base.visible import visible
    from clearway.job import journal
    from clearway.job.foreground import end_like, run_in_foreground
    from clearway.job.out_of_memory import killed_since, killed_so_far

    command: list[str] = arguments.command[1:] if arguments.command[:1] == ["--"] else arguments.command
    if not command:
        raise ClearwayError("no command to run", "clearway run -- mpirun -np 8 PROGRAM ARGUMENTS")
    try:
        recorded, directory, entry = _prepared(arguments, command)
    except Exception as error:
        return _without_us(command, error)

    before = killed_so_far()
    ending = run_in_foreground(recorded, os.environ)
    trouble = journal.end(directory, entry, ending.code, killed_since(before, killed_so_far()))
    sentence = done_apart(lambda: _looked_back(directory, arguments.quiet))
    if not arguments.quiet:
        print(_closing_words(directory, command, ending.code, sentence), file=sys.stderr)
    if trouble is not None:
        print(visible(f"clearway: {trouble}"), file=sys.stderr)
    return end_like(ending)


def _prepared(arguments: argparse.Namespace, command: list[str]) -> tuple[list[str], Path, Journal]:
    """The command that is run, the Run directory, and what its run.json says now."""
    from clearway.base.installed import RECORDER, find_program
    from clearway.base.pasted import pasted
    from clearway.base.visible import visible
    from clearway.job import as_a_rank, journal
    from clearway.job.can_start import check_can_start, check_runs_here
    from clearway.job.recorded_command import find_programs
    from clearway.job.run_directory import claim_run_directory
    from clearway.job.run_name import filled_in

    # What can be wrong with the command is found first: a mistyped one leaves no directory behind.
    flow = flow_options(arguments.flow, arguments.flow_algorithm, os.environ)
    io_cache = io_cache_options(arguments.io_cache, arguments.io_cache_files, os.environ)
    recorder = find_program(RECORDER)
    job = find_programs(command, os.environ)
    check_can_start(job, os.environ)
    check_runs_here(job)
    directory = claim_run_directory(arguments.output, job.program)
    entry = journal.begin(directory, command)
    wanted = filled_in(arguments.output, os.environ) if arguments.output else None
    if not arguments.quiet and wanted is not None and directory != Path.cwd() / wanted:
        say = f"clearway: {wanted} is not empty; the Run goes to {pasted(_from_here(directory))}"
        print(visible(say), file=sys.stderr)
    warning = as_a_rank.warning(os.environ, job.launched)
    if not arguments.quiet and warning is not None:
        print(warning, file=sys.stderr, flush=True)
    options = ["-o", str(directory), "--job", entry.job, "--sample-ms", str(arguments.sample_ms), *flow, *io_cache]
    if arguments.timeline is not None:
        options.append(f"--timeline={arguments.timeline}")
    return job.recorded([str(recorder), *options]), directory, entry


def _without_us(command: list[str], error: Exception) -> int:
    """What the user can mend is said to who is there, and the job is not begun. But a job that was submitted has waited
    for its hosts, and nobody is there: it must not fail for want of a folder, or for an option of its launcher that is
    newer than Clearway. Nor any job where a library of its environment, say, is none that Python can load.
    """
    from clearway.base.visible import visible
    from clearway.job.batch import in_batch_job
    from clearway.job.can_start import CannotStartError
    from clearway.job.foreground import end_like, run_in_foreground

    expected = isinstance(error, ClearwayError)
    if expected and (isinstance(error, CannotStartError) or not in_batch_job(os.environ)):
        raise error
    why, hint = (error.message, error.hint) if isinstance(error, ClearwayError) else (str(error), CANNOT_LOAD)
    print(visible(f"clearway: '{command[0]}' runs without Clearway: {why}"), file=sys.stderr)
    print(visible(f"hint: {hint}"), file=sys.stderr, flush=True)
    return end_like(run_in_foreground(command, os.environ))


def _looked_back(directory: Path, quiet: bool) -> str:
    """Keeps the simulation's speed, and returns the page's sentence."""
    with contextlib.suppress(Exception):
        from clearway.engines import keep_engine

        keep_engine(directory)
    few = sum(1 for _ in directory.glob("rank.*.cwr")) <= SENTENCE_LIMIT_RANKS
    return _sentence(directory) if few and not quiet else ""


def _closing_words(directory: Path, command: Sequence[str], exit_code: int, sentence: str) -> str:
    """The page's sentence, where the Run is, and how to see its page."""
    from clearway.base.pasted import pasted
    from clearway.base.visible import visible

    records = sum(1 for _ in directory.glob("rank.*.cwr"))
    if records == 0:
        why = why_nothing(directory, command, exit_code)
        return f"clearway: nothing was recorded in {visible(str(directory))}\nhint: {why}"
    pointer = f"clearway: see `clearway report {pasted(_from_here(directory))}`"
    return f"{sentence}{pointer}"


def why_nothing(directory: Path, command: Sequence[str] = (), exit_code: int = 0) -> str:
    from clearway.base.installed import RECORDER, find_program
    from clearway.base.visible import visible
    from clearway.job.container import container_runtime, how_to_bind

    if _free_bytes(directory) < RECORD_BYTES:
        return f"there is no space left for '{visible(str(directory))}': free some, or choose another directory: -o DIR"
    installed = find_program(RECORDER).resolve().parent
    if re.search(r"[\s:$]", str(installed)):  # as native/launcher/libraries.cpp looks at it
        return (
            f"Clearway is installed under '{installed}', a path that LD_PRELOAD cannot hold; install it in a path "
            "without spaces and colons"
        )
    runtime = container_runtime(command)
    if runtime is not None:
        options = how_to_bind(runtime, [installed.parent, directory.resolve()], Path.home())
        recorded = visible(f"{installed / RECORDER} -o {directory.resolve()}")
        return (
            f"'{runtime}' starts the program in a container, which may not see Clearway: add {visible(options)}; if "
            f"that is not enough, put `{recorded}` directly before the program. See `clearway docs troubleshooting`"
        )
    if exit_code in NOT_STARTED:
        return "the program could not be started, as the job's messages say: is its name right, and its module loaded?"
    if exit_code != 0:  # most often the launcher, or Slurm, refused something
        return (
            f"the command ended with exit code {exit_code}, and the job's messages above may say why. If the program "
            "did start: is it linked dynamically with an MPI? Does a wrapper clear the environment (env -i, unset "
            "LD_PRELOAD)? See `clearway docs troubleshooting`"
        )
    return (
        "did the program start? Is it linked dynamically with an MPI? Does a wrapper clear the environment (env -i, "
        f"unset LD_PRELOAD)?{_copies(command)} See `clearway docs troubleshooting`"
    )


def _copies(command: Sequence[str]) -> str:
    """What a launcher makes of a program that has no MPI in it, if it is one and started several."""
    from clearway.job.which_launcher import is_called_like_one

    if not command or not is_called_like_one(command[0]):
        return ""
    return (
        " A program that never calls MPI (a serial build, or ASE with a calculator that has no MPI) is started as "
        "often as ranks were asked for, and each copy does all of the work: start such a program once, without a "
        "launcher."
    )


def _free_bytes(directory: Path) -> float:
    try:
        told = os.statvfs(directory)
    except OSError:
        return math.inf
    return told.f_bavail * told.f_frsize


def _from_here(directory: Path) -> str:
    """Below / it is the whole path: whoever reads the job's output later stands elsewhere."""
    here = Path.cwd()
    below = here != Path("/") and directory.is_relative_to(here)
    return str(directory.relative_to(here) if below else directory)


def _sentence(directory: Path) -> str:
    """Where the time went, as a line of its own. Never raises: the job has ended, and its exit code is owed."""
    try:
        from clearway.base.visible import visible
        from clearway.diagnosis.facts import open_case
        from clearway.page.build import page_of
        from clearway.run import load

        return f"clearway: {visible(page_of(open_case(load(directory))).sentence)}\n"
    except Exception:
        return ""  # `clearway report` says why
