"""Brings Slurm up on a testbed whose hosts are there: a key, a controller, a daemon a host."""

from __future__ import annotations

import os
import secrets
import shutil
import subprocess
import time
from pathlib import Path

from clearway.base.errors import ClearwayError
from clearway.testbed.layout import HEAD, Layout
from clearway.testbed.slurm import configuration
from clearway.testbed.slurm.configuration import CONFIGURATION, FOLDER, Machine
from clearway.testbed.slurm.host_groups import can_be_made, make_host_groups
from clearway.testbed.slurm.people import make_homes

PROGRAMS = ("munged", "slurmctld", "slurmd", "sinfo")
DAEMONS = ("munged", "slurmctld", "slurmscriptd", "slurmd")  # as the kernel names their processes
PATIENCE_S = 60.0
ALL_MAY_PASS = 0o711  # ordinary users reach their homes and the socket by name, and list nothing


def require() -> None:
    for program in PROGRAMS:
        if shutil.which(program) is None:
            raise ClearwayError(
                f"a testbed with Slurm needs '{program}', which is not on the PATH", "apt-get install slurm-wlm munge"
            )


def prepare(layout: Layout, directory: Path, idle_library: Path) -> None:
    """Writes all that Slurm and its users need, before anything runs on a host."""
    require()
    groups = can_be_made()
    if groups:
        make_host_groups(layout)
    folder = directory / FOLDER
    for made in (directory.parent, directory, folder, folder / "munge", folder / "state"):
        made.mkdir(exist_ok=True)
        made.chmod(ALL_MAY_PASS)
    for host in layout.hosts:
        for path, mode in ((folder / host.name, 0o755), (folder / host.name / "tmp", 0o1777)):
            path.mkdir()
            path.chmod(mode)
    make_homes(directory)
    key = folder / "munge" / "key"
    key.touch(0o600)
    key.write_bytes(secrets.token_bytes(128))
    machine = _machine(groups)
    texts = {
        CONFIGURATION: configuration.slurm_conf(layout, directory, machine),
        "topology.conf": configuration.topology_conf(layout),
        "mpi.conf": configuration.MPI_CONF,
        "cgroup.conf": configuration.cgroup_conf(layout, machine) if groups else "",
        configuration.TASK_PROLOG: configuration.task_prolog(idle_library),
    }
    for name, text in texts.items():
        if text:
            (folder / name).write_text(text)
            (folder / name).chmod(0o755 if name == configuration.TASK_PROLOG else 0o644)


def _machine(groups: bool) -> Machine:
    memory = os.sysconf("SC_PHYS_PAGES") * os.sysconf("SC_PAGE_SIZE")
    return Machine(os.cpu_count() or 1, memory // 2**20, groups)


def bring_up_slurm(layout: Layout, directory: Path) -> None:
    """Starts the daemons and waits for the hosts to be idle. They end with the testbed's namespaces."""
    folder = directory / FOLDER
    munge = folder / "munge"
    files = [f"--{what}-file={munge / what}" for what in ("key", "log", "pid", "seed")]
    _start(directory, HEAD, ["munged", "--foreground", f"--socket={munge / 'socket'}", *files], "munged")
    _start(directory, HEAD, ["slurmctld", "-D"], "controller")
    for host in layout.hosts:
        _start(directory, host.name, ["slurmd", "-D"], host.name)
    _wait_for_hosts(layout, directory)


def _start(directory: Path, host: str, daemon: list[str], name: str) -> None:
    """It outlives this process and is no child of it: the testbed's end is its end."""
    with (directory / FOLDER / f"{name}.err").open("w") as log:
        subprocess.run(
            ["setsid", "--fork", directory / "enter", host, *daemon],
            stdin=subprocess.DEVNULL,
            stdout=log,
            stderr=log,
            check=True,
        )


def _wait_for_hosts(layout: Layout, directory: Path) -> None:
    asked = [str(directory / "enter"), HEAD, "sinfo", "--noheader", "--format=%D", "--states=idle"]
    end = time.monotonic() + PATIENCE_S
    while True:
        answer = subprocess.run(asked, capture_output=True, text=True, check=False)
        if answer.stdout.split() == [str(layout.shape.hosts)]:
            return
        if time.monotonic() > end:
            raise ClearwayError(
                f"Slurm still has fewer than {layout.shape.hosts} idle hosts after {PATIENCE_S:g} s: "
                f"{_last_words(directory)}",
                "try again when the machine is less busy",
            )
        time.sleep(0.1)


def _last_words(directory: Path) -> str:
    words = []
    for log in sorted((directory / FOLDER).glob("*.err")):
        lines = log.read_text(errors="replace").splitlines()
        words += [f"{log.stem}: {line}" for line in lines[-2:]]
    return "; ".join(words) or "its daemons logged nothing"
