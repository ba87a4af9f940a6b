"""Checking the hosts of a job: its launcher starts this same check on each of them."""

from __future__ import annotations

import os
import subprocess
import sys
from collections.abc import Mapping, Sequence
from pathlib import Path

from clearway.base.errors import ClearwayError
from clearway.cluster.hosts.lines import decode
from clearway.cluster.hosts.state import State
from clearway.job.which_launcher import identify

TIMEOUT_S = 300
# A process's number on its host, as launchers tell it: one a host is enough.
LOCAL_RANKS = ("OMPI_COMM_WORLD_LOCAL_RANK", "MPI_LOCALRANKID", "SLURM_LOCALID", "PALS_LOCAL_RANKID")


def probe() -> list[str]:
    """What the launcher is to start on each host."""
    return [sys.executable, "-m", "clearway", "host", "check", "--as-lines"]


def is_first_of_host(environment: Mapping[str, str]) -> bool:
    return all(environment.get(name, "0") == "0" for name in LOCAL_RANKS)


def states_under(command: Sequence[str], environment: Mapping[str, str], timeout_s: float = TIMEOUT_S) -> list[State]:
    """Runs `command`, a launcher's with the probe in it. Raises ClearwayError where no host answers."""
    try:
        job = subprocess.run(
            command,
            env=dict(environment),
            stdin=subprocess.DEVNULL,
            stdout=subprocess.PIPE,
            text=True,
            errors="replace",
            timeout=timeout_s,
            check=False,
        )
    except (OSError, subprocess.TimeoutExpired) as error:
        raise ClearwayError(f"cannot run '{' '.join(command[:3])} …': {error}") from None
    states = decode(job.stdout)
    if not states:
        raise ClearwayError(
            f"no host answered ('{' '.join(command[:3])} …' ended with {job.returncode})",
            "is Clearway installed at the same place on all hosts? What the launcher said is above",
        )
    return states


def launcher_for(host_file: Path, launcher: str) -> list[str]:
    """The command that starts one process on each host of `host_file`."""
    hosts = hosts_in(host_file)
    grammar = identify(launcher, os.environ)
    if grammar is None or grammar.name == "srun":
        raise ClearwayError(
            f"'{launcher}' reads no host file", "clearway host check -- srun --ntasks-per-node=1 -w node[1-4]"
        )
    number = str(len(hosts))
    if grammar.name.startswith("Open MPI"):
        return [launcher, "--hostfile", str(host_file), "-np", number, "--map-by", "ppr:1:node"]
    return [launcher, "-f", str(host_file), "-ppn", "1", "-n", number]


def hosts_in(host_file: Path) -> list[str]:
    """The names in a host file of any MPI: `node1`, `node1 slots=4`, `node1:4`, a line a process."""
    try:
        lines = host_file.read_text().splitlines()
    except OSError as error:
        raise ClearwayError(f"cannot read the host file '{host_file}': {error.strerror}") from None
    words = [line.partition("#")[0].split() for line in lines]
    names = list(dict.fromkeys(each[0].partition(":")[0] for each in words if each))
    if not names:
        raise ClearwayError(f"the host file '{host_file}' names no host", "a name a line")
    return names
