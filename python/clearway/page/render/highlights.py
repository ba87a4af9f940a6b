"""What of a page deserves a reader's eye: the marks and thresholds that all renderers share."""

from __future__ import annotations

from collections.abc import Sequence

from clearway.base import quantities as q
from clearway.base.visible import visible
from clearway.ledger.pop import Pop
from clearway.page.model import Blocked, FlowRow, IoCache, Page, Rank, Socket, Waited

UNNAMED = "unnamed"  # a communicator that its program gave no name
UNEVEN = 0.05  # spread of CPU utilisation over the ranks that is worth a word
POP_MARK = 0.8  # an efficiency from here on is called good (pop-coe.eu)
BLOCKED_WORTH_SAYING = 0.01  # of the wall-clock of all ranks
MOST_BLOCKED = 6
MOSTLY_ONE = 0.6  # of what was waited: for one rank
LONGEST_BLOCKED = 80
HELD_BACK = 0.05  # share of its busy time that a buffer held a connection back


def inside(page: Page, line: str) -> str:
    """What a line of the ledger is made of, as far as it is worth saying and the record tells."""
    return waited_for(page) if line == "mpi_wait_s" else blocked_in(page, line)


def waited_for(page: Page) -> str:
    """ "for ranks that computed longer 12.3 s (8.10 s for rank 3) · for ranks in file functions 1.20 s" """
    rows = [row for row in page.waited if _worth_saying(row, page)]
    return " · ".join(f"{row.what} {_unbroken(q.seconds(row.seconds))}{_most(row, page)}" for row in rows)


def _most(row: Waited, page: Page) -> str:
    if row.most_rank is None or row.most_s < MOSTLY_ONE * row.seconds or page.job.ranks < 3:
        return ""
    return f" (rank {row.most_rank}: {_unbroken(q.seconds(row.most_s))})"


def blocked_in(page: Page, line: str) -> str:
    """What ranks were doing in a line of the ledger: "sleeping 12.3 s · waiting for a child 4.10 s (164 samples)"."""
    rows = [row for row in page.blocked if row.line == line and _worth_saying(row, page)][:MOST_BLOCKED]
    said = " · ".join(f"{visible(row.what, LONGEST_BLOCKED)} {_unbroken(q.seconds(row.seconds))}" for row in rows)
    samples = sum(row.samples for row in rows)
    return said + (f" ({_unbroken(q.plural(samples, 'sample'))})" if samples else "")


def _unbroken(figure: str) -> str:
    """A figure and its unit stay on one line."""
    return figure.replace(" ", "\N{NO-BREAK SPACE}")


def _worth_saying(row: Blocked | Waited, page: Page) -> bool:
    return row.seconds >= BLOCKED_WORTH_SAYING * page.ledger.wall_s > 0


def spread(ranks: Sequence[Rank]) -> str:
    """Uneven CPU use is the oldest sign of ranks that wait for each other."""
    if len(ranks) < 2:
        return ""
    low = min(ranks, key=lambda one: one.cpu_utilisation)
    high = max(ranks, key=lambda one: one.cpu_utilisation)
    manner = "uneven" if high.cpu_utilisation - low.cpu_utilisation > UNEVEN else "even"
    span = f"{q.percent(low.cpu_utilisation)} (rank {low.rank}) to {q.percent(high.cpu_utilisation)} (rank {high.rank})"
    return f"CPU use {manner}: {span}"


def efficiencies(pop: Pop) -> list[tuple[int, str, float | None]]:
    """(depth in the tree, name, value); a value is the product of those one deeper below it."""
    return [
        (0, "parallel efficiency", pop.parallel_efficiency),
        (1, "load balance", pop.load_balance),
        (1, "communication", pop.communication_efficiency),
        (2, "serialisation", pop.serialisation_efficiency),
        (2, "transfer", pop.transfer_efficiency),
    ]


def telling(one: Socket) -> bool:
    """A connection that lost packets or was held back."""
    return one.retransmits > 0 or one.timeouts > 0 or one.stall_s > 0 or bool(held_back(one))


def held_back(one: Socket) -> str:
    limits = (("receiver's window", one.rwnd_limited_s), ("send buffer", one.sndbuf_limited_s))
    held = [(name, value) for name, value in limits if one.busy_s > 0 and value > HELD_BACK * one.busy_s]
    return ", ".join(f"{name} {q.whole_percent(value, one.busy_s)}" for name, value in held)


def way_name(candidate: str | None) -> str:
    """A way of making a collective call, in words where it has any."""
    return {None: "still trying", "own": "the MPI's own"}.get(candidate, candidate or "")


def size_of(row: FlowRow) -> str:
    """The size of an operation's blocks; those of an MPI_Alltoallv vary, and no rank knows all of them."""
    if row.low_bytes is None or row.high_bytes is None:
        return "various"
    return q.size_range(row.low_bytes, row.high_bytes)


def gain(row: FlowRow) -> str:
    """How many times faster than the MPI's own: "×1.9", and nothing where that is what ran."""
    return "" if row.gain is None or row.chosen == "own" else f"×{q.three_digits(row.gain)}"


def trial_cost(rows: Sequence[FlowRow]) -> str:
    """What finding the best ways has cost; nothing where it is not known, or no other way was tried."""
    calls = sum(row.trial_calls or 0 for row in rows)
    if calls == 0:
        return ""
    regret = q.seconds(sum(row.regret_s or 0.0 for row in rows))
    way = "1 call went another way" if calls == 1 else f"{q.count(calls)} calls went other ways"
    return f"The trial: {way} than the best, and took {regret} longer than it."


def io_cache_note(one: IoCache) -> str:
    processes = "1 process" if one.processes == 1 else f"{one.processes:,} processes"
    return f"{processes} · policy {one.policy}" if one.policy else processes


def io_cache_facts(one: IoCache) -> list[tuple[str, str]]:
    """The figures, in the order in which ADF prints those of its own cache."""
    each = " at most in each process" if one.processes > 1 else ""
    used = f", {q.count(one.peak_records)} used"
    share = q.percent(one.conflicts, one.lookups) if one.lookups else "0.0 %"
    return [
        ("memory available", f"{q.bytes_(one.budget_bytes)}{each}"),
        ("records fitting in memory", f"{q.count(one.records)} of {q.bytes_(one.record_bytes)}{used}"),
        ("input", _of_records(one.fetched_records, one.read_records, "came from files")),
        ("output", _of_records(one.stored_records, one.written_records, "went to files")),
        ("records evicted", f"{q.count(one.evicted_serial)} of serial files, {q.count(one.evicted_other)} of others"),
        ("hash table", f"{q.count(one.lookups)} lookups, {q.count(one.conflicts)} conflicts ({share})"),
        ("time in files", q.seconds(one.file_s)),
        ("files", f"{one.files:,} served, {one.deleted_files:,} deleted, {one.left_files:,} returned to the kernel"),
    ]


def _of_records(moved: int, all_of_them: int, went: str) -> str:
    if not all_of_them:
        return f"{_records(moved)} {went}" if moved else "none"
    if moved > all_of_them:  # a file that is read from front to back is read ahead
        return f"{_records(all_of_them)}, and {q.count(moved)} {went}: some of them read ahead"
    return f"{q.percent(moved, all_of_them)} of {_records(all_of_them)} {went}"


def _records(number: int) -> str:
    return "1 record" if number == 1 else f"{q.count(number)} records"


def io_cache_verdict(one: IoCache) -> str:
    """Is it large enough?"""
    if one.store_errors:
        return f"{one.store_errors:,} writes to files failed: data may be missing in them."
    if one.peak_records == 0:
        left = "the one file" if one.files == 1 else f"each of the {one.files:,} files"
        return f"Nothing was kept in memory: {left} was returned to the kernel before it was read or written."
    if one.fits:
        return "Everything fitted: a larger cache would not help."
    if one.enough_bytes is None:
        return "Not everything fitted: with more memory, less would be read from files."
    if one.enough_bytes <= one.budget_bytes:
        return "It was large enough: a larger cache would hardly help."
    gives = "" if one.enough_wall_s is None else f", for {q.seconds(one.enough_wall_s)} in all"
    each = " in each process" if one.processes > 1 else ""
    return f"Too small: {q.bytes_(one.enough_bytes)}{each} would have been enough{gives}."
