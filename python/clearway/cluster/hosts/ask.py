"""Asking the hosts of a job: its launcher starts `clearway.cluster.hosts.answer` on each of them."""

from __future__ import annotations

import os
import subprocess
import sys
from collections.abc import Mapping, Sequence
from pathlib import Path

from clearway.base.errors import ClearwayError
from clearway.base.installed import own_python
from clearway.cluster.files.machine_file import read_machine_file
from clearway.cluster.files.read import parse_cluster
from clearway.cluster.hosts.answer import CLUSTER, STATE
from clearway.cluster.hosts.output_lines import decode
from clearway.cluster.hosts.state import State, state_from
from clearway.cluster.model import Cluster
from clearway.job.which_launcher import identify

TIMEOUT_S = 300


def probe(what: str = STATE) -> list[str]:
    """What the launcher is to start on each host."""
    return [*own_python(), "-m", "clearway.cluster.hosts.answer", what]


def states_under(command: Sequence[str], environment: Mapping[str, str]) -> list[State]:
    """Runs `command`, a launcher's with the probe in it. Raises ClearwayError where no host answers."""
    job = _run(command, environment)
    sys.stderr.write(job.stderr)
    states = states_in(job.stdout)
    if not states:
        raise ClearwayError(
            f"no host answered ('{' '.join(command[:3])} …' ended with exit code {job.returncode})",
            "is Clearway installed in the same place on all hosts? See the launcher's messages above",
        )
    return states


def states_in(output: str) -> list[State]:
    """One a host: of several that a launcher started there, the first. Raises ClearwayError where one is damaged."""
    told = decode(output)
    if told.damaged:
        raise ClearwayError("the launcher mixed up the output of the hosts", "check again, with one process per host")
    states = [state_from(text) for text in told.texts]
    return [*{state.host: state for state in reversed(states)}.values()]


def clusters_under(launcher: Sequence[str], environment: Mapping[str, str]) -> list[Cluster]:
    """Each host as a cluster of one. Raises ClearwayError where the launcher fails, or no host answers."""
    job = _run([*launcher, *probe(CLUSTER)], environment)
    found = clusters_in(job.stdout)
    if job.returncode != 0 or not found:
        said = "\n".join((job.stderr or job.stdout).strip().splitlines()[-5:])
        raise ClearwayError(
            f"'{' '.join(launcher)}' ended with exit code {job.returncode} after {len(found)} hosts had answered"
            + (f": {said}" if said else ""),
            f"see whether it reaches the hosts: {' '.join(launcher)} hostname",
        )
    return found


def clusters_in(output: str) -> list[Cluster]:
    """What ranks told, those first that had most to tell; one that was cut short is left out."""
    return [parse_cluster(text, "the answer of a host") for text in sorted(decode(output).texts, key=len, reverse=True)]


def _run(command: Sequence[str], environment: Mapping[str, str]) -> subprocess.CompletedProcess[str]:
    try:
        return subprocess.run(
            command,
            env=dict(environment),
            stdin=subprocess.DEVNULL,
            capture_output=True,
            text=True,
            errors="replace",
            timeout=TIMEOUT_S,
            check=False,
        )
    except OSError as error:
        raise ClearwayError(
            f"cannot run '{command[0]}': {error.strerror}", "is it spelled right, and its module loaded?"
        ) from None
    except subprocess.TimeoutExpired:
        line = f"{' '.join(command[:3])} …"
        raise ClearwayError(
            f"'{line}' did not end within {TIMEOUT_S} s", "try the same launcher with `hostname`"
        ) from None


def launcher_for(host_file: Path, launcher: str) -> list[str]:
    """The command that starts one process on each host of `host_file`."""
    hosts = read_machine_file(host_file)
    grammar = identify(launcher, os.environ)
    if grammar is None or grammar.name == "srun":
        raise ClearwayError(
            f"cannot give a host file to '{launcher}'", "clearway host check -- srun --ntasks-per-node=1 -w node[1-4]"
        )
    number = str(len(hosts))
    if grammar.name.startswith("Open MPI"):
        return [launcher, "--hostfile", str(host_file), "-np", number, "--map-by", "ppr:1:node"]
    return [launcher, "-f", str(host_file), "-ppn", "1", "-n", number]
