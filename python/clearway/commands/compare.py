"""Compare ways to run a job (parameters, MPIs, numbers of ranks) in turns, until it is clear which is faster.

clearway compare --vary btl_tcp_sndbuf=16k,64k,512k -- mpirun -np 8 PROGRAM …   a parameter of Open MPI
clearway compare --vary OMP_NUM_THREADS=1,2 -- mpirun …      a variable of the environment (in capitals)
clearway compare --ranks 1,2,4,8 -- mpirun -np 1 PROGRAM     speedup, and where it ends
clearway compare --ranks 2,4 --figure 'rate: # steps/s' -- mpirun …   by a figure that the program prints
clearway compare --mpi openmpi,mpich -- mpirun -np 4 PROGRAM other MPIs, by name or by their launchers' paths
clearway compare --flow -- mpirun -np 8 PROGRAM              `clearway run --flow` beside the plain job
clearway compare --variants FILE.toml -- mpirun …            anything else (clearway docs compare)
clearway compare --flow --testbed "--hosts 8 --buffer 20k" -- PROGRAM   on a cluster in a box
clearway compare --submit='--nodes=4 --time=30' --flow -- srun PROGRAM   each round a task of a job array of Slurm
clearway compare --resume DIR                                continues after Ctrl-C, or what was submitted

The variants run in turns, round by round; the first is the unchanged job.
"""

from __future__ import annotations

import argparse
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from clearway.experiment import Comparison, Plan, Variant

DEFAULT_ROUNDS = 10


def configure(parser: argparse.ArgumentParser) -> None:
    from clearway.job.progress_options import add_progress
    from clearway.queue.options import add_submit

    parser.usage = (
        "clearway compare [--vary NAME=A,B] [--ranks N,N] [--mpi A,B] [--flow] [OPTIONS] [--] LAUNCHER … PROGRAM …"
    )
    what = parser.add_argument_group("what to compare (all combinations)")
    what.add_argument(
        "--vary",
        metavar="NAME=A,B",
        action="append",
        default=[],
        help="values of an Open MPI parameter, or of a VARIABLE",
    )
    what.add_argument("--ranks", metavar="N,N", help="numbers of ranks; the smallest is the baseline")
    what.add_argument(
        "--mpi", metavar="A,B", help="MPIs (openmpi, mpich …) or paths of launchers; the first is the baseline"
    )
    what.add_argument("--flow", action="store_true", help="the job under `clearway run --flow`")
    what.add_argument("--bare", action="store_true", help="the job with itself: how much its time varies by chance")
    what.add_argument("--variants", metavar="FILE", help="variants from a TOML file (clearway docs compare)")
    add_progress(parser.add_argument_group("by which figure (default: the engine's own, else the time)"))
    when = parser.add_argument_group("when to stop")
    when.add_argument("--rounds", type=int, metavar="N", help=f"at most this many rounds (default {DEFAULT_ROUNDS})")
    when.add_argument("--budget", metavar="TIME", help="time limit for all runs together: 30m, 2h (default: none)")
    when.add_argument(
        "--precision", metavar="SHARE", default="2%", help="stop when the ratio is known to ± this (default 2%%)"
    )
    when.add_argument("--no-warm-up", action="store_true", help="count the first round too")
    when.add_argument("--timeout", metavar="TIME", help="time limit for one run (default: 10 times the unchanged job)")
    when.add_argument("--seed", type=int, default=0, metavar="N", help="seed of the order within rounds (default 0)")
    where = parser.add_argument_group("where to run")
    where.add_argument(
        "--testbed", metavar="OPTIONS", default="", help="run on a cluster in a box: '--hosts 8 --buffer 20k'"
    )
    where.add_argument("--fresh", action="store_true", help="start each run in a fresh copy of the working directory")
    where.add_argument(
        "-o", "--output", metavar="DIR", help="directory for the Runs (default: clearway-compare-PROGRAM-TIME)"
    )
    where.add_argument("--resume", metavar="DIR", help="resume the comparison in DIR")
    add_submit(parser, "each round", "default 1: they might disturb each other")
    output = parser.add_argument_group("output")
    output.add_argument("--price", type=float, metavar="X", help="price of the machine, to show what each ns/day costs")
    output.add_argument(
        "--json", metavar="FILE", help="all figures ('-': standard output); schema: clearway docs json-schema"
    )
    output.add_argument("--plot", metavar="FILE", help="speedup against ranks, or ratios: .png, .svg or .pdf")
    output.add_argument("-q", "--quiet", action="store_true", help="show no progress")
    parser.add_argument("command", nargs=argparse.REMAINDER, metavar="COMMAND", help="the job, as you would type it")


def run(arguments: argparse.Namespace) -> int:
    if arguments.plot:
        from clearway.base.picture.figure import check_plot_name

        check_plot_name(arguments.plot)
    from clearway.experiment.session import show
    from clearway.queue.options import check_submit

    check_submit(arguments)
    comparison = resumed(arguments) if arguments.resume else begun(arguments)
    show(comparison, arguments.json, arguments.quiet)
    if arguments.plot:
        from clearway.experiment.plot import write_plot

        write_plot(comparison, arguments.plot)
    return exit_code(comparison)


def exit_code(comparison: Comparison) -> int:
    from clearway.base.interruption import INTERRUPTED
    from clearway.experiment import End, Verdict

    if comparison.end is End.INTERRUPTED:
        return INTERRUPTED
    return 1 if any(row.verdict is Verdict.FAILED for row in comparison.rows) else 0


def begun(arguments: argparse.Namespace) -> Comparison:
    """A new comparison. What can be wrong with a variant is found before anything is run or made."""
    from pathlib import Path

    from clearway.base.interruption import ended_by_signals, interrupt
    from clearway.experiment import Runner, checked
    from clearway.experiment.journal import write_plan
    from clearway.experiment.session import directory_for, lines_of, watched

    plan = checked(plan_of(arguments))
    if arguments.submit is not None:
        return submitted(plan, arguments)
    with ended_by_signals(interrupt), lines_of(plan) as line_of:
        runner = Runner(line_of, Path.cwd(), plan.fresh, plan.figure)
        for variant in plan.variants:
            runner.command(variant)
        directory = directory_for("compare", line_of(plan.baseline), arguments.output)
        write_plan(directory, plan)
        return watched(plan, runner, directory, arguments.quiet)


def submitted(plan: Plan, arguments: argparse.Namespace) -> Comparison:
    """A new one whose rounds are tasks of a job array."""
    from pathlib import Path

    from clearway.base.errors import ClearwayError
    from clearway.experiment import Runner, lines_here
    from clearway.experiment.session import directory_for
    from clearway.experiment.submitted import begin
    from clearway.queue import submit

    if plan.testbed:
        raise ClearwayError("--submit and --testbed exclude each other", "a testbed needs no queue: leave out --submit")
    submission = submit(arguments.submit, "compare", arguments.at_once or 1)
    line_of = lines_here(plan)
    for variant in plan.variants:
        Runner(line_of, Path.cwd(), plan.fresh, plan.figure).command(variant)
    directory = directory_for("compare", line_of(plan.baseline), arguments.output)
    return begin(plan, submission, directory, arguments.watch)


def resumed(arguments: argparse.Namespace) -> Comparison:
    """One that was interrupted, or was not clear: with more rounds or time, where they are given."""
    from dataclasses import replace
    from pathlib import Path

    from clearway.base.errors import ClearwayError
    from clearway.base.interruption import ended_by_signals, interrupt
    from clearway.base.pasted import pasted
    from clearway.base.units import parse_time_s
    from clearway.experiment import Runner, checked
    from clearway.experiment.journal import read_plan, write_plan
    from clearway.experiment.session import lines_of, watched
    from clearway.experiment.submitted import go_on
    from clearway.queue import is_submitted

    if arguments.command:
        raise ClearwayError(
            "--resume takes no command: the job is known from DIR",
            f"clearway compare --resume {pasted(arguments.resume)}",
        )
    if arguments.figure or arguments.time_figure:
        raise ClearwayError(
            "--figure cannot be changed by --resume: it was read at the end of each run",
            "start a new comparison with --figure, in another directory",
        )
    directory = Path(arguments.resume).absolute()
    plan, working_directory = read_plan(directory)
    plan = checked(
        replace(
            plan,
            rounds=arguments.rounds or plan.rounds,
            budget_s=parse_time_s(arguments.budget) if arguments.budget else plan.budget_s,
            price=arguments.price or plan.price,
            same_work=arguments.same_work or plan.same_work,
        )
    )
    write_plan(directory, plan, working_directory)
    if is_submitted(directory):
        return go_on(directory, arguments.watch)
    with ended_by_signals(interrupt), lines_of(plan) as line_of:
        return watched(plan, Runner(line_of, working_directory, plan.fresh, plan.figure), directory, arguments.quiet)


def plan_of(arguments: argparse.Namespace) -> Plan:
    from clearway.base.errors import ClearwayError
    from clearway.base.units import parse_share, parse_time_s
    from clearway.experiment import Plan
    from clearway.experiment.progress_options import figure_of

    command = arguments.command[1:] if arguments.command[:1] == ["--"] else arguments.command
    if not command:
        raise ClearwayError("no job to compare", "clearway compare --vary NAME=A,B -- mpirun -np 8 PROGRAM ARGUMENTS")
    return Plan(
        command=tuple(command),
        variants=variants(arguments),
        rounds=DEFAULT_ROUNDS if arguments.rounds is None else arguments.rounds,
        warm_up=not arguments.no_warm_up,
        precision=parse_share(arguments.precision),
        budget_s=parse_time_s(arguments.budget) if arguments.budget else None,
        timeout_s=parse_time_s(arguments.timeout) if arguments.timeout else None,
        fresh=arguments.fresh,
        seed=arguments.seed,
        testbed=arguments.testbed,
        price=arguments.price,
        figure=figure_of(arguments),
        same_work=arguments.same_work,
    )


def variants(arguments: argparse.Namespace) -> tuple[Variant, ...]:
    import os

    from clearway.base.errors import ClearwayError
    from clearway.experiment.variants_file import read_variants
    from clearway.experiment.vary import rank_numbers, settings_of, variants_of
    from clearway.job.change import Change
    from clearway.job.flow import FROM_TRIALS, flow_options

    axes = (arguments.vary, arguments.mpi, arguments.ranks, arguments.flow, arguments.bare)
    if arguments.variants:
        if any(axes):
            raise ClearwayError(
                "--variants and options that make variants exclude each other", "put all variants into the file"
            )
        return read_variants(arguments.variants)
    settings = settings_of(arguments.vary)
    if arguments.flow:
        settings.append(Change(recorder_options=tuple(flow_options(FROM_TRIALS, None, os.environ))))
    mpis = arguments.mpi.split(",") if arguments.mpi else []
    ranks = rank_numbers(arguments.ranks) if arguments.ranks else []
    return variants_of(settings, mpis, ranks, arguments.bare)
