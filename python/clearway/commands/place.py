"""Place ranks on hosts, network cards and cores, and write what the job's launcher reads.

clearway place --cluster my.toml --ranks 32 -- mpirun ./program   writes the files, prints the command that uses them
clearway place --ranks 8 -- srun ./program                        on the hosts that the batch system gave to this job
clearway place --cluster my.toml --ranks 32                       shows where the ranks would be, and why
clearway place --discover -- mpirun --hostfile hosts >my.toml     reads the hosts that a launcher reaches
"""

from __future__ import annotations

import argparse
import os
import shlex
from pathlib import Path
from typing import TYPE_CHECKING

from clearway.base.errors import ClearwayError

if TYPE_CHECKING:
    from collections.abc import Mapping

    from clearway.cluster.forms.write import Written
    from clearway.cluster.placement import Placement, Request

# As clearway.cluster.forms.registry has them.
FORM_NAMES = (
    *("openmpi4", "openmpi5", "mpich", "intel", "slurm"),
    *("hydra-hosts", "intel-group", "ch_p4", "charm", "platform"),
)
DIRECTORY = "clearway-place"


def configure(parser: argparse.ArgumentParser) -> None:
    where = parser.add_argument_group("hosts")
    where.add_argument("--cluster", metavar="FILE", type=Path, help="hosts, networks, switches (clearway docs place)")
    where.add_argument(
        "--hostfile", metavar="FILE", type=Path, help="use only these hosts; lines like tiger:2, or tiger slots=2"
    )
    where.add_argument(
        "--discover",
        action="store_true",
        help="print the cluster file of the hosts that LAUNCHER reaches, and place nothing",
    )
    what = parser.add_argument_group("what to place")
    what.add_argument(
        "--ranks", type=int, metavar="N", help="number of ranks (default: from the command, else as many as fit)"
    )
    what.add_argument("--per-host", type=int, metavar="N", help="ranks on each host")
    what.add_argument(
        "--threads", type=int, metavar="N", help="cores for each rank (default: as Slurm was asked with -c, else 1)"
    )
    how = parser.add_argument_group("how to place them")
    how.add_argument("--network", metavar="NAME", help="the network for messages (default: the fastest)")
    how.add_argument(
        "--max-per-sub-switch", type=int, metavar="N", help="use at most N hosts of each part of the switch"
    )
    spread = how.add_mutually_exclusive_group()
    spread.add_argument("--pack", action="store_true", help="fill as few hosts as possible (the default)")
    spread.add_argument("--spread", action="store_true", help="spread the ranks over all hosts")
    how.add_argument(
        "--order",
        choices=("block", "cyclic"),
        default="block",
        help="block: neighbouring ranks share a host (the default); cyclic: they do not",
    )
    how.add_argument("--hyper-threads", action="store_true", help="let two ranks share a core")
    output = parser.add_argument_group("output")
    output.add_argument(
        "--for", dest="form", choices=FORM_NAMES, help="write files for this launcher (default: the command's own)"
    )
    output.add_argument(
        "-o", "--output", metavar="DIR", default=DIRECTORY, help=f"directory for the files (default {DIRECTORY})"
    )
    output.add_argument("--json", metavar="FILE", help="write the placement ('-': standard output, and nothing else)")
    output.add_argument("-q", "--quiet", action="store_true", help="print only the command")
    parser.add_argument("command", nargs=argparse.REMAINDER, metavar="COMMAND", help="the job, as you would type it")


def run(arguments: argparse.Namespace) -> int:
    command: list[str] = arguments.command[1:] if arguments.command[:1] == ["--"] else arguments.command
    return print_cluster(arguments, command) if arguments.discover else place_ranks(arguments, command)


def print_cluster(arguments: argparse.Namespace, launcher: list[str]) -> int:
    from clearway.cluster.discover import discover
    from clearway.cluster.files.write import write_cluster

    if arguments.cluster or arguments.hostfile or arguments.form:
        raise ClearwayError(
            "--discover and --cluster, --hostfile or --for exclude each other", "clearway place --discover >my.toml"
        )
    print(write_cluster(discover(launcher, os.environ)), end="")
    return 0


def place_ranks(arguments: argparse.Namespace, command: list[str]) -> int:
    from clearway.cluster.find import find_cluster
    from clearway.cluster.forms.write import write_form
    from clearway.cluster.placement import place
    from clearway.cluster.placement.json import write_json
    from clearway.cluster.placement.reasons import sentences

    if arguments.cluster is not None:
        check_is_ones_own(arguments.cluster)
    form = form_of(arguments, command)
    environment = environment_of(form, command)
    request = request_of(arguments, form, command, environment)
    cluster = find_cluster(arguments.cluster, arguments.hostfile, environment)
    placement = place(cluster, request)
    quiet = arguments.quiet or arguments.json == "-"
    reasons = sentences(cluster, request, placement)
    if not quiet:
        print_placement(placement, reasons)
    if arguments.json:
        write_json(placement, arguments.json)
    if form is not None:
        written = write_form(form, placement, arguments.output, command, os.environ)
        if not quiet:
            print_notes(written, reasons)
        if arguments.json != "-":
            print(shlex.join(written.command))
    return 0


def check_is_ones_own(file: Path) -> None:
    """Other commands take a name of `clearway cluster list` as well. No job can run on its hosts."""
    from clearway.cluster.ready import ready_names

    if str(file) in ready_names() and not file.exists():
        raise ClearwayError(
            f"'{file}' is a cluster for predictions: its hosts are not yours",
            f"copy its file and put your hosts into it: clearway cluster show {file} >my.toml",
        )


def form_of(arguments: argparse.Namespace, command: list[str]) -> str | None:
    """The launcher that is meant; None where neither a command nor --for says one."""
    from clearway.cluster.forms.registry import form_for
    from clearway.job.command_line import read_command

    if arguments.form or not command:
        return arguments.form  # type: ignore[no-any-return]
    grammar = read_command(command, os.environ).grammar
    if grammar is None:
        raise ClearwayError(
            f"'{command[0]}' is not a launcher", "clearway place --ranks 4 -- mpirun PROGRAM, or --for FORM"
        )
    return form_for(grammar)


def environment_of(form: str | None, command: list[str]) -> Mapping[str, str]:
    """What the batch system says; of the group of nodes that srun means, where the job has several."""
    from clearway.cluster.batch import of_het_group
    from clearway.cluster.forms.command import said_of
    from clearway.cluster.forms.registry import FORMS

    group = said_of(FORMS[form], command, os.environ, "het-group") if form == "slurm" and command else None
    return os.environ if group is None else of_het_group(os.environ, group)


def cores_of_a_task(form: str | None, command: list[str], environment: Mapping[str, str]) -> int:
    """As srun is told, else as sbatch was."""
    from clearway.cluster.forms.command import number_of, said_of
    from clearway.cluster.forms.registry import FORMS

    if form != "slurm":
        return 1
    told = said_of(FORMS[form], command, environment, "cpus-per-task") if command else None
    return number_of(told or environment.get("SLURM_CPUS_PER_TASK")) or 1


def request_of(
    arguments: argparse.Namespace, form: str | None, command: list[str], environment: Mapping[str, str]
) -> Request:
    from clearway.cluster.forms.command import ranks_of
    from clearway.cluster.forms.registry import FORMS
    from clearway.cluster.placement import Request

    for option in ("ranks", "per_host", "threads", "max_per_sub_switch"):
        value = getattr(arguments, option)
        if value is not None and value < 1:
            raise ClearwayError(
                f"--{option.replace('_', '-')} must be at least 1, not {value}", f"--{option.replace('_', '-')} 8"
            )
    ranks = arguments.ranks
    if ranks is None and form is not None and command:
        ranks = ranks_of(FORMS[form], command, os.environ)
    return Request(
        ranks,
        per_host=arguments.per_host,
        threads=arguments.threads or cores_of_a_task(form, command, environment),
        network=arguments.network,
        most_per_sub_switch=arguments.max_per_sub_switch,
        spread=arguments.spread,
        order=arguments.order,
        hyper_threads=arguments.hyper_threads,
    )


def print_placement(placement: Placement, reasons: list[str]) -> None:
    from clearway.base.console import open_console, sheet_for
    from clearway.cluster.placement.table import host_table

    console = open_console()
    for line in host_table(placement, sheet_for(console)):
        console.print(line)
    print()
    for reason in reasons:
        print(f"  - {reason}")


def print_notes(written: Written, said: list[str]) -> None:
    for note in written.notes:
        if note not in said:
            print(f"  - {note}")
    if written.files:
        print(f"  - written: {', '.join(written.files)}")
    print()
