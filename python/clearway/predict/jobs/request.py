"""What job is to be predicted, and how clearway-simulate is asked for it."""

from __future__ import annotations

from dataclasses import dataclass
from pathlib import Path

from clearway.predict.collectives.request import network_options, stack_options
from clearway.predict.simulated_cluster import Modelled


@dataclass(frozen=True, slots=True)
class JobScript:
    """A Script in a file."""

    path: Path
    ranks: int
    steps: int
    """Time steps of the program that one pass through the Script's steps stands for, all together."""
    places: tuple[int, ...] = ()
    """Host of each rank; empty: hosts are filled in order."""


@dataclass(frozen=True, slots=True)
class JobRequest:
    name: str
    model: Modelled
    scripts: tuple[JobScript, ...]
    """Ranks ascending."""
    alltoalls: tuple[str, ...]
    allgather: str
    seed: int
    on_vectors: tuple[tuple[str, str], ...] = ()
    """Operations on a vector, and the algorithm of each; others go as the stack's MPI does them."""
    holds_core_wait: bool = False
    """Computing holds already what ranks waited for a core, as recorded computing does."""

    def hosts(self, script: JobScript) -> int:
        return max(script.places) + 1 if script.places else -(-script.ranks // self.model.per_host)

    def settings(self) -> tuple[str, ...]:
        """Of clearway-simulate, for all points."""
        return words(
            {
                "allgather": self.allgather,
                **dict(self.on_vectors),
                "hosts": self.model.hosts,
                "ranks-per-host": self.model.per_host,
                "seed": self.seed,
                **network_options(self.model.network),
                **stack_options(self.model.stack),
                **({"share-computing": 0} if self.holds_core_wait else {}),
            }
        )

    def arguments(self, script: JobScript, alltoall: str, run: Path | None) -> list[str]:
        """The command line of clearway-simulate for one point."""
        own: dict[str, object] = {"script": script.path, "alltoall": alltoall}
        if script.places:
            own["places"] = ",".join(map(str, script.places))
        if run is not None:
            own["run"] = run
        return [*words(own), *self.settings()]


def words(options: dict[str, object]) -> tuple[str, ...]:
    return tuple(word for name, value in options.items() for word in (f"--{name}", str(value)))
