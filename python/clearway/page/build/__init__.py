"""From a Run to its page: `summarise(run)` fills clearway.page.model.Page. Renderers show it and compute nothing."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace

from clearway.base import quantities as q
from clearway.base.visible import visible
from clearway.diagnosis.diagnose import Diagnosed, diagnose, health
from clearway.diagnosis.facts import Case, open_case
from clearway.diagnosis.facts.how_ended import how_ended
from clearway.diagnosis.facts.tables.slices import slices
from clearway.diagnosis.half_the_ranks import half_the_ranks
from clearway.page.build.beside_the_ledger import before_calls, by_children
from clearway.page.build.built_to_check import built_to_check
from clearway.page.build.debugging import debugging
from clearway.page.build.ending import ending
from clearway.page.build.not_sampled import not_sampled
from clearway.page.build.notes import notes
from clearway.page.build.program_file import program_file
from clearway.page.build.sentence import sentence
from clearway.page.build.short_lived import short_lived
from clearway.page.build.steps import last_steps
from clearway.page.build.unoptimised import unoptimised
from clearway.page.model import SCHEMA, Page
from clearway.run import Run


def summarise(run: Run, others: Sequence[Run] = (), slurm_state: str = "") -> Page:
    """The whole page of a Run. Everything on it comes from here. `others`: the job on other numbers of ranks.

    `slurm_state`: how Slurm says that it ended, where it was asked.
    """
    case = open_case(run, others, slurm_state)
    return with_findings(case, diagnose(case))


def with_findings(case: Case, diagnosed: Sequence[Diagnosed]) -> Page:
    """The page of a case with what was found."""
    findings = tuple(one.finding for one in diagnosed)
    return replace(page_of(case), findings=findings, health="" if findings else _health(case))


def _health(case: Case) -> str:
    if case.run.without_calls:
        return "Without the ranks' calls no fault can be found."
    asks = half_the_ranks(case) is not None
    half = "One run does not show whether ranks compete for memory bandwidth; `clearway fix --half` tries it."
    return f"{health(case)} {half}" if asks else health(case)


def _unknown(case: Case) -> str:
    """A full disk, or a program that cannot reach the record any more, since it changed its root or its user."""
    lost, of = case.run.without_calls, len(case.run.processes)
    if not lost:
        return ""
    whose = "the rank" if of == 1 else f"{lost} of {of} ranks"
    return f"There was no room to record the calls of {whose}: all that time counts as computing. "


def _ending(case: Case) -> str:
    """How it ended, where it did not end well, and in which calls the record ends."""
    ended = how_ended(case)
    said = f" {ended.says}" if ended else ""
    if ended is not None and ended.kind == "abort":
        return said
    known = case.tables.waits_for
    return said + (f" {known.says}" if known and known.kind != "busy" else ending(case.run, case.books))


def _outside(case: Case) -> str:
    """What a script did besides: the ledger is of the MPI program alone."""
    found = case.run.outside
    if found is None:
        return ""
    programs = ", ".join(f"{visible(name)} {q.seconds(seconds)}" for name, seconds in found.programs)
    return (
        f" The command ran for {q.seconds(found.whole_s)}, {q.seconds(found.seconds)} of it without any MPI program"
        f"{f' ({programs})' if programs else ''}: that is not in the figures below."
    )


def _queued(case: Case) -> str:
    """Time that no launch has in its ledger: before it was a process."""
    found = case.run.queued
    if found is None:
        return ""
    others = "another step" if found.steps == 1 else "others"
    return (
        f" {found.steps} of {found.launches} steps waited for the cores of {others}, "
        f"`{visible(found.command, COMMAND)}` for {q.seconds(found.longest_s)}: without --exact a step takes all cores "
        f"and memory of the job. To run them side by side give each its part: "
        f"`srun --exact --ntasks=… --cpus-per-task=… --mem=…`."
    )


def _besides(case: Case) -> str:
    """Where a driver starts many MPI programs, the longest launch may be the least of it."""
    found = case.run.besides
    if found is None:
        return ""
    programs = ", ".join(f"{visible(name)} {q.seconds(seconds)}" for name, seconds in found.programs)
    return (
        f" This is the longest of {found.launches:,} launches on record, and has {q.percent(found.shown)} of their "
        f"rank-seconds; the rest{f' ({programs})' if programs else ''} is not in the figures below."
    )


COMMAND = 60  # characters of a command line
BESIDES = (by_children, before_calls, _ending, _outside, _queued, _besides)  # what the first sentence goes on with


def _of_its_build(case: Case) -> list[str]:
    name, content = program_file(case)
    return [*unoptimised(name, content), *built_to_check(name, content)]


def page_of(case: Case) -> Page:
    """The page before anything was looked for: that of a running job."""
    run, books, tables = case.run, case.books, case.tables
    return Page(
        schema=SCHEMA,
        sentence=_unknown(case) + sentence(tables) + "".join(told(case) for told in BESIDES),
        job=replace(
            tables.job,
            notes=(
                *notes(run, books, tables.job.ranks_expected, tables.engine),
                *debugging(case),
                *_of_its_build(case),
                *short_lived(case),
                *not_sampled(case),
            ),
        ),
        ledger=tables.ledger,
        pop=tables.pop,
        ranks=tables.ranks,
        mpi_calls=tables.mpi_calls,
        collectives=tables.collectives,
        messages=tables.messages,
        sockets=tables.sockets,
        files=tables.files,
        hosts=tables.hosts,
        engine=tables.engine,
        blocked=tables.blocked,
        waited=tables.waited,
        cores=tables.cores,
        functions=tables.functions,
        strip=slices(case.strip),
        timeline=last_steps(run),
        flow=tables.flow,
        io_cache=tables.io_cache,
        waits_for=tables.waits_for,
    )
