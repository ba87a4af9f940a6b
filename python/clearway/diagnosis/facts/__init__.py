"""What a rule may look at: the Run, its ledger, its page, and what was lost to which cause."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, field
from functools import cached_property

from clearway.diagnosis.facts.connections import Connection, connections
from clearway.ledger import Account
from clearway.ledger.losses import Losses
from clearway.page.model import Page
from clearway.run import Run


@dataclass(frozen=True)
class Case:
    """One Run under examination. `page` has no findings yet."""

    run: Run
    books: Account
    page: Page
    losses: Losses
    others: Sequence[Case] = field(default=())  # the same job on other numbers of ranks

    @property
    def ranks(self) -> int:
        return len(self.run.processes)

    @property
    def at_once(self) -> float:
        """How many of them run at a time: programs without MPI often do so one after the other, a parent waiting."""
        if self.run.processes["world_size"].max() > 1 or self.wall_s <= 0:
            return self.ranks
        return max(1.0, (self.page.ledger.wall_s - self.page.ledger.other_s) / self.wall_s)

    @property
    def wall_s(self) -> float:
        return self.page.job.wall_s

    @cached_property
    def family(self) -> str:
        """Whose words the job's MPI understands: "openmpi", "mpich", "intel", or "" for another."""
        library = self.page.job.mpi_library.lower()
        # By its beginning: further on stand paths, options and machines of those who built it.
        for word, family in (("open mpi", "openmpi"), ("intel", "intel")):
            if library.startswith(word):
                return family
        return "mpich" if "mpich" in library else ""

    @cached_property
    def command(self) -> tuple[str, ...]:
        """The job's command line with its launcher; empty where `clearway run` did not start it."""
        return self.run.launch.command if self.run.launch else ()

    @cached_property
    def connections(self) -> tuple[Connection, ...]:
        """Those between ranks that carried data, one for each direction."""
        return connections(self.page)

    def environment(self, name: str) -> str | None:
        """A variable of rank 0's environment that decides about speed, where the record has it."""
        return self.fact(f"environment.{name}")

    def fact(self, name: str) -> str | None:
        """A fact about the first rank that has it."""
        return next(iter(self.run.fact(name).values()), None)
