"""From the options of `clearway predict` to a predicted job."""

from __future__ import annotations

import argparse
import tempfile
from collections.abc import Sequence
from dataclasses import replace
from pathlib import Path
from typing import Any

from clearway.base import quantities as q
from clearway.base.errors import ClearwayError
from clearway.bench.sizes import parse_algorithms
from clearway.ledger import account
from clearway.predict.cache import user_cache
from clearway.predict.jobs.core_waits import mostly_blocked
from clearway.predict.jobs.left_out import left_out
from clearway.predict.jobs.models import parse_ranks, parse_workload, write_scripts
from clearway.predict.jobs.options import DEFAULT_ALLGATHER, DEFAULT_ALLTOALLS, DEFAULT_RANKS
from clearway.predict.jobs.prediction import JobPrediction
from clearway.predict.jobs.recorded import as_recorded
from clearway.predict.jobs.replay import write_replay
from clearway.predict.jobs.request import JobRequest, JobScript
from clearway.predict.jobs.sweep import predict_job
from clearway.predict.options import model_asked
from clearway.predict.progress import SweepProgress
from clearway.predict.simulated_cluster import Modelled
from clearway.run import Run, load

DEFAULT_STEPS = 10


def predict_asked(arguments: argparse.Namespace) -> JobPrediction:
    """Raises ClearwayError where options make no sense, or the job does not fit on the cluster."""
    with tempfile.TemporaryDirectory(prefix="clearway-predict-") as folder:
        if arguments.workload:
            return predict_request(workload_request(arguments, Path(folder)), arguments)
        request, recorded_ns, notes = replay_request(arguments, Path(folder))
        return predict_request(request, arguments, recorded_ns, notes)


def workload_request(arguments: argparse.Namespace, folder: Path) -> JobRequest:
    if arguments.no_core_wait:
        raise ClearwayError(
            "--no-core-wait is only for recorded jobs: workloads have no waiting for cores", "leave out this option"
        )
    workload = parse_workload(arguments.workload)
    ranks = parse_ranks(arguments.ranks or DEFAULT_RANKS)
    make_room(arguments, ranks[-1])
    model = model_asked(arguments)
    check_room(ranks[-1], model)
    steps = DEFAULT_STEPS if arguments.steps is None else arguments.steps
    scripts = write_scripts(workload, ranks, model.speed, steps, folder)
    return request_for(arguments, " ".join(workload), model, scripts)


def request_for(
    arguments: argparse.Namespace, name: str, model: Modelled, scripts: tuple[JobScript, ...]
) -> JobRequest:
    alltoalls = tuple(parse_algorithms(arguments.alltoall or DEFAULT_ALLTOALLS))
    return JobRequest(name, model, scripts, alltoalls, arguments.allgather or DEFAULT_ALLGATHER, arguments.seed)


def check_room(ranks: int, model: Modelled) -> None:
    room = model.hosts * model.per_host
    if ranks > room:
        raise does_not_fit(ranks, model, f"--ranks {room}, or more hosts")


def does_not_fit(ranks: int, model: Modelled, hint: str) -> ClearwayError:
    return ClearwayError(
        f"{ranks} ranks do not fit on {q.plural(model.hosts, 'host')} with {model.per_host} each", hint
    )


def replay_request(arguments: argparse.Namespace, folder: Path) -> tuple[JobRequest, int, list[str]]:
    """The job as it was placed, where the cluster has as many hosts and nothing else is asked for; how long it took as
    recorded; and what the replay leaves out.
    """
    for name in ("ranks", "steps"):
        if getattr(arguments, name) is not None:
            raise ClearwayError(f"--{name} is only for workloads: a recorded job has its own", "leave out this option")
    directory = getattr(arguments, "from")
    run = load(directory)
    without_core_wait = bool(arguments.no_core_wait)
    written = write_replay(run, folder, without_core_wait)
    if arguments.cluster is None and arguments.hosts is None and not arguments.cable:
        arguments.hosts = len(run.host_names)
    model = model_asked(arguments)
    script = placed(written.script, run, model, anew=arguments.per_host is not None)
    model = replace(model, stack=as_recorded(model.stack, run, keeps=asked_of_mpi(arguments)))
    request = request_for(arguments, f"{run.directory}, replayed", model, (script,))
    if not arguments.alltoall and "\nalltoall" not in script.path.read_text(encoding="utf-8"):
        request = replace(request, alltoalls=request.alltoalls[:1])  # the others would say the same
    # Ranks that sleep meet on no core.
    holds = not without_core_wait or mostly_blocked(run, written.computing_s)
    notes = left_out(run, account(run), written, without_core_wait)
    return replace(request, holds_core_wait=holds), written.took_ns, list(notes)


def placed(script: JobScript, run: Run, model: Modelled, anew: bool = False) -> JobScript:
    """On the hosts where it was recorded, if the cluster has as many; else, or `anew`, hosts are filled in order.

    Raises ClearwayError where the cluster has no room for it.
    """
    if anew or model.hosts < len(run.host_names):
        script = replace(script, places=())
        if script.ranks > model.hosts * model.per_host:
            raise does_not_fit(script.ranks, model, "a cluster with more hosts, or more ranks on each")
    return script


def asked_of_mpi(arguments: argparse.Namespace) -> set[str]:
    """Keys of a cluster's [mpi] that are asked for by themselves."""
    keys = {key.removeprefix("mpi.") for key, _, _ in (one.partition("=") for one in arguments.set)}
    return keys | ({"skew"} if arguments.skew_us is not None else set())


def make_room(arguments: argparse.Namespace, ranks: int) -> None:
    """Where neither a cluster nor hosts are named, there are as many as the job needs."""
    if arguments.cluster is None and arguments.hosts is None and not arguments.cable:
        arguments.hosts = -(-ranks // (arguments.per_host or 1))


def predict_request(
    request: JobRequest,
    arguments: argparse.Namespace,
    recorded_ns: int | None = None,
    notes: Sequence[str] = (),
) -> JobPrediction:
    cache = None if arguments.no_cache else user_cache()
    runs = Path(arguments.run) if arguments.run else None
    with SweepProgress(len(request.scripts) * len(request.alltoalls), arguments.quiet) as progress:

        def watch(ranks: int, alltoall: str, told: dict[str, Any]) -> None:
            progress.done(
                f"{ranks} rank{'s' if ranks > 1 else ''}, {alltoall}",
                f"{q.count(told['hops'])} packet-hops, {told['timeouts']} TCP timeouts",
            )

        return predict_job(request, watch, cache, runs, recorded_ns, notes)
