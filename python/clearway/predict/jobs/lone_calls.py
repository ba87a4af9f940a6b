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
from clearway.predict.pool import ask_all
from clearway.predict.simulated_cluster import Modelled

STEPS = 5  # calls that are simulated
PAUSE_NS = 200_000  # between two of them: TCP has come to rest
NS_PER_S = 1e9


@dataclass(frozen=True, slots=True)
class LoneCall:
    """What all ranks do, and the algorithm for it, if it has a choice of them."""

    activity: str  # of a Script
    alltoall: str = "ordered"
    allgather: str = DEFAULT_ALLGATHER


def activity_of(function: str, nbytes: int, ranks: int) -> str:
    """A collective call of all ranks, of so many bytes a rank, in a Script's words; "" where there are none."""
    kind = SAME.get(function, NEAREST.get(function, ""))
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
    """Of each, what one call takes, mean over the ranks. `places`: the host of each rank; empty: filled in order.

    Raises ClearwayError where one cannot be simulated.
    """
    with tempfile.TemporaryDirectory(prefix="clearway-calls-") as folder:
        questions = []
        for number, call in enumerate(calls):
            path = Path(folder) / f"{number}.script"
            path.write_text(_script(call.activity, ranks, steps), encoding="utf-8")
            request = JobRequest("calls", model, (), (call.alltoall,), call.allgather, seed)
            questions.append(request.arguments(JobScript(path, ranks, steps, places), call.alltoall, None))
        answers = ask_all(questions, cache, lambda *_: None)
    return [sum(told["mpi_ns"]) / ranks / steps / NS_PER_S for told in answers]


def _script(activity: str, ranks: int, steps: int) -> str:
    head = f"{FORMAT}\ntitle calls\nranks {ranks}\nsteps {steps}\nrank 0-{ranks - 1}\n"
    return f"{head}compute {PAUSE_NS}\n{activity}\n"
