"""A Schedule, the list of algorithms, and the checker's word as lines for a terminal."""

from __future__ import annotations

from collections.abc import Sequence

from rich.text import Text

from clearway.base import quantities as q
from clearway.base.sheet import Column, Sheet, heading, table
from clearway.schedule.model import (
    BLOCK_OPERATIONS,
    REDUCTIONS,
    VECTOR_OPERATIONS,
    Algorithm,
    Schedule,
    Traffic,
    phase_name,
)
from clearway.schedule.pattern import pattern

PROMISES = {
    "any": "This algorithm does not keep network ports from carrying several messages at once.",
    "one_host": "In a phase each network port sends to one host and receives from one: nothing collides in the switch.",
    "one_message": "In a phase each network port carries at most one message in each direction.",
}
PROVED_OF_PORTS = {
    "one_host": "no network port serves more than one host in a direction and phase",
    "one_message": "no network port carries more than one message in a direction and phase",
}


def title(schedule: Schedule, sheet: Sheet) -> Text:
    request = schedule.request
    size = f"about {q.bytes_(request.block_bytes)}" if request.uneven else q.bytes_(request.block_bytes)
    if request.operation == "barrier":
        size = "no data"
    else:
        size = f"vectors of {size}" if request.operation in VECTOR_OPERATIONS else f"{size} a block"
    note = f"{q.plural(schedule.ranks, 'rank')} on {q.plural(schedule.hosts, 'host')} · {size}"
    return heading(f"{request.algorithm} {request.operation}", note, sheet)


def phase_table(schedule: Schedule, sheet: Sheet, most: int) -> list[Text]:
    """A line a phase, and one for all of them."""
    columns = (
        Column("phase", left=True),
        Column("messages"),
        Column("between hosts", keep=4),
        Column("on busiest port", keep=4),
        Column("its bytes"),
        Column("who sends to whom", keep=1, left=True, flexible=20),
    )
    count = len(schedule.phases)
    shown = count if count <= most + 1 else most
    rows = [
        [phase_name(phase, count), *figures(schedule.phases[phase]), who(schedule, phase)] for phase in range(shown)
    ]
    if count > 1:
        rows.append(["all", *figures(schedule.total), ""])
    lines = table(columns, rows, sheet)
    if shown < count:
        lines.append(Text(f"  … and {count - shown:,} more phases (--all shows them)", style="dim"))
    return lines


def figures(traffic: Traffic) -> list[str]:
    return [
        q.count(traffic.messages),
        q.count(traffic.crossing_messages),
        q.count(traffic.port_messages),
        q.bytes_(traffic.port_bytes),
    ]


def who(schedule: Schedule, phase: int) -> str:
    return "" if schedule.sends is None else pattern(schedule.sends_in(phase), schedule.request.hosts)


def promise(schedule: Schedule) -> Text:
    return Text(PROMISES[schedule.port_use])


def algorithm_table(algorithms: Sequence[Algorithm], sheet: Sheet) -> list[Text]:
    """Those that move blocks, and those that do with a vector what all need of it."""
    what = Column("what it does", keep=1, left=True, flexible=20)
    columns = (
        Column("algorithm", left=True),
        Column("alltoall", left=True),
        Column("allgather", left=True),
        what,
    )
    rows = [
        [a.name, forms(a, "alltoall"), forms(a, "allgather"), a.summary]
        for a in algorithms
        if not set(a.operations).isdisjoint(BLOCK_OPERATIONS)
    ]
    on_vectors = [[a.name, on_vector(a), a.summary] for a in algorithms if on_vector(a)]
    vector_columns = (Column("algorithm", left=True), Column("of a vector", left=True), what)
    return [*table(columns, rows, sheet), Text(), *table(vector_columns, on_vectors, sheet)]


def forms(algorithm: Algorithm, stem: str) -> str:
    """Of alltoall and alltoallv: "plain v"."""
    return " ".join(name.removeprefix(stem) or "plain" for name in algorithm.operations if name.startswith(stem))


def on_vector(algorithm: Algorithm) -> str:
    return " ".join(name for name in algorithm.operations if name in VECTOR_OPERATIONS)


def verdict(schedule: Schedule) -> list[Text]:
    """What the checker found, or what it proved."""
    request = schedule.request
    where = f"{q.plural(schedule.ranks, 'rank')} on {q.plural(schedule.hosts, 'host')}"
    what = f"{request.algorithm} {request.operation}, {where}" + (
        f", {request.gate} between phases" if request.gate != "none" else ""
    )
    if schedule.violations:
        found = [Text(f"  {violation.fault}: {violation.sentence}") for violation in schedule.violations]
        return [Text(f"unsound: {what}"), *found]
    messages, phases = q.plural(schedule.total.messages, "message"), q.plural(len(schedule.phases), "phase")
    if request.operation == "barrier":
        what_holds = "every rank waits for every other"
    elif request.operation in REDUCTIONS:
        what_holds = "every rank's part enters each result exactly once"
    else:
        what_holds = "every byte arrives exactly once, at its place"
    proved = [f"{what_holds}, in {messages} and {phases}"]
    if schedule.port_use != "any":
        proved.append(PROVED_OF_PORTS[schedule.port_use])
    proved.append("no order of events can hang it")
    return [Text(f"sound: {what}"), *(Text(f"  {line}") for line in proved)]
