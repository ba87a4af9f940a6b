"""Run an MPI program on a cluster in a box: hosts, cards and a switch with small buffers, all on this machine.

clearway testbed run --hosts 8 --rate 20mbit --buffer 20k -- PROGRAM…   brings it up, runs PROGRAM, takes it down
clearway testbed up --hosts 4                                           brings one up that stays
clearway testbed exec node2 -- ip address                               looks around on one of its hosts
clearway testbed status | down                                          what is up; takes it down
"""

from __future__ import annotations

import argparse
import contextlib
import dataclasses
import os
import signal
import sys
from collections.abc import Callable, Iterator
from typing import TYPE_CHECKING, NoReturn

if TYPE_CHECKING:
    from clearway.testbed import Outcome, Shape
    from clearway.testbed.registry import Entry

MPI_NAMES = ("openmpi", "mpich", "openmpi5", "mpich5", "impi")


def configure(parser: argparse.ArgumentParser) -> None:
    actions = parser.add_subparsers(dest="action", metavar="ACTION", required=True)
    run = actions.add_parser("run", help="bring a testbed up, run an MPI program on it, take it down")
    add_shape(run)
    run.add_argument("--mpi", choices=MPI_NAMES, default="openmpi", help="which MPI starts the ranks (default openmpi)")
    run.add_argument("--env", metavar="NAME=VALUE", action="append", default=[], help="set for the ranks")
    run.add_argument("--device", metavar="CARD", help="the card that MPI is told to use (default eth0)")
    run.add_argument("--timeout", metavar="S", type=float, help="end the run after S seconds, with exit code 124")
    run.add_argument("--counters", action="store_true", help="say afterwards what TCP and the switch counted")
    run.add_argument("--counters-json", metavar="FILE", help="write the same as JSON")
    run.add_argument("--on", metavar="NAME", help="run on this testbed that is up, and leave it up")
    run.add_argument("command", nargs=argparse.REMAINDER, metavar="PROGRAM", help="and its arguments, of each rank")
    up = actions.add_parser("up", help="bring a testbed up that stays, and print its name")
    add_shape(up)
    down = actions.add_parser("down", help="take testbeds down: the only one, or --name, or --all")
    down.add_argument("--all", action="store_true", help="all that were put up to stay")
    actions.add_parser("status", help="the testbeds of this machine")
    execute = actions.add_parser("exec", help="run a command on a host: node1, node2 …, head")
    execute.add_argument("host", metavar="HOST")
    execute.add_argument("command", nargs=argparse.REMAINDER, metavar="COMMAND")
    for each in (down, execute):
        each.add_argument("--name", help="which testbed, where there are several")


def add_shape(parser: argparse.ArgumentParser) -> None:
    """The options that shape a testbed. What they mean is said by clearway.testbed.shape."""
    parser.add_argument("--hosts", type=int, default=4, metavar="N", help="number of hosts (default 4)")
    parser.add_argument("--rate", default="20mbit", help="of every link, as 20mbit (the default) or 1gbit")
    parser.add_argument("--buffer", default="64k", help="of each switch port, as 64k (the default), or deep: no loss")
    parser.add_argument("--per-host", type=int, default=1, metavar="N", help="ranks on each host (default 1)")
    parser.add_argument("--congestion", default="cubic", help="TCP's congestion control: cubic (the default) or reno")
    parser.add_argument("--rto-min", type=int, metavar="MS", help="TCP's minimum timeout (the kernel's is 200)")
    parser.add_argument("--latency-us", type=int, default=0, metavar="N", help="from host to host (default 0)")
    parser.add_argument(
        "--switches", type=int, default=1, metavar="N", help="hosts in a row on N switches, with uplinks"
    )
    parser.add_argument("--uplink", metavar="RATE", help="of each switch's uplink (default: as --rate)")
    parser.add_argument("--spread", action="store_true", help="deal hosts out to the switches in turn instead")
    parser.add_argument("--second-card", metavar="RATE", help="each host has a second card, eth1, of this rate")
    parser.add_argument(
        "--fault",
        action="append",
        default=[],
        metavar="FAULT",
        help="node3:cpu=50%% (of a core), node3:rate=10mbit (its port), node3:loss=1%% (of packets to it); repeatable",
    )


def shape_of(arguments: argparse.Namespace) -> Shape:
    from clearway.base.units import parse_buffer, parse_rate_bps
    from clearway.testbed import Shape
    from clearway.testbed.fault import parse_fault

    return Shape(
        hosts=arguments.hosts,
        rate_bps=parse_rate_bps(arguments.rate),
        buffer_bytes=parse_buffer(arguments.buffer),
        per_host=arguments.per_host,
        congestion=arguments.congestion,
        rto_min_ms=arguments.rto_min,
        switches=arguments.switches,
        uplink_bps=None if arguments.uplink is None else parse_rate_bps(arguments.uplink),
        spread=arguments.spread,
        second_card_bps=None if arguments.second_card is None else parse_rate_bps(arguments.second_card),
        latency_us=arguments.latency_us,
        faults=tuple(parse_fault(text) for text in arguments.fault),
    )


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
            raise ClearwayError(f"--env {assignment} sets nothing", "--env NAME=VALUE")
        environment[name] = value
    return environment


def exit_as_told(signal_number: int) -> NoReturn:
    """With the code that a shell gives to a program that this signal ended."""
    sys.exit(128 + signal_number)


@contextlib.contextmanager
def ended_by_signals(end: Callable[[int], NoReturn] = exit_as_told) -> Iterator[None]:
    """Whatever ends a run, what was brought up is taken down; a second Ctrl-C does not keep it from that."""
    ends = (signal.SIGINT, signal.SIGTERM, signal.SIGHUP)

    def leave(number: int, _frame: object) -> NoReturn:
        for each in ends:
            signal.signal(each, signal.SIG_IGN)
        end(number)

    before = {number: signal.signal(number, leave) for number in ends}
    try:
        yield
    finally:
        for number, handler in before.items():
            signal.signal(number, handler)


def run_program(arguments: argparse.Namespace) -> int:
    from clearway.testbed import Testbed, find_mpi

    program = command_of(arguments, "clearway testbed run --hosts 4 -- PROGRAM ARGUMENTS")
    environment = environment_of(arguments.env)
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
        )
    tell(outcome, arguments)
    return outcome.returncode


def tell(outcome: Outcome, arguments: argparse.Namespace) -> None:
    """To standard error: standard output is the program's."""
    if outcome.timed_out:
        print(f"clearway: the run was ended after {arguments.timeout:g} s", file=sys.stderr)
    counters = outcome.counters
    if arguments.counters:
        print(
            f"clearway: TCP sent {counters.segments} segments, {counters.retransmits} of them again; "
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
    from clearway.testbed import Testbed

    with ended_by_signals():
        testbed = Testbed(shape_of(arguments))
        testbed.up(stays=True)
    print(testbed.name)
    return 0


def take_down(arguments: argparse.Namespace) -> int:
    from clearway.testbed import privilege, registry

    privilege.require()
    registry.sweep()
    if arguments.all:
        for entry in registry.entries():
            if entry.owner_pid is None:
                registry.remove(entry)
    else:
        registry.remove(registry.find(arguments.name))
    return 0


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
        f"port buffers {format_buffer(shape.buffer_bytes)}, {owner}"
    )


def execute(arguments: argparse.Namespace) -> int:
    from clearway.testbed import Testbed, privilege

    privilege.require()
    command = command_of(arguments, "clearway testbed exec node1 -- ip address")
    line = Testbed.existing(arguments.name).on_host(arguments.host, command)
    os.execv(line[0], line)
