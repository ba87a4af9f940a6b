"""What is missing from a Run, cut, dropped or estimated: one sentence each."""

from __future__ import annotations

import numpy as np

from clearway.base.errors import ClearwayError
from clearway.base.ranges import names
from clearway.diagnosis.facts.tables.ranks import inside
from clearway.engines.speed import Engine
from clearway.ledger import Account
from clearway.run import Run
from clearway.run.layout import SegmentKind, State

NAMED_AT_MOST = 8
UNDIVIDED_WORTH_SAYING = 0.05  # of MPI time
STALL_WORTH_SAYING = 0.05  # of the wall-clock
RESIDUE_WORTH_SAYING = 0.01  # of the wall-clock

# Of one, and of more.
LOST_BY_KIND = {
    SegmentKind.CALLS: (
        "call with further peers was added up, not told apart by peer",
        "calls with further peers were added up, not told apart by peer",
    ),
    SegmentKind.EVENTS: (
        "single call did not fit into the record (a thinner sample; times by function are exact)",
        "single calls did not fit into the record (a thinner sample; times by function are exact)",
    ),
    SegmentKind.FILES: ("file did not fit into the record", "files did not fit into the record"),
    SegmentKind.SOCKETS: ("connection did not fit into the record", "connections did not fit into the record"),
    SegmentKind.STALLS: ("stall did not fit into the record", "stalls did not fit into the record"),
    SegmentKind.COMMS: (
        "call was on a communicator or window that did not fit into the record",
        "calls were on communicators or windows that did not fit into the record",
    ),
    SegmentKind.FLOW: (
        "way of a collective operation did not fit into the record (it is missing under Flow)",
        "ways of collective operations did not fit into the record (they are missing under Flow)",
    ),
    SegmentKind.IO_SIZES: (
        "size of the I/O cache did not fit into the record (its curve is coarser)",
        "sizes of the I/O cache did not fit into the record (its curve is coarser)",
    ),
    SegmentKind.THREADS: ("thread did not fit into the record", "threads did not fit into the record"),
}


def notes(run: Run, books: Account, expected: int, engine: Engine | None = None) -> list[str]:
    """Every note, the gravest first."""
    return [
        *_predicted(run),
        *_missing(run, expected),
        *_ended_early(run, books),
        *_left_alone(run),
        *run.notes,
        *_dropped(run),
        *_sampled(run),
        *_undivided(run, books),
        *_stalls_elsewhere(run, books),
        *_one_of_several(run, engine),
        *_cache_without_files(run),
        *_flow_on_one_host(run),
        *_clock(run),
        *_residue(books),
    ]


def _predicted(run: Run) -> list[str]:
    by = next(iter(run.fact("predicted.by").values()), None)
    return [f"This job did not run: it was predicted by {by}."] if by else []


def _missing(run: Run, expected: int) -> list[str]:
    lost = expected - len(run.processes)
    if lost <= 0:
        return []
    present = set(run.processes["rank"].tolist())
    named: list[str] = []
    for rank in range(expected):
        if rank not in present:
            named.append(str(rank))
            if len(named) == NAMED_AT_MOST:
                break
    more = ", …" if lost > len(named) else ""
    ranks = f"{lost} of {expected} ranks left no record (rank {', '.join(named)}{more}): their time is missing here."
    return [ranks + _of_whole_nodes(run)]


def _of_whole_nodes(run: Run) -> str:
    """Nodes of Slurm's step of which there is nothing at all: nobody has brought their records here."""
    told = {each for host in run.hosts if (each := host.facts.get("batch.SLURM_STEP_NODELIST"))}
    have = {name.partition(".")[0] for name in run.host_names}
    try:
        absent = [name for list_ in sorted(told) for name in names(list_) if name.partition(".")[0] not in have]
    except ClearwayError:
        return ""
    if not absent:
        return ""
    more = ", …" if len(absent) > NAMED_AT_MOST else ""
    return (
        f" There are no records of {', '.join(absent[:NAMED_AT_MOST])}{more}: if nodes do not share the directory, "
        f"each keeps the records of its own ranks. Copy them into one directory."
    )


def _ended_early(run: Run, books: Account) -> list[str]:
    early = np.flatnonzero(run.processes["state"] != State.EXITED).tolist()
    told = []
    for process in early[:NAMED_AT_MOST]:
        row = run.processes[process]
        call, open_s = inside(run, process), float(books.open_calls.time_s[process])
        after_s = float(row["end_s"] - row["begin_s"])
        since = f" for {open_s:.1f} s" if open_s >= 0.1 else ""
        told.append(f"{int(row['rank'])} after {after_s:.1f} s" + (f", in {call}{since}" if call else ""))
    if not told:
        return []
    more = f"; and {len(early) - len(told)} more" if len(early) > len(told) else ""
    subject = "1 rank has" if len(early) == 1 else f"{len(early)} ranks have"
    return [f"{subject} no end in the record (still running, or killed): rank {'; '.join(told)}{more}."]


def _left_alone(run: Run) -> list[str]:
    """Where the recorder stepped aside before the end."""
    ranks = sorted(int(run.processes["rank"][process]) for process in run.fact("process.recorded_until"))
    if not ranks:
        return []
    named = ", ".join(map(str, ranks[:NAMED_AT_MOST])) + (", …" if len(ranks) > NAMED_AT_MOST else "")
    who = f"Rank {named}" if len(ranks) == 1 else f"Ranks {named}"
    return [f"{who} switched on a filter of system calls (seccomp): what came after that is not recorded."]


def _dropped(run: Run) -> list[str]:
    found = []
    for kind, (of_one, of_more) in LOST_BY_KIND.items():
        number = int(run.dropped[kind])
        if number:
            found.append(f"{number:,} {of_one if number == 1 else of_more}.")
    return found


def _sampled(run: Run) -> list[str]:
    if run.event_level == 0:
        return []
    long_ms, windows = 10 * 2**run.event_level, 2**run.event_level
    sample = f"all longer than {long_ms} ms, and the others in one of {windows} windows of time"
    return [f"Waiting is estimated from a sample of the MPI calls: {sample}."]


def _undivided(run: Run, books: Account) -> list[str]:
    mpi_s = float(books.mpi_s.sum())
    undivided_s = float(books.ledger["mpi_undivided_s"].sum())
    if mpi_s <= 0 or undivided_s < UNDIVIDED_WORTH_SAYING * mpi_s:
        return []
    parts = books.functions["undivided_s"]
    first = run.functions.all[int(np.argmax(parts))].name
    what = f"{100 * undivided_s / mpi_s:.0f} % of the MPI time (most of it in {first})"
    return [f"{what} could not be divided into waiting and moving data: it is counted as moving data."]


def _stalls_elsewhere(run: Run, books: Account) -> list[str]:
    """Where the table of connections shows long stalls, and the ledger does not."""
    longest_s = float(run.seconds(run.sockets.process, run.sockets.data["stall_ticks"]).max(initial=0.0))
    in_ledger_s, wall_s = float(books.ledger["mpi_stall_s"].sum()), float(books.ledger["wall_s"].max())
    if longest_s < STALL_WORTH_SAYING * wall_s or in_ledger_s >= longest_s / 2:
        return []
    told = f"A connection was stalled for {longest_s:.1f} s, but the ledger has only {in_ledger_s:.2f} s of stalls"
    return [f"{told}: for the rest the ranks waited for others, or were not in an MPI call."]


def _one_of_several(run: Run, engine: Engine | None) -> list[str]:
    """Each simulation writes a log of its own, and one was read."""
    lines = run.fact("process.command_line").values()
    if engine is None or engine.name != "GROMACS" or not any("-multidir" in line.split() for line in lines):
        return []
    return ["GROMACS ran several simulations at once (-multidir): its speed is that of one of them, not of all."]


def _cache_without_files(run: Run) -> list[str]:
    """Of a cache that held nothing there is no section on the page: without this, nobody sees why it did not help."""
    asked = _variable(run, "CLEARWAY_IO_CACHE")
    if asked in ("", "off") or len(run.io_cache.data):
        return []
    patterns = _variable(run, "CLEARWAY_IO_CACHE_FILES")
    taken = (
        f"that match '{patterns}'" if patterns else "in TMPDIR (or /tmp) and in the scratch folders of known programs"
    )
    hint = "" if patterns else "; others are named with --io-cache-files"
    return [f"The I/O cache ({asked}) held none of the job's files: it takes those {taken}{hint}."]


def _flow_on_one_host(run: Run) -> list[str]:
    if _variable(run, "CLEARWAY_FLOW") in ("", "off") or len(run.flow.data) or len(run.host_names) > 1:
        return []
    return ["Flow (--flow) ordered nothing: among ranks of one host it leaves collective operations to the MPI."]


def _variable(run: Run, name: str) -> str:
    """Of the environment, as the first rank that tells had it."""
    return next(iter(run.fact(f"environment.{name}").values()), "")


def _clock(run: Run) -> list[str]:
    if not run.clock_error_s:
        return []
    error_us = run.clock_error_s * 1e6
    return [f"The hosts' clocks were aligned by the calls that ranks made together, to within {error_us:.0f} µs."]


def _residue(books: Account) -> list[str]:
    wall_s, residue_s = float(books.ledger["wall_s"].sum()), float(books.ledger["residue_s"].sum())
    if abs(residue_s) <= RESIDUE_WORTH_SAYING * wall_s:
        return []
    return [f"The lines exceed the wall-clock by {-residue_s:.2f} s: some seconds are counted on two of them."]
