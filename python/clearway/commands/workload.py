"""Show or run workloads: models of what real programs compute and send, over real MPI without the programs.

clearway workload list                                                 the programs and systems
clearway workload show gromacs33 --system aqp1 --ranks 8               messages, sizes and computing of a step
clearway workload run gromacs33 --system aqp1 -- mpirun -np 8          do this over real MPI, and check each message
clearway workload run gromacs33 -o DIR -- mpirun -np 8                 the same, recorded: see clearway report DIR
clearway workload run gromacs33 --testbed "--hosts 8" --compare        on a cluster in a box, beside its prediction
clearway workload show namd --ranks 64 --script FILE                   for mpirun -np 64 clearway-workload FILE
"""

from __future__ import annotations

import argparse
import sys
from typing import TYPE_CHECKING

from clearway.predict.jobs.options import DEFAULT_ALLTOALLS

if TYPE_CHECKING:
    from clearway.bench.on_testbed import Stage
    from clearway.predict.models import Script
    from clearway.testbed import Outcome

DEFAULT_RANKS = 8
DEFAULT_STEPS = 10


def configure(parser: argparse.ArgumentParser) -> None:
    from clearway.predict.models import program_names

    actions = parser.add_subparsers(dest="action", metavar="ACTION", required=True)
    actions.add_parser("list", help="list the programs, and the systems that each is modelled with")
    show = actions.add_parser("show", help="show what the ranks of a workload do in each step")
    run_real = actions.add_parser("run", help="run a workload over real MPI")
    for action, add_options in ((show, add_show), (run_real, add_run)):
        names = action.add_subparsers(dest="name", metavar="NAME", required=True)
        for name in program_names():
            add_options(names.add_parser(name))


def add_model(parser: argparse.ArgumentParser) -> None:
    parser.add_argument("--system", metavar="NAME", help="what is simulated (default: the program's first)")
    parser.add_argument(
        "--cpu", type=float, default=1.0, metavar="F", help="cores that are F times as fast as the model's"
    )
    parser.add_argument(
        "--steps", type=int, default=DEFAULT_STEPS, metavar="N", help=f"time steps (default {DEFAULT_STEPS})"
    )


def add_show(parser: argparse.ArgumentParser) -> None:
    add_model(parser)
    parser.add_argument("--ranks", type=int, default=DEFAULT_RANKS, metavar="N", help=f"default {DEFAULT_RANKS}")
    parser.add_argument(
        "--script", metavar="FILE", help="write what each rank does, for clearway-workload ('-': standard output)"
    )
    parser.add_argument("--all", action="store_true", help="do not cut the list of calls")


def add_run(parser: argparse.ArgumentParser) -> None:
    add_model(parser)
    parser.add_argument(
        "--ranks", type=int, metavar="N", help="number of ranks, if the launcher's command line does not give it"
    )
    parser.add_argument("--scale", type=float, default=1.0, metavar="F", help="computing takes F times as long")
    parser.add_argument("-o", "--output", metavar="DIR", help="record the job in this Run directory")
    parser.add_argument(
        "--mpi-library", metavar="PATH", help="the launcher's libmpi.so, if it is not found automatically"
    )
    parser.add_argument(
        "--testbed", metavar="OPTIONS", help="run on a cluster in a box: '--hosts 8 --rate 20mbit --buffer 20k'"
    )
    parser.add_argument("--compare", action="store_true", help="with --testbed: show the prediction as well")
    parser.add_argument(
        "--alltoall", metavar="LIST", help=f"algorithms for the prediction (default {DEFAULT_ALLTOALLS})"
    )
    parser.add_argument("launcher", nargs=argparse.REMAINDER, metavar="LAUNCHER", help="mpirun -np 8, srun -n 16 …")


def run(arguments: argparse.Namespace) -> int:
    if arguments.action == "list":
        return print_list()
    return show(arguments) if arguments.action == "show" else run_for_real(arguments)


def print_list() -> int:
    from clearway.base.console import open_console, print_lines, sheet_for
    from clearway.predict.models import program_names
    from clearway.predict.models.terminal import list_table

    console = open_console()
    print_lines(console, list_table(program_names(), sheet_for(console)))
    return 0


def show(arguments: argparse.Namespace) -> int:
    from clearway.predict.models import make_script

    script = make_script(arguments.name, arguments.system, arguments.ranks, arguments.cpu, arguments.steps)
    if arguments.script:
        write(script, arguments.script)
        return 0
    from clearway.base.console import open_console, print_lines, sheet_for
    from clearway.predict.models.catalogue import find_system
    from clearway.predict.models.terminal import page

    console = open_console()
    _, system = find_system(arguments.name, arguments.system)
    print_lines(console, page(script, arguments.name, system, sheet_for(console, arguments.all)))
    return 0


def write(script: Script, file: str) -> None:
    from clearway.base.output_file import STDOUT, whole_file
    from clearway.base.pasted import pasted
    from clearway.base.visible import visible

    with whole_file(file) as stream:
        stream.write(script.text())
    if file != STDOUT:
        steps = "1 step" if script.steps == 1 else f"{script.steps:,} steps"
        print(f"{script.title}, {steps}: written to {visible(file)}")
        print(f"run it with: mpirun -np {script.ranks} clearway-workload {pasted(file)}")


def run_for_real(arguments: argparse.Namespace) -> int:
    import os

    from clearway.base.errors import ClearwayError
    from clearway.job.foreground import end_like, run_in_foreground
    from clearway.predict.models import make_script
    from clearway.predict.models.on_real_mpi import command_for, ranks_of, script_file

    launcher: list[str] = arguments.launcher[1:] if arguments.launcher[:1] == ["--"] else arguments.launcher
    if not 0 <= arguments.scale <= 1e6:
        raise ClearwayError(f"--scale must be from 0 to 1e6, not {arguments.scale:g}", "--scale 0.1")
    if arguments.testbed:
        return run_on_testbed(arguments, launcher)
    if arguments.compare or arguments.alltoall:
        raise ClearwayError("--compare and --alltoall need --testbed", '--testbed "--hosts 8" --compare')
    ranks = ranks_of(launcher, os.environ) if arguments.ranks is None else arguments.ranks
    script = make_script(arguments.name, arguments.system, ranks, arguments.cpu, arguments.steps)
    with script_file(script) as path:
        command = command_for(launcher, path, arguments.scale, arguments.mpi_library, os.environ)
        if arguments.output:
            return record(command, arguments.output)
        ending = run_in_foreground(command, os.environ)
    return end_like(ending)


def run_on_testbed(arguments: argparse.Namespace, launcher: list[str]) -> int:
    from clearway.base.errors import ClearwayError
    from clearway.bench.on_testbed import stage_of
    from clearway.bench.sizes import parse_algorithms
    from clearway.predict.models import make_script

    if launcher or arguments.ranks is not None:
        raise ClearwayError(
            "--testbed and a launcher exclude each other: the testbed starts the ranks",
            'leave out the launcher: --testbed "--hosts 8"',
        )
    stage = stage_of(arguments.testbed, "clearway workload run")
    ranks = stage.shape.hosts * stage.shape.per_host
    # Computing is scaled in the Script, so that the prediction is made of the same one.
    cpu = arguments.cpu / max(arguments.scale, 1e-9)
    script = make_script(arguments.name, arguments.system, ranks, cpu, arguments.steps)
    alltoalls = parse_algorithms(arguments.alltoall or DEFAULT_ALLTOALLS)
    return run_beside(script, stage, alltoalls, arguments)


def run_beside(script: Script, stage: Stage, alltoalls: list[str], arguments: argparse.Namespace) -> int:
    from clearway.base.installed import RECORDER, find_program
    from clearway.base.interruption import ended_by_signals
    from clearway.predict.models.on_real_mpi import PROGRAM, script_file
    from clearway.testbed import Testbed

    recorder = [str(find_program(RECORDER)), "-o", arguments.output, "--"] if arguments.output else []
    library = ["--mpi-library", arguments.mpi_library] if arguments.mpi_library else []
    with script_file(script) as path, ended_by_signals(), Testbed(stage.shape) as testbed:
        program = [*recorder, str(find_program(PROGRAM)), str(path), *library]
        outcome = testbed.run(stage.mpi, program, passes_output=not arguments.compare)
    if not arguments.compare:
        return outcome.returncode
    sys.stdout.write(outcome.stdout)
    sys.stderr.write(outcome.stderr)
    if outcome.returncode == 0:
        compare(script, stage, alltoalls, outcome)
    return outcome.returncode


def compare(script: Script, stage: Stage, alltoalls: list[str], outcome: Outcome) -> None:
    from clearway.base.console import open_console, print_lines, sheet_for
    from clearway.predict.jobs.against_testbed import lines_of, measured, predicted

    real = measured(outcome.stdout, outcome.counters.timeouts, outcome.counters.drops)
    console = open_console()
    print_lines(console, lines_of(real, predicted(script, stage.shape, alltoalls), sheet_for(console)))


def record(command: list[str], directory: str) -> int:
    from clearway.commands import dispatch

    return dispatch(["run", "-o", directory, "--", *command])
