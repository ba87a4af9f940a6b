"""The one sentence that says where the time went."""

from __future__ import annotations

from collections.abc import Sequence

from clearway.base import quantities as q
from clearway.base.visible import visible
from clearway.diagnosis.facts.tables import Tables
from clearway.diagnosis.facts.tables.blocked import Blocked, unnamed_s
from clearway.diagnosis.facts.tables.calls import CollectiveRow
from clearway.diagnosis.facts.tables.job import Job
from clearway.ledger.blocked import UNNAMED

FEWEST_SAMPLES = 10  # fewer name nothing
FEWEST_CALLS = 3  # on record: fewer say nothing of who is late
MOST_OF_IT = 0.3  # of the waiting: what comes last to other calls is beside the point
LONGEST_OBJECT = 80
UNNAMED_WORTH_SAYING = 0.05  # of the rank-seconds
MOSTLY = 0.5  # of a line: what is mostly something else has another name
NEARLY_ALL = 0.95  # of a line: the rest of it is not worth a word
SHORT_S = 1.0  # "0.0 s" would be no length of a job
WORTH_NAMING = 0.10  # of the rank-seconds: smaller lines are left to the bar
PHRASES = {
    "compute_s": "computing",
    "core_wait_s": "waiting for a core",
    "mpi_wait_s": "waiting for late ranks",
    "mpi_transfer_s": "moving data",
    "mpi_stall_s": "waiting out lost packets",
    "io_s": "reading and writing files",
    "other_s": "starting, stopping and being blocked outside MPI",
}
UNDIVIDED = "moving data or waiting for it"  # the record does not tell which
NEWCOMERS = "waiting for processes to start or connect"  # which are no ranks of the job


def sentence(tables: Tables) -> str:
    """In plain words: "Of 8 ranks x 61.2 s, 43 % went into computing and 31 % into waiting for late ranks …"."""
    ledger = tables.ledger
    if ledger.wall_s <= 0:
        return "The record ends before any time was measured."
    shares = {line: min(getattr(ledger, line) / ledger.wall_s, 1.0) for line in PHRASES}
    ordered = sorted(shares, key=lambda line: -shares[line])
    named = [line for line in ordered if shares[line] >= WORTH_NAMING] or ordered[:1]
    parts = [f"{_per_cent(shares[line])} into {_phrase(line, tables)}" for line in named[:3]]
    parts[0] = parts[0].replace("into ", "went into ", 1)
    what = ", ".join(parts[:-1]) + " and " + parts[-1] if len(parts) > 1 else parts[0]
    late = _late_rank(shares["mpi_wait_s"], ledger.mpi_wait_s, tables.collectives)
    return f"Of {_whole(tables.job)}, {what}.{_of_cores(tables)}{_unnamed(tables)}{late}"


def _of_cores(tables: Tables) -> str:
    """The lines above are those of the main threads."""
    cores = tables.cores
    if cores is None or cores.most_threads < 2:
        return ""
    given = f"{cores.cores:,.3g} core{'' if cores.cores == 1 else 's'}"
    part = min(cores.compute_s / cores.given_s, 1.0)
    return f" With all threads, the {given} computed for {_per_cent(part)} of that time."


def _whole(job: Job) -> str:
    ranks = "1 rank" if job.ranks == 1 else f"{job.ranks:,} ranks"
    each = f"{job.wall_s:.1f} s" if job.wall_s >= SHORT_S else q.seconds(job.wall_s)
    return f"{ranks} \N{MULTIPLICATION SIGN} {each}"


def _phrase(line: str, tables: Tables) -> str:
    calls, sockets = tables.mpi_calls, tables.sockets
    phrase = PHRASES[line]
    if line == "mpi_transfer_s" and tables.ledger.mpi_undivided_s > MOSTLY * tables.ledger.mpi_transfer_s:
        phrase = UNDIVIDED
    if line == "mpi_wait_s" and _for_newcomers(tables):
        phrase = NEWCOMERS
    column = {"mpi_wait_s": "wait_s", "mpi_transfer_s": "transfer_s", "mpi_stall_s": "stall_s"}.get(line)
    # MPI_Init has no part in the moving of data, but ranks wait in it.
    mpi = [call for call in calls if call.function_class not in ("life", "mpi_io") or column == "wait_s"]
    if column and mpi:
        most = max(mpi, key=lambda call: float(getattr(call, column)))
        own, whole = getattr(most, column), sum(getattr(call, column) for call in mpi)
        if own >= NEARLY_ALL * whole:
            phrase += f" in {most.function}"
        elif own >= 0.5 * whole:
            phrase += f" (most of it in {most.function})"
    if line == "mpi_stall_s":
        stalled = sum(1 for socket in sockets if socket.stall_s > 0)
        phrase += f" ({stalled} connection{'' if stalled == 1 else 's'} stalled)" if stalled else ""
    if line == "other_s":
        phrase += _most_of_it(tables.blocked)
    return phrase


def _for_newcomers(tables: Tables) -> bool:
    newcomers_s = sum(row.seconds for row in tables.waited if row.cause == "newcomers")
    return newcomers_s > MOSTLY * tables.ledger.mpi_wait_s


def _most_of_it(rows: Sequence[Blocked]) -> str:
    """What more than half of "other" is, where that is known."""
    own = [row for row in rows if row.line == "other_s"]
    most = max(own, key=lambda row: row.seconds, default=None)
    if most is None or most.activity == UNNAMED or most.seconds <= 0.5 * sum(row.seconds for row in own):
        return ""
    return f" (most of it {visible(most.what, LONGEST_OBJECT)})"


def _unnamed(tables: Tables) -> str:
    """A record without samples tells of no blocked second what it was: old ones, and those of short jobs."""
    share = unnamed_s(tables.blocked) / tables.ledger.wall_s
    if share < UNNAMED_WORTH_SAYING or sum(row.samples for row in tables.blocked) < FEWEST_SAMPLES:
        return ""
    return (
        f" Ranks were blocked outside MPI for {_per_cent(share)} of it; the record does not show what they waited for."
    )


def _late_rank(wait_share: float, wait_s: float, collectives: Sequence[CollectiveRow]) -> str:
    """Names the rank that the others wait for, where it is mostly the same one, of more than a few calls."""
    if wait_share < WORTH_NAMING or not collectives:
        return ""
    most = max(collectives, key=lambda row: row.wait_s)
    if (
        most.recorded < FEWEST_CALLS
        or most.wait_s < MOST_OF_IT * wait_s
        or most.last_rank is None
        or most.last_share is None
        or most.last_share < 0.5
        or most.communicator_size < 3
    ):
        return ""
    return f" Rank {most.last_rank} was the last to enter {_per_cent(most.last_share)} of the {most.function} calls."


def _per_cent(share: float) -> str:
    return f"{100 * share:.0f} %"
