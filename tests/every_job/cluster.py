"""A Slurm on a testbed, with Clearway's plugin as docs/every-job.md tells administrators to install it."""

from __future__ import annotations

import contextlib
import os
import shutil
import signal
import subprocess
import time
from collections.abc import Iterator, Sequence
from pathlib import Path

from harness.mpis import clearway_tool

from clearway.site.plugin import build_plugin
from clearway.testbed import Testbed
from clearway.testbed.layout import HEAD
from clearway.testbed.slurm import USERS

TIMEOUT_S = 60
USER = USERS[0]
READS_ALL = "+dac_read_search,+dac_override"  # the tests' Python may lie where only root may read


class Cluster:
    """Whose jobs are recorded. Runs of its user are in `folder`."""

    def __init__(self, testbed: Testbed) -> None:
        self.testbed = testbed
        self.configuration = Path(self.run("printenv", "SLURM_CONF", user=None).stdout.strip())
        self.home = Path(self.run("pwd").stdout.strip())
        self.folder = self.home / ".clearway" / "slurm"
        text = self.configuration.read_text()
        assert "MpiDefault=pmix" in text
        self.configuration.write_text(text.replace("MpiDefault=pmix", "MpiDefault=pmi2"))  # which MPICH needs
        self.plugin = build_plugin(self.configuration.parent / "plugin")
        self.install("")

    def install(self, options: str, plugin: Path | None = None) -> None:
        """The line of plugstack.conf, with other options."""
        line = f"optional {plugin or self.plugin} {options}\n"
        (self.configuration.parent / "plugstack.conf").write_text(line)

    def run(
        self, *command: str | Path, user: str | None = USER.name, **settings: str
    ) -> subprocess.CompletedProcess[str]:
        """On the head."""
        environment = {**os.environ, **settings} if settings else None
        return subprocess.run(
            self.testbed.on_host(HEAD, command, user),
            capture_output=True,
            text=True,
            timeout=TIMEOUT_S,
            stdin=subprocess.DEVNULL,
            env=environment,
        )

    def srun(self, *words: str | Path, **settings: str) -> subprocess.CompletedProcess[str]:
        return self.run("srun", *words, **settings)

    def clearway(self, *words: str) -> subprocess.CompletedProcess[str]:
        """As the user, who may read this installation."""
        who = [f"--reuid={USER.number}", f"--regid={USER.number}", "--clear-groups"]
        rights = [f"--inh-caps={READS_ALL}", f"--ambient-caps={READS_ALL}"]
        return self.run("setpriv", *who, *rights, clearway_tool("clearway"), *words, user=None)

    def spool(self, host: str, path: str = "/dev/shm/clearway") -> list[str]:
        """What is left of steps on a host. Seen by a job of root's, for a host's memory is its own."""
        shown = self.run("srun", "--clearway=off", "-w", host, "-n1", "-N1", "ls", "-A", path, user=None)
        return shown.stdout.split()

    def runs(self) -> list[str]:
        return sorted(path.name for path in self.folder.glob("*")) if self.folder.exists() else []

    def copy(self, program: Path, name: str | None = None) -> Path:
        """Of the user's own, for the folders of tests are their owner's alone."""
        copied = Path(shutil.copy(program, self.home / (name or program.name)))
        copied.chmod(0o755)
        return copied

    def script(self, text: str, *options: str) -> int:
        """The number of a batch job that has ended."""
        path = self.home / "job.sh"
        path.write_text(f"#!/bin/sh\n{text}")
        job = self.run("sbatch", "--parsable", *options, str(path)).stdout.split(";")[0].strip()
        shown = ["scontrol", "show", "job", job]
        try:
            wait_for(lambda: "JobState=COMPLETED" in self.run(*shown, user=None).stdout, f"end of job {job}")
        except AssertionError:
            self.take_out(job)  # the next test would find it at work
            raise
        return int(job)

    def starts_again(self, job: str) -> None:
        """A job that Slurm puts back into its queue, and lets wait there for two minutes: soon.

        Not at once: a node refuses a start that was granted in the second in which the last one was revoked."""
        shown = ["scontrol", "--oneliner", "show", "job", job]

        def waits() -> bool:
            told = self.run(*shown, user=None).stdout
            return "Restarts=1 " in told and "JobState=PENDING" in told

        wait_for(waits, f"job {job} in the queue again")
        time.sleep(2)
        self.run("scontrol", "update", f"JobId={job}", "StartTime=now", user=None)

    def take_out(self, job: str) -> None:
        """A job that does not end, with all of its parts, and its records."""
        self.run("scancel", job, user=None)
        wait_for(lambda: not self.run("squeue", "-h", "-j", job, user=None).stdout.strip(), f"end of job {job}")
        for path in self.folder.glob(f"{job}.*"):
            shutil.rmtree(path, ignore_errors=True)

    def output(self, job: int) -> str:
        return (self.home / f"slurm-{job}.out").read_text()

    @contextlib.contextmanager
    def own_settings(self) -> Iterator[None]:
        """What is changed in slurm.conf meanwhile does not reach the tests that come later."""
        before = self.configuration.read_text()
        try:
            yield
        finally:
            self.configuration.write_text(before)
            self.restart_controller([])

    def gives_verdicts(self, *words: str) -> None:
        """On each job that ends from now on; `words` are options of job-end."""
        script = self.configuration.parent / "job-end"
        command = " ".join([str(clearway_tool("clearway-slurm")), "job-end", *words])
        script.write_text(f"#!/bin/sh\nexport SLURM_CONF={self.configuration}\nexec {command}\n")
        script.chmod(0o755)
        self.restart_controller([f"EpilogSlurmctld={script}"])

    def restart_controller(self, lines: Sequence[str]) -> None:
        """Slurm reads some settings only when it starts."""
        with self.configuration.open("a") as file:
            file.writelines(f"{line}\n" for line in lines)
        pid = int((self.configuration.parent / "controller.pid").read_text())
        os.kill(pid, signal.SIGTERM)
        wait_for(lambda: not Path(f"/proc/{pid}").exists(), "the controller's end")
        line = self.testbed.on_host(HEAD, ["slurmctld", "-D"])
        nothing = subprocess.DEVNULL
        subprocess.run(["setsid", "--fork", *line], stdin=nothing, stdout=nothing, stderr=nothing, check=True)
        wait_for(lambda: self.run("scontrol", "ping", user=None).stdout.rstrip().endswith("is UP"), "the controller")
        wait_for(self._hosts_have_answered, "hosts")  # until then srun says that a node is not available

    def _hosts_have_answered(self) -> bool:
        states = self.run("sinfo", "-h", "-N", "-o", "%T", user=None).stdout.split()
        return bool(states) and all(state.isalpha() and state not in ("down", "unknown") for state in states)


def wait_for(happened, what: str, patience_s: float = 30.0) -> None:  # type: ignore[no-untyped-def]
    end = time.monotonic() + patience_s
    while not happened():
        assert time.monotonic() < end, f"no {what} after {patience_s:g} s"
        time.sleep(0.1)
