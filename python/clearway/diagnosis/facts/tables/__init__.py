"""The tables of a job, made of its Run and its ledger: one row a rank, call, connection, file, host.

Rules read them, and the page shows them. Times are seconds, sizes bytes; what cannot be known is None, never a guess.
"""

from __future__ import annotations

from dataclasses import dataclass

from clearway.diagnosis.facts.tables.blocked import Blocked, blocked
from clearway.diagnosis.facts.tables.calls import CallRow, CollectiveRow, call_rows, collective_rows
from clearway.diagnosis.facts.tables.cores import CoreSeconds, core_seconds
from clearway.diagnosis.facts.tables.files import File, files
from clearway.diagnosis.facts.tables.flow import FlowRow, flow
from clearway.diagnosis.facts.tables.functions import FunctionRow, function_rows
from clearway.diagnosis.facts.tables.hosts import Host, hosts
from clearway.diagnosis.facts.tables.io_cache import IoCache, io_cache
from clearway.diagnosis.facts.tables.job import Job, describe_job
from clearway.diagnosis.facts.tables.messages import Messages, messages
from clearway.diagnosis.facts.tables.ranks import Rank, ranks
from clearway.diagnosis.facts.tables.sockets import Socket, sockets
from clearway.diagnosis.facts.tables.traffic import Traffic
from clearway.diagnosis.facts.tables.waited import Waited, waited
from clearway.diagnosis.facts.tables.waits_for import WaitsFor, waits_for
from clearway.engines import find_log
from clearway.engines.speed import Engine
from clearway.engines.words import Word
from clearway.ledger import Account
from clearway.ledger.cores import Cores
from clearway.ledger.delays import Delays
from clearway.ledger.pop import Pop, pop
from clearway.ledger.profile import Profile, profile
from clearway.ledger.totals import Ledger, total
from clearway.run import Run


@dataclass(frozen=True, slots=True)
class Tables:
    """All of them, and the job as a whole."""

    job: Job
    ledger: Ledger
    blocked: tuple[Blocked, ...]  # most time first
    waited: tuple[Waited, ...]  # most time first
    pop: Pop
    cores: CoreSeconds | None
    profile: Profile | None  # None where nothing was sampled
    functions: tuple[FunctionRow, ...]  # of it; most time first
    ranks: tuple[Rank, ...]
    mpi_calls: tuple[CallRow, ...]  # most time first
    collectives: tuple[CollectiveRow, ...]  # most time first
    messages: Messages
    sockets: tuple[Socket, ...]  # most stalled first
    files: tuple[File, ...]  # most time first
    hosts: tuple[Host, ...]
    engine: Engine | None
    words: tuple[Word, ...]  # what its log says of how it ran
    flow: tuple[FlowRow, ...]  # of jobs run with --flow; most time first
    io_cache: IoCache | None  # of jobs run with --io-cache
    waits_for: WaitsFor | None  # of jobs that hang


def tables_of(run: Run, books: Account, charged: Delays, given: Cores | None) -> Tables:
    traffic = Traffic(run)
    job = describe_job(run, books)
    log = find_log(run)
    sampled = profile(run)
    return Tables(
        job=job,
        ledger=total(books.ledger),
        blocked=blocked(run, books),
        waited=waited(run, books, charged),
        pop=pop(books.ledger),
        cores=core_seconds(run, books, given),
        profile=sampled,
        functions=function_rows(run, sampled) if sampled else (),
        ranks=ranks(run, books, traffic),
        mpi_calls=call_rows(run, books),
        collectives=collective_rows(run, books),
        messages=messages(run, books, traffic),
        sockets=sockets(run, books),
        files=files(run),
        hosts=hosts(run),
        engine=log.engine if log else None,
        words=log.words if log else (),
        flow=flow(run),
        io_cache=io_cache(run, job),
        waits_for=waits_for(run, books),
    )
