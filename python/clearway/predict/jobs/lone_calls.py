"""Calls of one kind by themselves: how long they take a rank, simulated packet by packet."""

from __future__ import annotations

import tempfile
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path

from clearway.predict.cache import Cache
from clearway.predict.jobs.options import DEFAULT_ALLGATHER
from clearway.predict.jobs.replay_collectives import NEAREST, SAME
from clearway.predict.jobs.request import JobRequest, JobScript
from clearway.predict.models.script import FORMAT
from clearway.predict.pool import Answer, ask_all
from clearway.predict.simulated_cluster import Modelled

STEPS = 5  # calls that are simulated
PAUSE_NS = 200_000  # between two of them: TCP has come to rest
NS_PER_S = 1e9
ON_VECTORS = ("bcast", "reduce", "allreduce")


@dataclass(frozen=True, slots=True)
class LoneCall:
    """What ranks do together, and the algorithms for it, if it has a choice of them."""

    activities: tuple[str, ...]
    """Of a Script, one after another."""
    algorithms: tuple[tuple[str, str], ...] = ()
    """By operation; of an alltoall "ordered" and of an allgather "ring", where nothing is said."""
    groups: tuple[tuple[int, ...], ...] = ()
    """Ranks that do it among themselves, each group beside the others; empty: all ranks."""
    until_last: bool = False
    """What counts is when the last rank is done, and all wait for that before the next call: of an operation from or to
    one rank others are done early. Else what the ranks spend in the call, mean over all."""

    def chosen(self, operation: str, default: str) -> str:
        return dict(self.algorithms).get(operation, default)

    @property
    def on_vectors(self) -> tuple[tuple[str, str], ...]:
        return tuple((operation, name) for operation, name in self.algorithms if operation in ON_VECTORS)


def activity_of(function: str, nbytes: int, ranks: int) -> str:
    """A collective call of all ranks, of so many bytes a rank, in a Script's words; "" where there are none."""
    return activity(SAME.get(function, NEAREST.get(function, "")), nbytes, ranks)


def activity(kind: str, nbytes: int, ranks: int) -> str:
    words: Mapping[str, str] = {
        "": "",
        "barrier": "",
        "bcast": f" 0 {nbytes}",
        "reduce": f" 0 {nbytes}",
        "alltoall": f" {nbytes // ranks}",
        "alltoallv": f" {nbytes // ranks}" * ranks,
        "allgatherv": f" {nbytes}" * ranks,
    }
    return kind + words.get(kind, f" {nbytes}")


def seconds_of_calls(
    calls: Sequence[LoneCall],
    ranks: int,
    model: Modelled,
    cache: Cache | None = None,
    seed: int = 1,
    places: tuple[int, ...] = (),
    steps: int = STEPS,
) -> list[float]:
    """Of each, what one call takes. `places`: the host of each rank; empty: filled in order.

    Raises ClearwayError where one cannot be simulated.
    """
    with tempfile.TemporaryDirectory(prefix="clearway-calls-") as folder:
        questions = []
        for number, call in enumerate(calls):
            path = Path(folder) / f"{number}.script"
            path.write_text(_script(call, ranks, steps), encoding="utf-8")
            alltoall, allgather = call.chosen("alltoall", "ordered"), call.chosen("allgather", DEFAULT_ALLGATHER)
            request = JobRequest("calls", model, (), (alltoall,), allgather, seed, call.on_vectors)
            questions.append(request.arguments(JobScript(path, ranks, steps, places), alltoall, None))
        answers = ask_all(questions, cache, lambda *_: None)
    return [_taken_ns(call, told, ranks) / steps / NS_PER_S for call, told in zip(calls, answers, strict=True)]


def _taken_ns(call: LoneCall, told: Answer, ranks: int) -> float:
    if call.until_last:
        return float(told["spans_ns"]) / max(len(call.groups), 1)
    return sum(told["mpi_ns"]) / (sum(map(len, call.groups)) or ranks)


def _script(call: LoneCall, ranks: int, steps: int) -> str:
    lines = [FORMAT, "title calls", f"ranks {ranks}", f"steps {steps}"]
    lines += [f"comm c{number} {_list(group, ' ')}" for number, group in enumerate(call.groups)]
    activities = [*(["barrier"] if call.until_last else []), *call.activities]
    for number, group in enumerate(call.groups or (tuple(range(ranks)),)):
        on = f" comm c{number}" if call.groups else ""
        lines += [f"rank {_list(group, ',')}", f"compute {PAUSE_NS}", *(f"{one}{on}" for one in activities)]
    return "\n".join(lines) + "\n"


def _list(group: Sequence[int], between: str) -> str:
    return between.join(map(str, sorted(group)))
