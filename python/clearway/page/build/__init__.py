"""From a Run to its page: `summarise(run)` fills clearway.page.model.Page. Renderers show it and compute nothing."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace

from clearway.diagnosis.diagnose import Diagnosed, diagnose, health
from clearway.diagnosis.facts import Case
from clearway.engines import find_engine
from clearway.ledger import account
from clearway.ledger.losses import losses
from clearway.ledger.pop import pop
from clearway.page.build.calls import call_rows, collective_rows
from clearway.page.build.connections import sockets
from clearway.page.build.ending import ending
from clearway.page.build.files import files
from clearway.page.build.flow import flow
from clearway.page.build.hosts import hosts
from clearway.page.build.io_cache import io_cache
from clearway.page.build.job import describe_job
from clearway.page.build.messages import messages
from clearway.page.build.ranks import ranks, total
from clearway.page.build.sentence import sentence
from clearway.page.build.steps import last_steps
from clearway.page.build.traffic import Traffic
from clearway.page.model import SCHEMA, Page
from clearway.run import Run


def summarise(run: Run, others: Sequence[Run] = ()) -> Page:
    """The whole page of a Run. Everything on it comes from here. `others`: the job on other numbers of ranks."""
    case = replace(open_case(run), others=tuple(map(open_case, others)))
    return with_findings(case, diagnose(case))


def with_findings(case: Case, diagnosed: Sequence[Diagnosed]) -> Page:
    """The page of a case with what was found."""
    findings = tuple(one.finding for one in diagnosed)
    return replace(case.page, findings=findings, health="" if findings else health(case))


def open_case(run: Run) -> Case:
    """What the rules look at: the page without its findings, and what it was made from. Its page is made sooner."""
    books = account(run)
    traffic = Traffic(run)
    ledger = total(books.ledger)
    calls = call_rows(run, books)
    collectives = collective_rows(run, books)
    connections = sockets(run, books)
    job = describe_job(run, books)
    page = Page(
        schema=SCHEMA,
        sentence=sentence(job, ledger, calls, collectives, connections) + ending(run, books),
        job=job,
        ledger=ledger,
        pop=pop(books.ledger),
        ranks=ranks(run, books, traffic),
        mpi_calls=calls,
        collectives=collectives,
        messages=messages(run, books, traffic),
        sockets=connections,
        files=files(run),
        hosts=hosts(run),
        engine=find_engine(run),
        timeline=last_steps(run),
        flow=flow(run),
        io_cache=io_cache(run, job),
    )
    return Case(run, books, page, losses(run, books))
