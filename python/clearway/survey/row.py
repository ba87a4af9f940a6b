"""A Run in one line: what ran, how fast, what was lost and to what."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, replace
from datetime import datetime
from pathlib import Path

from clearway.base.errors import ClearwayError
from clearway.base.older_python import UTC
from clearway.diagnosis.diagnose import diagnose
from clearway.diagnosis.facts import Case, open_case
from clearway.diagnosis.facts.how_ended import how_ended
from clearway.diagnosis.finding import Finding
from clearway.run import load

NOTHING_FOUND = "no fault found"
NOTHING_TO_SAY = "too short to tell"
NO_END = "no end"


@dataclass(frozen=True, slots=True)
class Row:
    """One Run. None is what is not known; texts come from the job: escape them."""

    directory: str
    job_id: str  # id in the batch system; empty if there was none
    program: str
    ranks: int | None  # records found
    hosts: int | None
    started_at: str  # ISO 8601, UTC; of a Run that cannot be read, when its records were last written
    wall_s: float | None  # longest rank
    engine: str  # whose log tells the speed
    ns_per_day: float | None
    s_per_step: float | None
    loss: float | None  # share of the wall-clock that could come back: the cost of all findings
    rule: str  # of the costliest finding, as `clearway explain` takes it
    verdict: str  # the costliest finding, or that there is none, or why the Run cannot be read
    ended: str  # how it failed: "MPI_Abort by rank 2", "stopped at its time limit", "no end" (running, or killed)
    readable: bool = True


def row_of_directory(directory: Path) -> Row:
    """The line of the Run in `directory`. Whatever is wrong with it is said in its line: the others count as well."""
    try:
        return row_of_case(open_case(load(directory)))
    except ClearwayError as error:
        return unreadable(directory, error.message)
    except Exception as error:  # a broken record must not hide the hundred that are whole
        return unreadable(directory, f"cannot be read: {type(error).__name__}: {error}")


def row_of_case(case: Case) -> Row:
    return row_of(case, tuple(one.finding for one in diagnose(case)))


def row_of(case: Case, findings: Sequence[Finding]) -> Row:
    job, engine = case.tables.job, case.tables.engine
    first = findings[0] if findings else None
    measured = case.wall_s > 0 and case.tables.ledger.wall_s > 0
    return Row(
        directory=job.directory,
        job_id=job.batch.id if job.batch else "",
        program=job.program,
        ranks=job.ranks,
        hosts=job.hosts,
        started_at=job.started_at,
        wall_s=job.wall_s,
        engine=engine.name if engine else "",
        ns_per_day=engine.ns_per_day if engine else None,
        s_per_step=engine.s_per_step if engine else None,
        loss=sum(one.share for one in findings) if measured else None,
        rule=first.rule if first else "",
        verdict=first.title if first else NOTHING_FOUND if measured else NOTHING_TO_SAY,
        ended=_ended(case),
    )


def unreadable(directory: Path, why: str) -> Row:
    return Row(
        directory=str(directory),
        job_id="",
        program="",
        ranks=None,
        hosts=None,
        started_at=_last_written(directory),
        wall_s=None,
        engine="",
        ns_per_day=None,
        s_per_step=None,
        loss=None,
        rule="",
        verdict=why.removeprefix(f"{directory}/").removeprefix(f"{directory} "),
        ended="",
        readable=False,
    )


def with_directory(row: Row, directory: Path) -> Row:
    """The same Run, called by another path."""
    return replace(row, directory=str(directory))


def _ended(case: Case) -> str:
    known, code = how_ended(case), case.tables.job.exit_code
    if known is not None:
        return known.words
    if code not in (0, None):
        return f"exit code {code}"
    return "" if case.tables.job.complete else NO_END


def _last_written(directory: Path) -> str:
    try:
        newest = max((path.stat().st_mtime for path in directory.glob("*.cwr")), default=directory.stat().st_mtime)
        return datetime.fromtimestamp(newest, UTC).isoformat(timespec="seconds")
    except (OSError, ValueError, OverflowError):
        return ""
