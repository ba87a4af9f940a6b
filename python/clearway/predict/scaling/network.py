"""The network's part on a described cluster: what the calls on so many ranks move there, simulated packet by packet.

For each call site a few calls are simulated, of the size and on the number of ranks that its laws tell, and count as
often as the law says. Messages go to the neighbours in the order of ranks: a Run of other ranks does not tell to whom.
"""

from __future__ import annotations

import tempfile
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, replace
from pathlib import Path

from clearway.base.errors import ClearwayError
from clearway.cluster import Cluster
from clearway.predict.cache import Cache
from clearway.predict.jobs.options import DEFAULT_ALLGATHER
from clearway.predict.jobs.replay_collectives import NEAREST, SAME
from clearway.predict.jobs.request import JobRequest, JobScript
from clearway.predict.models.script import FORMAT
from clearway.predict.pool import ask_all
from clearway.predict.scaling.measured import ALL, Site
from clearway.predict.simulated_cluster import Modelled, model_of

STEPS = 5  # calls of each site that are simulated
PAUSE_NS = 200_000  # between two of them: TCP has come to rest
ALLTOALL = "ordered"
NS_PER_S = 1e9
MESSAGES = ("MPI_Send", "MPI_Isend", "MPI_Sendrecv", "MPI_Ssend", "MPI_Issend", "MPI_Bsend", "MPI_Ibsend", "MPI_Rsend")


@dataclass(frozen=True, slots=True)
class Calls:
    """Of one site: how often a rank makes it, and the bytes of one."""

    site: Site
    number: float
    bytes: float


@dataclass(frozen=True, slots=True)
class Simulated:
    hosts: int
    seconds: float  # a rank, of all calls
    left_out: float  # share of the bytes of which there is no model
    collectives: str  # whose algorithms


def network_s(
    cluster: Cluster,
    calls: Sequence[Calls],
    ranks: int,
    collectives: str | None = None,
    cache: Cache | None = None,
    seed: int = 1,
) -> Simulated:
    """What a rank spends moving data, by these algorithms instead of the cluster's.

    Raises ClearwayError where the cluster has no room for the ranks.
    """
    model = room_for(cluster, ranks)
    if collectives:
        model = replace(model, stack=replace(model.stack, collectives=collectives))
    known = [(one, line_of(one, ranks)) for one in calls]
    with tempfile.TemporaryDirectory(prefix="clearway-scale-") as folder:
        asked = [(one, write_script(Path(folder), line, ranks)) for one, line in known if line and ranks > 1]
        request = JobRequest("scale", model, (), (ALLTOALL,), DEFAULT_ALLGATHER, seed)
        questions = [request.arguments(JobScript(path, ranks, STEPS), ALLTOALL, None) for _, path in asked]
        answers = ask_all(questions, cache, lambda *_: None)
    seconds = sum(
        one.number * sum(told["mpi_ns"]) / ranks / STEPS / NS_PER_S
        for (one, _), told in zip(asked, answers, strict=True)
    )
    moved = [(one.number * one.bytes, line) for one, line in known]
    whole = sum(amount for amount, _ in moved)
    left_out = sum(amount for amount, line in moved if not line)
    return Simulated(-(-ranks // model.per_host), seconds, left_out / whole if whole else 0.0, model.stack.collectives)


def room_for(cluster: Cluster, ranks: int) -> Modelled:
    """As many hosts as the ranks fill."""
    model = model_of(cluster, None, None, None)
    if ranks > model.hosts * model.per_host:
        raise ClearwayError(
            f"{ranks} ranks do not fit on the cluster's {model.hosts} hosts with {model.per_host} each",
            "give a cluster with more hosts, or fewer ranks after --to",
        )
    return model_of(cluster, -(-ranks // model.per_host), None, None)


def line_of(one: Calls, ranks: int) -> str:
    """An activity of a Script; "" for calls of which there is no model, as of those on some ranks only."""
    name, size = one.site.function.removesuffix("_c"), round(one.bytes)
    if name in MESSAGES:
        return f"sendrecv +1 {size} -1 {size}" if size else ""
    kind = SAME.get(name, NEAREST.get(name, ""))
    if not kind or one.site.on != ALL:
        return ""
    words: Mapping[str, str] = {
        "barrier": "",
        "bcast": f" 0 {size}",
        "reduce": f" 0 {size}",
        "alltoall": f" {size // ranks}",
        "alltoallv": f" {size // ranks}" * ranks,
        "allgatherv": f" {size}" * ranks,
    }
    return kind + words.get(kind, f" {size}")


def write_script(folder: Path, line: str, ranks: int) -> Path:
    path = folder / f"{len(list(folder.iterdir()))}.script"
    head = f"{FORMAT}\ntitle calls\nranks {ranks}\nsteps {STEPS}\nrank 0-{ranks - 1}\n"
    path.write_text(f"{head}compute {PAUSE_NS}\n{line}\n", encoding="utf-8")
    return path
