"""A running testbed, on whose hosts programs can be run."""

from __future__ import annotations

import os
from collections.abc import Callable, Mapping, Sequence
from pathlib import Path
from types import TracebackType

from clearway.base.errors import ClearwayError
from clearway.base.installed import find_library
from clearway.testbed import privilege, registry
from clearway.testbed.build import build
from clearway.testbed.counters import Counters, read_counters
from clearway.testbed.job import run_job
from clearway.testbed.kernel import kill_processes_in
from clearway.testbed.layout import HEAD, Layout
from clearway.testbed.mpis import Job, Mpi
from clearway.testbed.outcome import Outcome
from clearway.testbed.registry import Entry
from clearway.testbed.scripts import write_scripts
from clearway.testbed.shape import Shape
from clearway.testbed.slurm import DAEMONS, as_user, bring_up_slurm, prepare, user_called

IDLE_LIBRARY = "libclearway-testbed-idle.so"  # makes polling ranks sleep while nothing happens
OURS = "CLEARWAY_"  # settings of this name reach the ranks without being asked for


class Testbed:
    """A cluster in a box: `with Testbed(shape) as testbed:` starts it, and removes it at the end. It runs one job at a
    time.
    """

    __test__ = False  # pytest: not a test, whatever its name

    def __init__(self, shape: Shape) -> None:
        self.shape = shape
        self._entry: Entry | None = None

    def __enter__(self) -> Testbed:
        self.up()
        return self

    def __exit__(
        self, kind: type[BaseException] | None, error: BaseException | None, trace: TracebackType | None
    ) -> None:
        self.down()

    @classmethod
    def existing(cls, name: str | None = None) -> Testbed:
        """A testbed that `clearway testbed up` started: the only one, or the one called `name`."""
        entry = registry.find(name)
        testbed = cls(entry.shape)
        testbed._entry = entry
        return testbed

    def up(self, stays: bool = False) -> None:
        """Start it. With `stays` it remains up when this process ends."""
        privilege.require()
        entry = registry.register(self.shape, owned=not stays)
        try:
            write_scripts(entry.layout, entry.directory)
            if self.shape.slurm:
                prepare(entry.layout, entry.directory, find_library(IDLE_LIBRARY))
            build(entry.layout)
            if self.shape.slurm:
                bring_up_slurm(entry.layout, entry.directory)
        except BaseException:
            registry.remove(entry)
            raise
        self._entry = entry

    def down(self) -> None:
        """End everything that runs on it, and remove it."""
        if self._entry is not None:
            registry.remove(self._entry)
            self._entry = None

    @property
    def _up(self) -> Entry:
        if self._entry is None:
            raise ClearwayError("this testbed is not up")
        return self._entry

    @property
    def name(self) -> str:
        return self._up.name

    @property
    def layout(self) -> Layout:
        return self._up.layout

    def on_host(self, host: str, command: Sequence[str | Path], user: str | None = None) -> list[str]:
        """Return the command line that runs `command` on `host` (node1, node2 …, head).

        `user`: run it in the home of this ordinary user of a testbed with Slurm; without it, as root.
        """
        known = [each.name for each in self.layout.everyone]
        if host not in known:
            raise ClearwayError(f"testbed {self.name} has no host '{host}'", f"one of: {', '.join(known)}")
        return [str(self._up.directory / "enter"), host, *self._as(user), *map(str, command)]

    def _as(self, user: str | None) -> list[str]:
        if user is None:
            return []
        if not self.shape.slurm:
            raise ClearwayError(
                f"testbed {self.name} has no users: it was started without Slurm", "clearway testbed up --slurm"
            )
        return as_user(user_called(user), self._up.directory)

    def command(
        self,
        mpi: Mpi,
        program: Sequence[str | Path],
        per_host: int | Sequence[int] | None = None,
        env: Mapping[str, str] | None = None,
        device: str | None = None,
    ) -> tuple[list[str], dict[str, str]]:
        """Return the launcher's command line and its complete environment, to start it yourself.

        `per_host`: ranks on each host, or a list with the ranks of each host; `env`: environment variables of the
        ranks; `device`: the card for MPI (eth0, or eth1 if there is a second card).
        """
        for_ranks = {name: value for name, value in os.environ.items() if name.startswith(OURS)}
        for_ranks.update(env or {})
        idle = str(find_library(IDLE_LIBRARY))
        others = for_ranks.get("LD_PRELOAD") or os.environ.get("LD_PRELOAD")
        for_ranks["LD_PRELOAD"] = f"{others}:{idle}" if others else idle
        control = self.layout.network.device
        words = [str(word) for word in program]
        job = Job(words, self._slots(per_host), device or control, control, self._remote_shell, for_ranks)
        environment = {**os.environ, **mpi.environment, **mpi.settings(mpi, job)}
        return self.on_host(HEAD, mpi.command(mpi, job)), environment

    def run(
        self,
        mpi: Mpi,
        program: Sequence[str | Path],
        *,
        per_host: int | Sequence[int] | None = None,
        env: Mapping[str, str] | None = None,
        device: str | None = None,
        timeout_s: float | None = None,
        passes_output: bool = False,
        reworded: Callable[[list[str], Mapping[str, str]], list[str]] = lambda words, _: words,
    ) -> Outcome:
        """Run `program` on the ranks of all hosts, until it ends or the time limit is reached.

        `reworded` may change the launcher's command line, given its words and its environment.
        """
        words, environment = self.command(mpi, program, per_host, env, device)
        enter = len(self.on_host(HEAD, []))
        command = [*words[:enter], *reworded(words[enter:], environment)]
        before = self.counters()
        ended = run_job(command, environment, timeout_s, passes_output, self.kill_all)
        counters = self.counters().since(before)
        return Outcome(ended.returncode, ended.timed_out, ended.stdout, ended.stderr, counters, ended.wall_s)

    def counters(self) -> Counters:
        """Return the counters since the testbed was started."""
        return read_counters(self.layout)

    @property
    def _remote_shell(self) -> Path:
        return self._up.directory / "remote-shell"

    def kill_all(self) -> None:
        """End everything that runs on its hosts, except Slurm's daemons."""
        namespaces = [self.layout.namespace(host.name) for host in self.layout.everyone]
        kill_processes_in(namespaces, DAEMONS if self.shape.slurm else ())

    def _slots(self, per_host: int | Sequence[int] | None) -> list[tuple[str, int]]:
        if per_host is None:
            per_host = self.shape.per_host
        counts = [per_host] * self.shape.hosts if isinstance(per_host, int) else list(per_host)
        if not 1 <= len(counts) <= self.shape.hosts or min(counts) < 0 or sum(counts) == 0:
            raise ClearwayError(
                f"cannot put {counts} ranks on {self.shape.hosts} hosts",
                "give at most one number for each host, none below 0",
            )
        used = [(host, count) for host, count in zip(self.layout.hosts, counts, strict=False) if count > 0]
        return [(self.layout.network.address(host), count) for host, count in used]
