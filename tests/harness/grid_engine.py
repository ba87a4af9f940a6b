"""Grid Engine on the hosts of a testbed, where Debian's packages are: a master on the head and a daemon on each host.

Its cell lies in a folder of the test's, and nothing of the machine's own is touched. Its jobs are root's: a testbed
without Slurm has no other users.
"""

from __future__ import annotations

import os
import re
import subprocess
import time
from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import dataclass
from pathlib import Path

import pytest

from clearway.testbed import Shape, Testbed, privilege
from clearway.testbed.layout import HEAD

PROGRAMS, SHARE = Path("/usr/lib/gridengine"), Path("/usr/share/gridengine")
ARCHITECTURE, CELL = "lx-amd64", "default"
PORTS = {"SGE_QMASTER_PORT": "6444", "SGE_EXECD_PORT": "6445"}
PATIENCE_S = 60

BOOTSTRAP = """\
admin_user none
default_domain none
ignore_fqdn true
spooling_method classic
spooling_lib libspoolc
spooling_params {common};{spool}
binary_path {root}/bin
qmaster_spool_dir {spool}
security_mode none
listener_threads 2
worker_threads 2
scheduler_threads 1
"""
PARALLEL_ENVIRONMENT = """\
pe_name mpi
slots 999
user_lists NONE
xuser_lists NONE
start_proc_args NONE
stop_proc_args NONE
allocation_rule {slots_per_host}
control_slaves TRUE
job_is_first_task FALSE
urgency_slots min
accounting_summary FALSE
qsort_args NONE
"""
HOST = """\
hostname {name}
load_scaling NONE
complex_values NONE
user_lists NONE
xuser_lists NONE
projects NONE
xprojects NONE
usage_scaling NONE
report_variables NONE
"""


@dataclass(frozen=True)
class GridEngine:
    testbed: Testbed
    folder: Path  # its cell, and what its jobs write
    home: Path  # of the jobs

    def on(self, host: str, *words: str | Path, **settings: str) -> subprocess.CompletedProcess[str]:
        path = f"{PROGRAMS}:{os.environ['PATH']}"
        told = {"SGE_ROOT": str(self.folder), "SGE_CELL": CELL, **PORTS, "PATH": path, **settings}
        line = ["env", f"--chdir={self.home}", *(f"{name}={value}" for name, value in told.items()), *words]
        return subprocess.run(
            self.testbed.on_host(host, line),
            capture_output=True,
            text=True,
            timeout=PATIENCE_S,
            stdin=subprocess.DEVNULL,
        )

    def asks(self, *words: str | Path) -> str:
        """On the head; it must end well."""
        done = self.on(HEAD, *words)
        assert done.returncode == 0, f"{words}: {done}\n{self.logs()}"
        return done.stdout

    def submit(self, script: str, *options: str, patience_s: float = PATIENCE_S) -> tuple[str, str]:
        """A job to its end: its number, and how qstat described it while it was there."""
        (self.home / "job.sh").write_text(script)
        said = self.asks("qsub", "-terse", *options, "job.sh")
        number = said.split(".")[0].strip()
        described, end = "", time.monotonic() + patience_s
        while (done := self.on(HEAD, "qstat", "-j", number)).returncode == 0:
            described = done.stdout
            assert time.monotonic() < end, f"job {number} goes on and on\n{described}\n{self.logs()}"
            time.sleep(0.3)
        return number, described

    def logs(self) -> str:
        files = [*self.folder.glob("spool/messages"), *self.folder.glob("execd/*/messages"), *self.home.glob("*.txt")]
        return "\n".join(f"{file}: {file.read_text(errors='replace')[-2000:]}" for file in files)


@contextmanager
def grid_engine(shape: Shape, folder: Path, slots_per_host: int) -> Iterator[GridEngine]:
    """With a queue all.q, and a parallel environment mpi. The test is skipped where there can be none."""
    trouble = privilege.why_not()
    if trouble is not None:
        pytest.skip(trouble[0])
    if not (PROGRAMS / "sge_qmaster").exists() or not (PROGRAMS / "sge_execd").exists():
        pytest.skip("gridengine-master and gridengine-exec are not installed")
    with Testbed(shape) as testbed:
        made = GridEngine(testbed, folder / "cell", folder / "home")
        _make_cell(made)
        _start(made, HEAD, "sge_qmaster")
        _wait(made, "qconf", "-sh")
        _configure(made, slots_per_host)
        for host in testbed.layout.hosts:
            _start(made, host.name, "sge_execd")
        _wait_for_hosts(made)
        yield made


def _make_cell(made: GridEngine) -> None:
    common, spool = made.folder / CELL / "common", made.folder / "spool"
    for folder in (made.home, common, spool / "job_scripts", made.folder / "execd", made.folder / "bin"):
        folder.mkdir(parents=True)
    for name in ("bin", "utilbin", "lib"):
        (made.folder / name).mkdir(exist_ok=True)
        (made.folder / name / ARCHITECTURE).symlink_to(PROGRAMS)
    (made.folder / "util").symlink_to(SHARE / "util")
    (common / "act_qmaster").write_text(f"{HEAD}\n")
    (common / "bootstrap").write_text(BOOTSTRAP.format(common=common, spool=spool, root=made.folder))
    settings = (SHARE / "default-configuration").read_text()
    for name, value in (("execd_spool_dir", made.folder / "execd"), ("min_uid", 0), ("min_gid", 0)):
        settings = re.sub(rf"^{name} .*$", f"{name} {value}", settings, flags=re.MULTILINE)
    (common / "configuration").write_text(settings)


def _start(made: GridEngine, host: str, daemon: str) -> None:
    """It goes into the background by itself, and ends with the testbed."""
    done = made.on(host, PROGRAMS / daemon)
    assert done.returncode == 0, f"{daemon}: {done}\n{made.logs()}"


def _wait(made: GridEngine, *words: str) -> None:
    end = time.monotonic() + PATIENCE_S
    while made.on(HEAD, *words).returncode != 0:
        assert time.monotonic() < end, f"no answer from {words}\n{made.logs()}"
        time.sleep(0.3)


def _configure(made: GridEngine, slots_per_host: int) -> None:
    def from_file(option: str, name: str, text: str) -> None:
        (made.home / name).write_text(text)
        made.asks("qconf", option, name)

    for path in sorted((SHARE / "util/resources/usersets").iterdir()):
        made.asks("qconf", "-Au", path)
    names = [host.name for host in made.testbed.layout.hosts]
    made.on(HEAD, "qconf", "-Mc", _complexes(made))  # it says that it keeps one of its own that is not listed
    for name in names:
        made.asks("qconf", "-ah", name)
        made.asks("qconf", "-as", name)
        from_file("-Ae", f"{name}.host", HOST.format(name=name))
    made.asks("qconf", "-as", HEAD)
    from_file("-Ahgrp", "hosts", f"group_name @allhosts\nhostlist {' '.join(names)}\n")
    from_file("-Ap", "mpi", PARALLEL_ENVIRONMENT.format(slots_per_host=slots_per_host))
    queue = made.asks("qconf", "-sq")
    for name, value in (
        ("qname", "all.q"),
        ("hostlist", "@allhosts"),
        ("pe_list", "mpi"),
        ("slots", slots_per_host),
        ("shell", "/bin/bash"),
        ("load_thresholds", "NONE"),  # this machine is loaded anyway
    ):
        queue = re.sub(rf"^{name} .*$", f"{name} {value}", queue, flags=re.MULTILINE)
    from_file("-Aq", "queue", queue)


def _complexes(made: GridEngine) -> Path:
    """What jobs and queues may ask for: Debian's come one a file."""
    lines = []
    for path in sorted((SHARE / "util/resources/centry").iterdir()):
        told = dict(line.split(None, 1) for line in path.read_text().splitlines() if line[:1].isalpha())
        columns = ("name", "shortcut", "type", "relop", "requestable", "consumable", "default", "urgency")
        lines.append(" ".join(told[column].strip() for column in columns))
    file = made.home / "complexes"
    file.write_text("\n".join(lines) + "\n")
    return file


def _wait_for_hosts(made: GridEngine) -> None:
    end = time.monotonic() + PATIENCE_S
    while True:
        shown = made.asks("qstat", "-f")
        if all(
            re.search(rf"all\.q@{host.name}\s+BI?P\s+\S+\s+[0-9.]+\s+{ARCHITECTURE}\s*$", shown, re.MULTILINE)
            for host in made.testbed.layout.hosts
        ):
            return
        assert time.monotonic() < end, f"{shown}\n{made.logs()}"
        time.sleep(0.5)
