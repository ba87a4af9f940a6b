"""A recorded job on another cluster: its calls through the simulator, and the ledger that they leave there.

What the ranks did outside MPI stays as recorded. What they did in MPI is simulated packet by packet, at best without
waiting for cores, and with the faster of the usual algorithms for all-to-alls; for certain with the waiting that was
recorded, the slower algorithm, and the time of calls that no script has words for.
"""

from __future__ import annotations

import tempfile
from collections import Counter
from dataclasses import dataclass, replace
from pathlib import Path

import numpy as np

from clearway.base import quantities as q
from clearway.bench.sizes import parse_algorithms
from clearway.cluster.ready import named_cluster
from clearway.diagnosis.facts import Case
from clearway.ledger import account
from clearway.ledger.account import LINES
from clearway.predict.collectives.terminal import network_words, tcp_words
from clearway.predict.jobs.command import placed
from clearway.predict.jobs.core_waits import mostly_blocked, shares_on_a_core, waits_that_go_s
from clearway.predict.jobs.options import DEFAULT_ALLGATHER, DEFAULT_ALLTOALLS
from clearway.predict.jobs.recorded import as_recorded, recorded_ranks
from clearway.predict.jobs.replay import Replay
from clearway.predict.jobs.request import JobRequest, JobScript
from clearway.predict.jobs.sweep import predict_job
from clearway.predict.simulated_cluster import Modelled, model_of
from clearway.predict.what_if.answer import SCHEMA, Answer, Line
from clearway.predict.what_if.counterfactual import WORDS, no_calls, program_of
from clearway.run import Run, load

IN_MPI = ("mpi_wait_s", "mpi_transfer_s", "mpi_stall_s")
MUCH = 0.01  # of the time in MPI: that is in calls which cannot be simulated
SEED = 1

_Ledger = dict[str, float]  # by line: seconds, mean over ranks


@dataclass(frozen=True, slots=True)
class _Foretold:
    """By one algorithm, with or without the recorded waiting for cores."""

    alltoall: str
    waits: bool
    at_best: _Ledger
    for_sure: _Ledger


def answer_on_cluster(case: Case, name: str) -> Answer:
    """`name` of a ready cluster, or its file.

    Raises ClearwayError where the job does not fit on it, or the Run does not tell every single call.
    """
    model = model_of(named_cluster(name), None, None, None)
    model = replace(model, stack=as_recorded(model.stack, case.run))
    ranks = recorded_ranks(case.run)
    ends_s = [rank.end_s for rank in ranks]
    idle_s = max(ends_s) - sum(ends_s) / case.ranks  # waiting in MPI_Finalize for the last
    replay = Replay(case.run)
    counted = [replay.replayed(rank) for rank in ranks]
    if case.ranks < 2 or not any(count for count, _ in counted):
        raise no_calls(case)
    left_out_s = sum(seconds for _, seconds in counted) / case.ranks
    computing_s = [replay.computing_s(rank) for rank in ranks]
    shares, idle = shares_on_a_core(case.run, case.books, computing_s), mostly_blocked(case.run, computing_s)
    ways = [(False, shares), *([(True, [1.0] * case.ranks)] if min(shares) < 1 else [])]
    found: list[_Foretold] = []
    with tempfile.TemporaryDirectory(prefix="clearway-what-if-") as folder:
        for waits, own in ways:
            place = Path(folder) / ("waits" if waits else "best")
            place.mkdir()
            found += _simulated(case, model, replay.text(ranks, own), place, waits, idle, left_out_s)
    for one in found:
        for ledger in (one.at_best, one.for_sure):
            ledger["other_s"] = max(ledger["other_s"] - idle_s, 0.0)
    best = min((one for one in found if not one.waits), key=lambda one: sum(one.at_best.values()))
    sure = max(found, key=lambda one: sum(one.for_sure.values()))
    books = case.books.ledger
    before = {line: float(books[line].mean()) for line in LINES}
    was_s, wall_s = sum(before.values()), float(books["wall_s"].mean())
    return Answer(
        schema=SCHEMA,
        run=str(case.run.directory),
        program=program_of(case),
        ranks=case.ranks,
        changes=(f"the cluster {name}",),
        wall_s=wall_s,
        what_if_s=wall_s - was_s + sum(best.at_best.values()),
        least_gain_s=was_s - sum(sure.for_sure.values()),
        lines=tuple(Line(one, WORDS[one], before[one], best.at_best[one], sure.for_sure[one]) for one in LINES),
        replayed_calls=sum(count for count, _ in counted),
        check=None,
        notes=tuple(_notes(case, model, best, sure, left_out_s)),
    )


def _simulated(
    case: Case, model: Modelled, text: str, folder: Path, waits: bool, idle: bool, left_out_s: float
) -> list[_Foretold]:
    """By algorithm for all-to-alls, where the job has any."""
    path = folder / "replay.script"
    path.write_text(text, encoding="utf-8")
    script = JobScript(path, case.ranks, 1, tuple(case.run.processes["host"].tolist()))
    alltoalls = parse_algorithms(DEFAULT_ALLTOALLS)
    if "\nalltoall" not in text:
        alltoalls = alltoalls[:1]
    request = JobRequest(
        f"{case.run.directory}, replayed",
        model,
        (placed(script, case.run, model, anew=max(Counter(script.places).values()) > model.per_host),),
        tuple(alltoalls),
        DEFAULT_ALLGATHER,
        SEED,
        holds_core_wait=waits or idle,
    )
    points = predict_job(request, lambda *_: None, runs=folder / "runs").points
    made = []
    for point in points:
        now = _new_in(load(str(point.run)), text)
        at_best, for_sure = (_ledger(case, now, waits, sure, left_out_s) for sure in (False, True))
        made.append(_Foretold(point.alltoall, waits, at_best, for_sure))
    return made


def _new_in(run: Run, text: str) -> _Ledger:
    """What the simulated ranks did beside the computing that the Script has: in MPI, for messages that were started,
    and at the end waiting for the last one (other_s), which a simulated Run has as computing.
    """
    ledger = account(run).ledger
    last_s = np.zeros(len(run.processes))
    np.maximum.at(last_s, run.events.process, run.events.exit_s)
    told = [block.splitlines() for block in text.split("\nrank ")[1:]]
    computing_s = np.array([sum(map(_computing_s, lines)) for lines in told])
    idle_s = np.maximum(run.processes["end_s"] - last_s - np.array([_computing_s(lines[-1]) for lines in told]), 0.0)
    now = {line: float(ledger[line].mean()) for line in LINES}
    now["compute_s"] = float(np.maximum(ledger["compute_s"] - computing_s - idle_s, 0.0).mean())
    now["other_s"] += float(idle_s.mean())
    return now


def _computing_s(line: str) -> float:
    """Of a Script."""
    return int(line.split()[1]) * 1e-9 if line.startswith("compute ") else 0.0


def _ledger(case: Case, now: _Ledger, waits: bool, sure: bool, left_out_s: float) -> _Ledger:
    """The recorded ledger with what was simulated (`now`) in place of what the ranks did in MPI."""
    books = case.books
    made = {line: now[line] if line in IN_MPI else float(books.ledger[line].mean()) + now[line] for line in LINES}
    in_mpi_s = float((books.weight * books.split.core_wait_s).sum()) / case.ranks
    if not sure:
        made["core_wait_s"] -= in_mpi_s
    if not waits:
        made["core_wait_s"] -= float(waits_that_go_s(case.run, books).mean())
    made["core_wait_s"] = max(made["core_wait_s"], 0.0)
    if sure:
        made["mpi_transfer_s"] += left_out_s
    return made


def _notes(case: Case, model: Modelled, best: _Foretold, sure: _Foretold, left_out_s: float) -> list[str]:
    there = f"{network_words(model.network)}, {tcp_words(model.stack)}"
    said = [f"MPI is simulated packet by packet: {there}. Outside MPI ranks do as recorded, on cores as fast."]
    if best.alltoall != sure.alltoall:
        said.append(
            f"MPI_Alltoall and MPI_Alltoallv at best by the algorithm '{best.alltoall}', for certain by "
            f"'{sure.alltoall}' (clearway schedule list)."
        )
    if best.waits != sure.waits:
        said.append("At best no rank waits for a core, for certain each does as recorded.")
    mpi_s = float(case.books.mpi_s.mean())
    if left_out_s > MUCH * mpi_s:
        said.append(
            f"{q.percent(left_out_s / mpi_s)} of the time in MPI is in calls that cannot be simulated, such as "
            f"one-sided ones: at best they take no time, for certain as long as recorded."
        )
    return said
