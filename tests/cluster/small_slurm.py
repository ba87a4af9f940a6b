"""Slurm on the hosts of a testbed: its controller on the head, a daemon on each host, nobody to be kept out."""

from __future__ import annotations

import os
import subprocess
import time
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path

from clearway.testbed import Testbed
from clearway.testbed.layout import HEAD

PATIENCE_S = 30

_CONFIGURATION = """\
ClusterName=small
SlurmctldHost=head
SlurmUser=root
AuthType=auth/none
CredType=cred/none
MpiDefault=none
ProctrackType=proctrack/linuxproc
TaskPlugin=task/affinity
SelectType=select/cons_tres
SelectTypeParameters=CR_CPU
SlurmdSpoolDir={directory}/%h
SlurmdPidFile={directory}/%h.pid
SlurmctldPidFile={directory}/controller.pid
StateSaveLocation={directory}
NodeName={hosts} CPUs={cpus} State=UNKNOWN
PartitionName=all Nodes=ALL Default=YES
"""


@contextmanager
def slurm_on(testbed: Testbed, directory: Path) -> Iterator[dict[str, str]]:
    """The environment in which srun and its like find that Slurm."""
    hosts = [host.name for host in testbed.layout.hosts]
    cpus = os.cpu_count()
    configuration = directory / "slurm.conf"
    configuration.write_text(_CONFIGURATION.format(directory=directory, hosts=",".join(hosts), cpus=cpus))
    environment = {**os.environ, "SLURM_CONF": str(configuration)}
    daemons = []
    try:
        for host, daemon in ((HEAD, "slurmctld"), *((host, "slurmd") for host in hosts)):
            (directory / host).mkdir(exist_ok=True)
            log = (directory / f"{host}.log").open("w")
            command = testbed.on_host(host, [daemon, "-D"])
            daemons.append(subprocess.Popen(command, env=environment, stdout=log, stderr=log))
        _wait_for_hosts(testbed, environment, len(hosts))
        yield environment
    finally:
        for daemon in daemons:
            daemon.terminate()
        for daemon in daemons:
            daemon.wait(PATIENCE_S)


def _wait_for_hosts(testbed: Testbed, environment: dict[str, str], hosts: int) -> None:
    command = testbed.on_host(HEAD, ["sinfo", "--noheader", "--format", "%D", "--states", "idle"])
    end = time.monotonic() + PATIENCE_S
    while time.monotonic() < end:
        answer = subprocess.run(command, env=environment, capture_output=True, text=True)
        if answer.stdout.strip() == str(hosts):
            return
        time.sleep(0.2)
    raise TimeoutError(f"Slurm has no {hosts} idle hosts after {PATIENCE_S} s: {answer}")
