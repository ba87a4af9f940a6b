"""What a command did while none of its MPI programs ran: a script that copies, waits, or analyses in between."""

from __future__ import annotations

import math
from collections.abc import Collection, Iterable
from pathlib import PurePath

from clearway.run.launches import fact, recorded_ns
from clearway.run.reader import Record
from clearway.run.run import Launch, Outside

WORTH_S, WORTH = 2.0, 0.2  # and the share of the command's time; launchers take a second or so
NAMED = 3
WORTH_NAMING = 0.1  # of that time
TESTBED = ("clearway", "testbed")  # it is there before the job and after it

Span = tuple[int, int]  # nanoseconds of CLOCK_REALTIME


def outside(launch: Launch | None, records: Iterable[Record]) -> Outside | None:
    """`records`: of all processes of the job. None where it is not worth telling, or not known."""
    if launch is None or launch.started_ns is None or launch.ended_ns is None or _is_testbed(launch):
        return None
    whole = launch.started_ns, launch.ended_ns
    processes = [*records]
    ranks = union(span_of(record) for record in processes if record.header["rank"] >= 0)
    if not ranks:
        return None
    without_ns = left_of(whole, ranks)
    if without_ns < max(WORTH_S * 1e9, WORTH * (whole[1] - whole[0])):
        return None
    others = [record for record in processes if record.header["rank"] < 0]
    around_others = _around_others({span_of(record) for record in processes})
    found: dict[str, int] = {}
    for record in others:
        span = span_of(record)
        if span in around_others:
            continue  # a shell, or a launcher: what it started tells more
        name = PurePath((fact(record, b"process.command_line") or "").partition(" ")[0]).name
        found[name] = found.get(name, 0) + left_of(span, ranks)
    named = sorted(found.items(), key=lambda each: -each[1])[:NAMED]
    programs = tuple((name, ns * 1e-9) for name, ns in named if name and ns > WORTH_NAMING * without_ns)
    return Outside(without_ns * 1e-9, (whole[1] - whole[0]) * 1e-9, programs)


def _is_testbed(launch: Launch) -> bool:
    return tuple(PurePath(word).name for word in launch.command[:2]) == TESTBED


def span_of(record: Record) -> Span:
    """From the start of the process, which may have begun as another program (a wrapper that ends with exec)."""
    start = record.header["start"]
    earlier_ns = max(int(start["monotonic_ns"]) - int(record.header["process_start_monotonic_ns"]), 0)
    begin_ns = int(start["realtime_ns"])
    return begin_ns - earlier_ns, begin_ns + recorded_ns(record)


def _around_others(spans: Collection[Span]) -> set[Span]:
    """Those that hold another one: a script may have started thousands of programs."""
    found: set[Span] = set()
    first_end_ns: float = math.inf  # of all that begin later, or at the same time and end sooner
    for span in sorted(spans, key=lambda each: (-each[0], each[1])):
        if first_end_ns <= span[1]:
            found.add(span)
        first_end_ns = min(first_end_ns, span[1])
    return found


def union(spans: Iterable[Span]) -> list[Span]:
    joined: list[Span] = []
    for begin_ns, end_ns in sorted(spans):
        if joined and begin_ns <= joined[-1][1]:
            joined[-1] = joined[-1][0], max(joined[-1][1], end_ns)
        else:
            joined.append((begin_ns, end_ns))
    return joined


def left_of(span: Span, taken: Iterable[Span]) -> int:
    """Of a span, what is outside of those."""
    inside = sum(max(min(span[1], end_ns) - max(span[0], begin_ns), 0) for begin_ns, end_ns in taken)
    return max(span[1] - span[0] - inside, 0)
