"""Check whether a host's settings suit parallel jobs; change them, and undo changes.

clearway host check                                   reads this machine; changes nothing, needs no root
clearway host check -- mpirun -np 4 --hostfile HOSTS  all hosts of a job, and what differs between them
clearway host settings                                what can be changed, and how safe that is
sudo clearway host apply tcp.rto_min=50ms             shows the exact change, asks, makes it, reads it back
sudo clearway host apply --undo                       undoes the last change
"""

from __future__ import annotations

import argparse
import os
import shlex
import sys
from pathlib import Path
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from collections.abc import Sequence

    from clearway.cluster.hosts.change.drop_ins import DropIn
    from clearway.cluster.hosts.reader import Reader
    from clearway.cluster.hosts.settings import Change
    from clearway.cluster.hosts.state import State

NEWEST = ""  # as --undo: the file that was written last


def configure(parser: argparse.ArgumentParser) -> None:
    actions = parser.add_subparsers(dest="action", metavar="ACTION", required=True)
    check = actions.add_parser("check", help="check this machine, or all hosts of a job, and list faults")
    check.add_argument("--json", metavar="FILE", help="everything that was read ('-': standard output)")
    check.add_argument("--all", action="store_true", help="show every fact, and where it was read")
    check.add_argument("--hosts", metavar="FILE", help="check the hosts of this host file")
    check.add_argument(
        "--launcher", metavar="PROGRAM", default="mpirun", help="the launcher that reads the host file (default mpirun)"
    )
    check.add_argument("--testbed", metavar="OPTIONS", help="check the hosts of a cluster in a box: '--hosts 4'")
    check.add_argument("command", nargs=argparse.REMAINDER, metavar="LAUNCHER", help="mpirun -np 4 --hostfile FILE …")
    actions.add_parser("settings", help="what `clearway host apply` can change")
    change = actions.add_parser("apply", help="change settings of this machine, or undo changes")
    change.add_argument("settings", nargs="*", metavar="ID[=VALUE]", help="settings, from `clearway host settings`")
    change.add_argument("--device", metavar="CARD", help="the network card to set (default: that of the host's name)")
    change.add_argument(
        "--persist", action="store_true", help="keep the change after a reboot: sysctl.d, and a systemd unit"
    )
    change.add_argument("--yes", action="store_true", help="do not ask for confirmation")
    change.add_argument("--dry-run", action="store_true", help="only show what would be done")
    change.add_argument("--undo", metavar="FILE", nargs="?", const=NEWEST, help="undo the last change, or that of FILE")


def run(arguments: argparse.Namespace) -> int:
    return {"check": check, "settings": list_settings, "apply": apply}[arguments.action](arguments)


def check(arguments: argparse.Namespace) -> int:
    from clearway.base.console import open_console, print_lines, sheet_for
    from clearway.base.json import write_json
    from clearway.cluster.hosts.check import check_of
    from clearway.cluster.hosts.terminal import lines_of

    found = check_of(states_of(arguments))
    if arguments.json != "-":
        console = open_console()
        print_lines(console, lines_of(found, sheet_for(console, arguments.all)))
    if arguments.json:
        write_json(found, arguments.json)
    return 0


def states_of(arguments: argparse.Namespace) -> Sequence[State]:
    from clearway.base.errors import ClearwayError
    from clearway.cluster.hosts.ask import launcher_for, probe, states_under
    from clearway.cluster.hosts.sources import read_state

    command: list[str] = arguments.command[1:] if arguments.command[:1] == ["--"] else arguments.command
    places = {"a launcher": command, "--hosts": arguments.hosts, "--testbed": arguments.testbed}
    given = [name for name, value in places.items() if value]
    if len(given) > 1:
        raise ClearwayError(
            f"{' and '.join(given)} exclude each other", "clearway host check -- mpirun -np 4 --hostfile FILE"
        )
    if arguments.testbed:
        return states_on_testbed(arguments.testbed)
    if arguments.hosts:
        command = launcher_for(Path(arguments.hosts), arguments.launcher)
    return states_under([*command, *probe()], os.environ) if command else (read_state(),)


def states_on_testbed(options: str) -> Sequence[State]:
    from clearway.base.interruption import ended_by_signals
    from clearway.bench.on_testbed import launch_line, stage_of
    from clearway.cluster.hosts.ask import probe, states_under

    with ended_by_signals(), launch_line(stage_of(options), probe()) as (command, environment):
        return states_under(command, environment)


def list_settings(_arguments: argparse.Namespace) -> int:
    from clearway.cluster.hosts.settings import all_settings

    for setting in all_settings():
        usual = f"; without VALUE: {setting.default}" if setting.default else ""
        print(f"{setting.id}=VALUE{'  (--device CARD)' if setting.of_device else ''}")
        print(f"  {setting.what}\n  VALUE: {setting.values}{usual}\n  safe? {setting.safe}")
    return 0


def apply(arguments: argparse.Namespace) -> int:
    from clearway.base.errors import ClearwayError
    from clearway.cluster.hosts.change.choice import plan_changes
    from clearway.cluster.hosts.change.drop_ins import drop_ins_for
    from clearway.cluster.hosts.change.plan_text import plan_lines
    from clearway.cluster.hosts.reader import Reader

    if arguments.undo is not None:
        return take_back(arguments)
    if not arguments.settings:
        raise ClearwayError(
            "nothing to change",
            "`clearway host settings` lists what can be changed, `clearway host check` what should be",
        )
    reader = Reader()
    changes = plan_changes(arguments.settings, arguments.device, reader)
    drop_ins = drop_ins_for(changes) if arguments.persist else ()
    for line in plan_lines(changes, drop_ins):
        print(line)
    needed = tuple(change for change in changes if change.needed)
    if arguments.dry_run or not (needed or drop_ins):
        return 0
    allow(arguments, "make these changes")
    return carry_out(needed, drop_ins, reader)


def allow(arguments: argparse.Namespace, what: str) -> None:
    """Raises ClearwayError unless root has been asked and has said yes."""
    from clearway.base.errors import ClearwayError

    if os.geteuid() != 0:
        raise ClearwayError(f"only root may {what}", _with_sudo(*sys.argv[1:]))
    if arguments.yes:
        return
    if not sys.stdin.isatty():
        raise ClearwayError(
            f"no terminal to confirm on: cannot ask whether to {what}", "read the changes above, then pass --yes"
        )
    if not says_yes(f"{what}? [y/N] "):
        raise ClearwayError("nothing was changed")


def says_yes(question: str) -> bool:
    try:
        return input(question).strip().lower() in ("y", "yes")
    except EOFError:  # Ctrl-D
        return False


def _with_sudo(*words: str) -> str:
    """By its path: sudo looks in the system's folders only, not in a venv or a module."""
    return shlex.join(["sudo", str(Path(sys.argv[0]).absolute()), *words])


def carry_out(changes: Sequence[Change], drop_ins: Sequence[DropIn], reader: Reader) -> int:
    from clearway.base.interruption import ended_by_signals
    from clearway.cluster.hosts.change.run import apply as apply_changes

    with ended_by_signals():
        path = apply_changes(changes, drop_ins, reader, print)
    print(f"undo: {_with_sudo('host', 'apply', '--undo', str(path))}")
    return 0


def take_back(arguments: argparse.Namespace) -> int:
    from clearway.base.errors import ClearwayError
    from clearway.cluster.hosts.change.record import choose, load
    from clearway.cluster.hosts.change.undo import undo, undo_lines
    from clearway.cluster.hosts.reader import Reader

    if arguments.settings or arguments.persist:
        raise ClearwayError("--undo and new settings exclude each other", "clearway host apply --undo")
    path = choose(arguments.undo)
    record = load(path)
    for line in undo_lines(record):
        print(line)
    if arguments.dry_run:
        return 0
    allow(arguments, "undo these changes")
    undo(path, record, Reader())
    print("everything is as it was before")
    return 0
