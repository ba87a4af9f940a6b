"""A Run that is held beside others: its seconds, by cause, function and host, as wall-clock a rank."""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Mapping
from dataclasses import dataclass, fields, replace
from pathlib import Path

from clearway.diagnosis.diagnose import diagnose
from clearway.diagnosis.facts import Case, open_case
from clearway.diagnosis.facts.computing_by_function import by_name
from clearway.diagnosis.finding import Finding
from clearway.engines.speed import Engine
from clearway.experiment.measure import figures_of_run
from clearway.experiment.sample import Figures
from clearway.ledger.losses import Losses
from clearway.ledger.totals import Ledger
from clearway.run import Run, load
from clearway.survey.row import Row, row_of
from clearway.survey.settings import Settings, settings_of

NS_PER_S = 1e9
OWN_LINE = {  # of the ledger, in which a cause's seconds stand where they arise
    "compute_s": "compute_s",
    "imbalance_s": "compute_s",
    "core_wait_s": "core_wait_s",
    "transfer_s": "mpi_transfer_s",
    "stall_s": "mpi_stall_s",
    "io_s": "io_s",
    "blocked_s": "other_s",
}
OF_CALLS = {"transfer_s": "transfer_s", "stall_s": "stall_s", "wait_s": "wait_s"}  # a row of calls has these

Seconds = Mapping[str, float]


@dataclass(frozen=True, slots=True)
class Member:
    row: Row
    figures: Figures
    settings: Settings
    findings: tuple[Finding, ...]
    engine: Engine | None
    ledger: Ledger  # a rank
    causes: Seconds  # by field of Losses
    calls: Seconds  # by function
    functions: Seconds  # computing by function of the program and its libraries; empty if it was not sampled
    calls_of_cause: Mapping[str, Seconds]  # by cause and function
    hosts_of_cause: Mapping[str, Seconds]  # by cause and host, summed over the host's ranks, by all ranks
    ranks_of_host: Mapping[str, float]  # as a share of all


def read_member(directory: Path) -> Member:
    """Raises ClearwayError where it cannot be read."""
    return member_of(open_case(load(directory)))


def member_of(case: Case) -> Member:
    findings = tuple(one.finding for one in diagnose(case))
    tables, ranks = case.tables, max(case.ranks, 1)
    calls: dict[str, float] = {}
    of_cause: dict[str, dict[str, float]] = {cause: {} for cause in OF_CALLS}
    for call in tables.mpi_calls:
        calls[call.function] = call.time_s / ranks
        for cause, column in OF_CALLS.items():
            of_cause[cause][call.function] = getattr(call, column) / ranks
    return Member(
        row=row_of(case, findings),
        figures=figures_of_run(case.run, _launched_s(case.run) or case.wall_s),
        settings=settings_of(case),
        findings=findings,
        engine=tables.engine,
        ledger=scaled(tables.ledger, 1 / ranks),
        causes={field.name: getattr(case.losses, field.name) / ranks for field in fields(Losses)},
        calls=calls,
        functions=by_name(case),
        calls_of_cause=of_cause,
        hosts_of_cause=_by_host(case),
        ranks_of_host={host.name: host.ranks / ranks for host in tables.hosts},
    )


def divided(member: Member, work: float) -> Member:
    """Its seconds for a part of its work."""
    if work == 1.0:
        return member
    return replace(
        member,
        ledger=scaled(member.ledger, 1 / work),
        causes=_divided(member.causes, work),
        calls=_divided(member.calls, work),
        functions=_divided(member.functions, work),
        calls_of_cause={cause: _divided(calls, work) for cause, calls in member.calls_of_cause.items()},
        hosts_of_cause={cause: _divided(hosts, work) for cause, hosts in member.hosts_of_cause.items()},
    )


def scaled(ledger: Ledger, factor: float) -> Ledger:
    return Ledger(**{field.name: factor * getattr(ledger, field.name) for field in fields(Ledger)})


def _divided(seconds: Seconds, work: float) -> dict[str, float]:
    return {key: value / work for key, value in seconds.items()}


def _by_host(case: Case) -> dict[str, dict[str, float]]:
    made: dict[str, dict[str, float]] = {cause: defaultdict(float) for cause in OWN_LINE}
    ranks = max(case.ranks, 1)
    for rank in case.tables.ranks:
        for cause, line in OWN_LINE.items():
            made[cause][rank.host] += getattr(rank.ledger, line) / ranks
    return made


def _launched_s(run: Run) -> float | None:
    """From the launcher's start to its end."""
    launch = run.launch
    if launch is None or launch.started_ns is None or launch.ended_ns is None or launch.ended_ns <= launch.started_ns:
        return None
    return (launch.ended_ns - launch.started_ns) / NS_PER_S
