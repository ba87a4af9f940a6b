"""Run an MPI program on a cluster in a box: hosts, cards and a switch with small buffers, on this machine.

clearway testbed run --hosts 8 --rate 20mbit --buffer 20k -- PROGRAM…   starts it, runs PROGRAM, removes it
clearway testbed up --hosts 4                                           starts one that stays up
clearway testbed exec node2 -- ip address                               runs a command on one of its hosts
clearway testbed run --slurm --hosts 4 -- sbatch job.sh                 a batch job on one with Slurm, to its end
clearway testbed up --slurm --hosts 4                                   one with Slurm and ordinary users that stays up
clearway testbed exec --user user1 head -- sbatch job.sh                submits a job to it
clearway testbed status | down                                          lists them; removes them
"""

from __future__ import annotations

import argparse
import contextlib
import dataclasses
import os
import sys
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from clearway.testbed import Outcome, Shape
    from clearway.testbed.registry import Entry


TIMED_OUT = 124


def configure(parser: argparse.ArgumentParser) -> None:
    from clearway.testbed import MPI_NAMES
    from clearway.testbed.options import add_shape, add_slurm

    actions = parser.add_subparsers(dest="action", metavar="ACTION", required=True)
    run = actions.add_parser("run", help="start a testbed, run an MPI program on it, remove it")
    add_shape(run)
    run.add_argument(
        "--mpi", choices=MPI_NAMES, default="openmpi", help="the MPI that starts the ranks (default openmpi)"
    )
    run.add_argument(
        "--env",
        metavar="NAME=VALUE",
        action="append",
        default=[],
        help="environment variable of the ranks (may be repeated)",
    )
    run.add_argument(
        "--launcher-options",
        metavar="TEXT",
        action="append",
        default=[],
        help="more options of the MPI's launcher, in quotes: --launcher-options='--bind-to core' (may be given again)",
    )
    run.add_argument("--device", metavar="CARD", help="the network card for the MPI to use (default eth0)")
    run.add_argument("--timeout", metavar="S", type=float, help="end the run after S seconds, with exit code 124")
    run.add_argument("--counters", action="store_true", help="print TCP's and the switch's counters afterwards")
    run.add_argument("--counters-json", metavar="FILE", help="write the same as JSON")
    run.add_argument("--on", metavar="NAME", help="run on this testbed, which is up already, and leave it up")
    add_slurm(run)
    run.add_argument(
        "--user", metavar="NAME", help="with --slurm: submit as this user, in the user's home (user1, user2)"
    )
    run.add_argument(
        "command",
        nargs=argparse.REMAINDER,
        metavar="PROGRAM",
        help="the program that each rank runs, and its arguments; with --slurm the command: sbatch, srun …",
    )
    up = actions.add_parser("up", help="start a testbed that stays up, and print its name")
    add_shape(up)
    add_slurm(up)
    down = actions.add_parser("down", help="remove testbeds: the only one, or --name, or --all")
    down.add_argument("--all", action="store_true", help="remove all of them")
    actions.add_parser("status", help="list the testbeds of this machine")
    execute = actions.add_parser("exec", help="run a command on a host: node1, node2 …, head")
    execute.add_argument("--user", metavar="NAME", help="run as this user of a testbed with Slurm: user1, user2")
    execute.add_argument("host", metavar="HOST")
    execute.add_argument("command", nargs=argparse.REMAINDER, metavar="COMMAND")
    for each in (down, execute):
        each.add_argument("--name", help="the testbed, if there are several")


def run(arguments: argparse.Namespace) -> int:
    actions = {"run": run_program, "up": bring_up, "down": take_down, "status": print_status, "exec": execute}
    return actions[arguments.action](arguments)


def command_of(arguments: argparse.Namespace, example: str) -> list[str]:
    from clearway.base.errors import ClearwayError

    command: list[str] = arguments.command[1:] if arguments.command[:1] == ["--"] else arguments.command
    if not command:
        raise ClearwayError("no command to run", example)
    return command


def environment_of(assignments: list[str]) -> dict[str, str]:
    from clearway.base.errors import ClearwayError

    environment = {}
    for assignment in assignments:
        name, equals, value = assignment.partition("=")
        if not equals or not name:
            raise ClearwayError(f"--env {assignment} is not NAME=VALUE", "--env NAME=VALUE")
        environment[name] = value
    return environment


def as_typed() -> dict[str, str]:
    """For the ranks' records: a page is to show commands that can be typed. Not where there is no room for it."""
    import shlex

    from clearway.job.typed import TYPED
    from clearway.run.layout import LONGEST_FACT

    if sys.argv[1:3] != ["testbed", "run"]:
        return {}
    line = shlex.join(["clearway", *sys.argv[1:]])
    return {TYPED: line} if len(line.encode()) <= LONGEST_FACT else {}


def run_program(arguments: argparse.Namespace) -> int:
    from clearway.base.errors import ClearwayError
    from clearway.base.interruption import ended_by_signals
    from clearway.job.testbed_options import with_launcher_options
    from clearway.testbed import Testbed, find_mpi
    from clearway.testbed.options import shape_of

    check_slurm(arguments)
    if arguments.slurm:
        return run_under_slurm(arguments)
    program = command_of(arguments, "clearway testbed run --hosts 4 -- PROGRAM ARGUMENTS")
    if arguments.timeout is not None and not arguments.timeout > 0:
        raise ClearwayError(f"--timeout must be more than 0 seconds, not {arguments.timeout:g}", "--timeout 60")
    environment = {**as_typed(), **environment_of(arguments.env)}
    mpi = find_mpi(arguments.mpi)
    with ended_by_signals(), contextlib.ExitStack() as stack:
        own = None if arguments.on else stack.enter_context(Testbed(shape_of(arguments)))
        testbed = own or Testbed.existing(arguments.on)
        outcome = testbed.run(
            mpi,
            program,
            per_host=arguments.per_host,
            env=environment,
            device=arguments.device,
            timeout_s=arguments.timeout,
            passes_output=True,
            reworded=lambda words, its: with_launcher_options(words, arguments.launcher_options, its),
        )
    tell(outcome, arguments)
    return outcome.returncode


def check_slurm(arguments: argparse.Namespace) -> None:
    """Raises ClearwayError for what goes with --slurm alone, and for what does not go with it."""
    from clearway.base.errors import ClearwayError

    wrong = ("device", "launcher_options", "counters", "counters_json") if arguments.slurm else ("user", "host_cpus")
    for name in wrong:
        if getattr(arguments, name):
            option = f"--{name.replace('_', '-')}"
            hint = "without --slurm" if arguments.slurm else f"--slurm {option} …"
            raise ClearwayError(f"{option} does not go with{'' if arguments.slurm else 'out'} --slurm", hint)


def run_under_slurm(arguments: argparse.Namespace) -> int:
    """The command on the head, and then all jobs in the queue to their end."""
    import subprocess
    import time

    from clearway.base.interruption import ended_by_signals
    from clearway.testbed import Testbed
    from clearway.testbed.layout import HEAD
    from clearway.testbed.slurm import wait_for_all

    command = command_of(arguments, "clearway testbed run --slurm -- sbatch --wait job.sh")
    environment = {**os.environ, **environment_of(arguments.env)}
    until = time.monotonic() + arguments.timeout if arguments.timeout else None
    with ended_by_signals(), contextlib.ExitStack() as stack:
        own = None if arguments.on else stack.enter_context(Testbed(shape_with_slurm(arguments)))
        testbed = own or Testbed.existing(arguments.on)
        try:
            line = testbed.on_host(HEAD, command, arguments.user)
            code = subprocess.run(line, env=environment, timeout=arguments.timeout, check=False).returncode
            in_time = wait_for_all(testbed.on_host(HEAD, ["squeue", "--noheader"]), until)
        except subprocess.TimeoutExpired:
            in_time = False
    if not in_time:
        print(f"clearway: the run was ended after {arguments.timeout:g} s", file=sys.stderr)
        return TIMED_OUT
    return code


def shape_with_slurm(arguments: argparse.Namespace) -> Shape:
    from clearway.testbed.options import shape_of

    return dataclasses.replace(shape_of(arguments), slurm=arguments.slurm, host_cpus=arguments.host_cpus)


def tell(outcome: Outcome, arguments: argparse.Namespace) -> None:
    """To standard error: standard output is the program's."""
    if outcome.timed_out:
        print(f"clearway: the run was ended after {arguments.timeout:g} s", file=sys.stderr)
    counters = outcome.counters
    if arguments.counters:
        print(
            f"clearway: TCP sent {counters.segments} segments, {counters.retransmits} of them retransmits; "
            f"{counters.timeouts} timeouts; the switch dropped {counters.drops} packets",
            file=sys.stderr,
        )
    if arguments.counters_json:
        import json

        from clearway.base.output_file import whole_file

        with whole_file(arguments.counters_json) as stream:
            json.dump(dataclasses.asdict(counters), stream)
            stream.write("\n")


def bring_up(arguments: argparse.Namespace) -> int:
    from clearway.base.interruption import ended_by_signals
    from clearway.testbed import Testbed

    with ended_by_signals():
        testbed = Testbed(shape_with_slurm(arguments))
        testbed.up(stays=True)
    print(testbed.name)
    return 0


def take_down(arguments: argparse.Namespace) -> int:
    from clearway.testbed import privilege, registry

    privilege.require()
    left = {entry.name for entry in registry.entries() if entry.is_abandoned}
    registry.sweep()
    if arguments.name in left or (arguments.name is None and left and not _anyone_stays()):
        return 0  # that was it
    if arguments.all:
        for entry in registry.entries():
            if entry.owner_pid is None:
                registry.remove(entry)
    else:
        registry.remove(registry.find(arguments.name))
    return 0


def _anyone_stays() -> bool:
    from clearway.testbed import registry

    return any(entry.owner_pid is None for entry in registry.entries())


def print_status(_arguments: argparse.Namespace) -> int:
    from clearway.testbed import registry

    known = registry.entries()
    for entry in known:
        print(describe(entry))
    if not known:
        print("no testbed is up")
    return 0


def describe(entry: Entry) -> str:
    from clearway.base.units import format_buffer, format_rate

    shape = entry.shape
    owner = "up" if entry.owner_pid is None else f"of process {entry.owner_pid}"
    if entry.is_abandoned:
        owner = "left behind; the next testbed removes it"
    return (
        f"{entry.name}: {shape.hosts} hosts, {format_rate(shape.rate_bps)}, "
        f"port buffers {format_buffer(shape.buffer_bytes)}, {'Slurm, ' if shape.slurm else ''}{owner}"
    )


def execute(arguments: argparse.Namespace) -> int:
    from clearway.testbed import Testbed, privilege

    privilege.require()
    command = command_of(arguments, "clearway testbed exec node1 -- ip address")
    line = Testbed.existing(arguments.name).on_host(arguments.host, command, arguments.user)
    os.execv(line[0], line)
