"""What a rule may look at: the Run, its ledger, its tables, and what was lost to which cause."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, field
from functools import cached_property
from typing import Any

from clearway.diagnosis.facts.connections import Connection, connections
from clearway.diagnosis.facts.tables import Tables, tables_of
from clearway.job.typed import TYPED, typed_on_testbed
from clearway.ledger import Account, account
from clearway.ledger.cores import Cores, cores
from clearway.ledger.delays import Delays, delays
from clearway.ledger.losses import Losses, losses
from clearway.ledger.strip import Strip, strip
from clearway.run import Run


@dataclass(frozen=True)
class Case:
    """One Run under examination."""

    run: Run
    books: Account
    tables: Tables
    delays: Delays
    losses: Losses
    cores: Cores | None  # None where the record does not tell of threads
    others: Sequence[Case] = field(default=())  # the same job on other numbers of ranks
    slurm_state: str = ""  # what Slurm said of it when it was asked: "TIMEOUT"
    features: Mapping[str, frozenset[str]] = field(default_factory=dict)  # of its hosts, as Slurm said when asked
    kept: dict[Callable[..., Any], Any] = field(init=False, default_factory=dict, repr=False, compare=False)  # once.py

    @property
    def ranks(self) -> int:
        return len(self.run.processes)

    @property
    def at_once(self) -> float:
        """How many of them run at a time: programs without MPI often do so one after the other, a parent waiting."""
        if self.run.processes["world_size"].max() > 1 or self.wall_s <= 0 or self.books.starting.wait_s.any():
            return self.ranks
        return max(1.0, (self.tables.ledger.wall_s - self.tables.ledger.other_s) / self.wall_s)

    @property
    def wall_s(self) -> float:
        return self.tables.job.wall_s

    @cached_property
    def family(self) -> str:
        """Whose words the job's MPI understands: "openmpi", "mpich", "intel", or "" for another."""
        library = self.tables.job.mpi_library.lower()
        # By its beginning: further on stand paths, options and machines of those who built it.
        for word, family in (("open mpi", "openmpi"), ("intel", "intel")):
            if library.startswith(word):
                return family
        return "mpich" if "mpich" in library else ""

    @cached_property
    def command(self) -> tuple[str, ...]:
        """The job's command line with its launcher; empty where neither `clearway run` nor a testbed started it."""
        return self.run.launch.command if self.run.launch else typed_on_testbed(self.environment(TYPED) or "")

    @cached_property
    def strip(self) -> Strip | None:
        """The ledger over time, where the record tells."""
        return strip(self.run, self.books)

    @cached_property
    def connections(self) -> tuple[Connection, ...]:
        """Those between ranks that carried data, one for each direction."""
        return connections(self.tables)

    def environment(self, name: str) -> str | None:
        """A variable of rank 0's environment that decides about speed, where the record has it."""
        return self.fact(f"environment.{name}")

    def fact(self, name: str) -> str | None:
        """A fact about the first rank that has it."""
        return next(iter(self.run.fact(name).values()), None)


def open_case(run: Run, others: Sequence[Run] = (), slurm_state: str = "") -> Case:
    """`others`: Runs of the same job on other numbers of ranks. `slurm_state`: how Slurm says that it ended."""
    books = account(run)
    charged = delays(run, books)
    lost = losses(run, books, charged)
    given = cores(run, books)
    tables = tables_of(run, books, charged, given)
    return Case(run, books, tables, charged, lost, given, tuple(map(open_case, others)), slurm_state)
