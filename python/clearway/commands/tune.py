"""Find the fastest way to run a job without changing its physics, in short runs, and prove it.

clearway tune -- mpirun -np 8 gmx_mpi mdrun -s run.tpr   ranks × threads, the engine's options, the MPI's settings
clearway tune --budget 30m --write job.sh -- srun …      the answer as a job script
clearway tune --side-by-side -- mpirun -np 8 …            how many copies at once on this node give the most in total
clearway tune --dry-run -- mpirun …                      runs the job once, and says what would be tried, and what not
clearway tune --resume DIR                               continues after Ctrl-C, or with more --budget
clearway tune --files RUN SWEEP.json -o DIR              files that the MPI reads itself, for its collectives
clearway tune --site RUN … -o DIR -- mpirun …            the same, after measuring the collectives of these Runs

The job runs once, shortened, to see where its time goes. Settings that may help are then compared in short runs, each
in a copy of the working directory; those that are unlikely to help come last. At last the fastest and the unchanged job
run in turns, until it is clear whether it is faster.
"""

from __future__ import annotations

import argparse
import sys
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from pathlib import Path

    from clearway.experiment.variant_command import LineOf
    from clearway.tune import Task, Tuning


def configure(parser: argparse.ArgumentParser) -> None:
    from clearway.job.progress_options import add_progress

    parser.usage = (
        "clearway tune [--budget TIME] [--write FILE] [OPTIONS] [--] LAUNCHER … PROGRAM …\n"
        "       clearway tune --files RUN|SWEEP.json … -o DIR\n"
        "       clearway tune --site RUN … -o DIR -- LAUNCHER …"
    )
    when = parser.add_argument_group("when to stop")
    when.add_argument(
        "--budget",
        metavar="TIME",
        help="time limit for all runs together: 30m, 2h (default: none); the first run is always made",
    )
    when.add_argument("--within", metavar="SHARE", help="stop when no setting gains more than this (default 3%%)")
    when.add_argument(
        "--run-time", metavar="TIME", help="length of a short run, if the engine has an option for it (default 20s)"
    )
    when.add_argument("--steps", type=int, metavar="N", help="steps of a short run, instead of --run-time (GROMACS)")
    when.add_argument(
        "--timeout", metavar="TIME", help="time limit for one run (default: 3 times the unchanged job's, at least 30s)"
    )
    when.add_argument("--rounds", type=int, metavar="N", help="at most this many rounds of the proof (default 8)")
    when.add_argument("--seed", type=int, metavar="N", help="seed of the order within rounds (default 0)")
    add_progress(parser.add_argument_group("by which figure (default: the engine's own, else the time)"))
    where = parser.add_argument_group("where to run")
    where.add_argument(
        "--testbed", metavar="OPTIONS", default="", help="run on a cluster in a box: '--hosts 8 --buffer 20k'"
    )
    where.add_argument(
        "--fewer-cores", action="store_true", help="afterwards run the best variant on half the cores, a quarter …"
    )
    where.add_argument(
        "--side-by-side",
        action="store_true",
        help="run several copies of the job at once on this node: how many give the most in total?",
    )
    where.add_argument(
        "-o", "--output", metavar="DIR", help="directory for all output (default: clearway-tune-PROGRAM-TIME)"
    )
    where.add_argument("--resume", metavar="DIR", help="resume the race in DIR")
    files = parser.add_argument_group("write files that the MPI reads itself, instead of a race")
    files.add_argument(
        "--files",
        metavar="FROM",
        nargs="+",
        help="make them from Runs and from the JSON of `clearway bench`, in -o DIR",
    )
    files.add_argument(
        "--site",
        metavar="RUN",
        nargs="+",
        help="measure the collectives of these Runs with each algorithm of their MPI, and write the files into -o DIR",
    )
    files.add_argument("--mpi-library", metavar="PATH", help="MPICH's libmpi.so, if it is not found automatically")
    learned = parser.add_argument_group("results of earlier races, from which this one starts")
    learned.add_argument("--learned", action="store_true", help="show them")
    learned.add_argument("--forget", metavar="N", help="forget number N, or 'all'")
    learned.add_argument("--no-learned", action="store_true", help="neither use nor keep results")
    output = parser.add_argument_group("output")
    output.add_argument("--dry-run", action="store_true", help="run the job once, and print what would be tried")
    output.add_argument("--write", metavar="FILE", help="write the fastest way as a job script")
    output.add_argument("--plot", metavar="FILE", help="speed against cores and cost: .png, .svg or .pdf")
    output.add_argument("--html", metavar="FILE", help="write the result as one page, with the picture")
    output.add_argument(
        "--json", metavar="FILE", help="all figures ('-': standard output); schema: clearway docs json-schema"
    )
    output.add_argument("-q", "--quiet", action="store_true", help="show no progress")
    parser.add_argument("command", nargs=argparse.REMAINDER, metavar="COMMAND", help="the job, as you would type it")


def run(arguments: argparse.Namespace) -> int:
    from pathlib import Path

    from clearway.base.interruption import ended_by_signals, interrupt
    from clearway.base.picture.figure import check_plot_name, require_matplotlib
    from clearway.experiment.session import lines_of
    from clearway.tune import read_task, write_task
    from clearway.tune.script import check_script
    from clearway.tune.task import checked

    if arguments.learned or arguments.forget:
        return show_learned(arguments)
    if arguments.site:
        return tune_site(arguments)
    if arguments.files:
        return write_tuning_files(arguments)
    if arguments.write:
        check_script(arguments.write)
    if arguments.plot:
        check_plot_name(arguments.plot)
    if arguments.html:
        require_matplotlib()
    resumed = Path(arguments.resume).absolute() if arguments.resume else None
    task = checked(again(read_task(resumed), arguments) if resumed else task_of(arguments))
    with ended_by_signals(interrupt), lines_of(task.plan()) as line_of:
        directory = resumed or new_directory(task, line_of, arguments.output)
        write_task(directory, task)
        if arguments.dry_run:
            return show_plan(task, directory, line_of, arguments)
        return raced(task, directory, line_of, arguments)


def show_learned(arguments: argparse.Namespace) -> int:
    from clearway.base.console import open_console, print_lines, sheet_for
    from clearway.tune.learned import file_of_user, forget, read_lessons
    from clearway.tune.terminal import lesson_lines

    file = file_of_user()
    if arguments.forget:
        forget(file, arguments.forget)
    console = open_console()
    print_lines(console, lesson_lines(read_lessons(file), str(file), sheet_for(console)))
    return 0


def write_tuning_files(arguments: argparse.Namespace) -> int:
    """Of what was measured before: no job is run."""
    from rich.text import Text

    from clearway.base.console import open_console, print_lines, sheet_for
    from clearway.base.errors import ClearwayError
    from clearway.base.sheet import paragraph
    from clearway.base.visible import visible
    from clearway.tune.files import summary, write_files

    raced = ("budget", "within", "run_time", "steps", "timeout", "rounds", "seed", "figure", "time_figure", "same_work",
             "testbed", "fewer_cores", "side_by_side", "resume", "dry_run", "write", "plot", "html", "json",
             "no_learned")  # fmt: skip
    said = next((name for name in raced if getattr(arguments, name)), None)
    if said is not None or arguments.command:
        what = "a command" if said is None else f"'--{said.replace('_', '-')}'"
        raise ClearwayError(
            f"--files and {what} exclude each other: --files runs no job", "clearway tune --files RUN -o DIR"
        )
    if not arguments.output:
        raise ClearwayError("no directory for the files: jobs will refer to it, so it has no default", "-o DIR")
    settled, written = write_files(arguments.files, arguments.output, arguments.mpi_library)
    console = open_console()
    width = sheet_for(console).width
    print_lines(console, [line for said in summary(settled, written) for line in paragraph(Text(visible(said)), width)])
    if not arguments.quiet:
        print(f"clearway: see {arguments.output}/README.md", file=sys.stderr)
    return 0


def tune_site(arguments: argparse.Namespace) -> int:
    """What a site's codes call is measured here, and the files are made of that."""
    from rich.text import Text

    from clearway.base.console import open_console, print_lines, sheet_for
    from clearway.base.errors import ClearwayError
    from clearway.base.sheet import paragraph
    from clearway.base.units import parse_time_s
    from clearway.base.visible import visible
    from clearway.tune.files import summary
    from clearway.tune.files.site import FILES, Sweep, Where, run_bench
    from clearway.tune.files.site import tune_site as tuned
    from clearway.tune.task import words_of

    launcher = words_of(arguments.command)
    of_a_race = ("within", "run_time", "steps", "timeout", "seed", "figure", "time_figure", "same_work", "fewer_cores",
                 "side_by_side", "resume", "dry_run", "write", "plot", "html", "json", "no_learned", "files",
                 "mpi_library")  # fmt: skip
    said = next((name for name in of_a_race if getattr(arguments, name)), None)
    if said is not None:
        raise ClearwayError(
            f"--site and '--{said.replace('_', '-')}' exclude each other",
            "clearway tune --site RUN -o DIR [--rounds N] [--budget TIME] -- mpirun -np 8",
        )
    if not arguments.output:
        raise ClearwayError("no directory for the files: jobs will refer to it, so it has no default", "-o DIR")
    if bool(launcher) == bool(arguments.testbed):
        raise ClearwayError(
            "give either a launcher or a testbed to measure on", "-- mpirun -np 8, or --testbed '--hosts 8'"
        )

    def watch(number: int, of: int, sweep: Sweep) -> None:
        if not arguments.quiet:
            what = f"sweep {number} of {of}: MPI_{sweep.operation.capitalize()} on {sweep.ranks} ranks, {sweep.way}"
            print(f"clearway: {what}", file=sys.stderr, flush=True)

    where = Where(launcher, arguments.testbed)
    budget_s = parse_time_s(arguments.budget) if arguments.budget else None
    rounds = 3 if arguments.rounds is None else arguments.rounds
    settled, written = tuned(arguments.site, arguments.output, where, rounds, budget_s, watch, run_bench)
    console = open_console()
    width = sheet_for(console).width
    print_lines(console, [line for said in summary(settled, written) for line in paragraph(Text(visible(said)), width)])
    if not arguments.quiet:
        print(f"clearway: see {arguments.output}/{FILES}/README.md", file=sys.stderr)
    return 0


def task_of(arguments: argparse.Namespace) -> Task:
    from pathlib import Path

    from clearway.base.errors import ClearwayError
    from clearway.base.units import parse_share, parse_time_s
    from clearway.experiment.progress_options import figure_of
    from clearway.tune.task import Task, words_of

    command = words_of(arguments.command)
    if not command:
        raise ClearwayError("no job to tune", "clearway tune -- mpirun -np 8 PROGRAM ARGUMENTS")
    usual = Task((), "")
    return Task(
        command=command,
        working_directory=str(Path.cwd()),
        within=parse_share(arguments.within) if arguments.within else usual.within,
        run_s=parse_time_s(arguments.run_time) if arguments.run_time else usual.run_s,
        steps=arguments.steps,
        budget_s=parse_time_s(arguments.budget) if arguments.budget else None,
        timeout_s=parse_time_s(arguments.timeout) if arguments.timeout else None,
        rounds=usual.rounds if arguments.rounds is None else arguments.rounds,
        seed=arguments.seed or usual.seed,
        testbed=arguments.testbed,
        figure=figure_of(arguments),
        same_work=arguments.same_work,
        side_by_side=arguments.side_by_side,
        fewer_cores=arguments.fewer_cores,
        learned=not arguments.no_learned,
    )


def again(task: Task, arguments: argparse.Namespace) -> Task:
    """What may be said anew: for how long. All else would make it another race. Raises ClearwayError."""
    from dataclasses import replace

    from clearway.base.errors import ClearwayError
    from clearway.base.pasted import pasted
    from clearway.base.units import parse_time_s

    fixed = (
        "command",
        "within",
        "run_time",
        "steps",
        "seed",
        "testbed",
        "figure",
        "time_figure",
        "same_work",
        "output",
        "no_learned",
        "side_by_side",
        "fewer_cores",
    )
    said = next((name for name in fixed if getattr(arguments, name)), None)
    if said is not None:
        raise ClearwayError(
            f"--resume cannot change '{said.replace('_', '-')}': the race in DIR was started with another value",
            f"clearway tune --resume {pasted(arguments.resume)} --budget 1h",
        )
    return replace(
        task,
        budget_s=parse_time_s(arguments.budget) if arguments.budget else task.budget_s,
        timeout_s=parse_time_s(arguments.timeout) if arguments.timeout else task.timeout_s,
        rounds=task.rounds if arguments.rounds is None else arguments.rounds,
    )


def new_directory(task: Task, line_of: LineOf, wanted: str | None) -> Path:
    from clearway.experiment.session import directory_for

    return directory_for("tune", line_of(task.plan().baseline), wanted)


def show_plan(task: Task, directory: Path, line_of: LineOf, arguments: argparse.Namespace) -> int:
    from clearway.base.console import open_console, print_lines, sheet_for
    from clearway.tune import dry
    from clearway.tune.progress import Lines
    from clearway.tune.terminal import would_try

    shapes, settings = dry(task, directory, line_of, None if arguments.quiet else Lines())
    console = open_console()
    print_lines(console, would_try(shapes, settings, sheet_for(console)))
    return 0


def raced(task: Task, directory: Path, line_of: LineOf, arguments: argparse.Namespace) -> int:
    from clearway.base.interruption import INTERRUPTED
    from clearway.experiment import End
    from clearway.experiment.journal import read_samples
    from clearway.tune import tune
    from clearway.tune.progress import Lines
    from clearway.tune.script import write_script

    try:
        lines = None if arguments.quiet else Lines(already=len(read_samples(directory)))
        tuning = tune(task, directory, line_of, lines)
    except KeyboardInterrupt:
        print("clearway: interrupted in the first run: nothing is known of the job yet", file=sys.stderr)
        raise
    show(tuning, arguments)
    if arguments.write:
        write_script(tuning, arguments.write)
    if tuning.end is End.INTERRUPTED:
        return INTERRUPTED
    return 1 if tuning.end is End.BASELINE_FAILED else 0


def show(tuning: Tuning, arguments: argparse.Namespace) -> None:
    from clearway.base.console import open_console, print_lines, sheet_for
    from clearway.base.json import write_json
    from clearway.tune.terminal import answer_lines

    if arguments.json != "-":
        console = open_console()
        print_lines(console, answer_lines(tuning, sheet_for(console)))
    if arguments.json:
        write_json(tuning, arguments.json)
    if arguments.plot:
        from clearway.tune.plot import write_plot

        write_plot(tuning, arguments.plot)
    if arguments.html:
        from clearway.tune.html import write_html

        write_html(tuning, arguments.html)
    if not arguments.quiet:
        print(f"clearway: everything was written to {tuning.directory}", file=sys.stderr)
