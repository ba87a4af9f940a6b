"""Workloads as tables for a terminal."""

from __future__ import annotations

from collections.abc import Iterable, Iterator

from rich.text import Text

from clearway.base import quantities as q
from clearway.base.sheet import QUIET, Cell, Column, Sheet, heading, more, paragraph, table
from clearway.predict.models.catalogue import find_program
from clearway.predict.models.model import System
from clearway.predict.models.script import WORLD, Script
from clearway.predict.models.traffic import Row, Traffic, traffic_of

MOST_ROWS = 16

LIST_COLUMNS = (
    Column("workload", left=True),
    Column("system", left=True),
    Column("atoms"),
    Column("one core, a step"),
    Column("source of the time", left=True, keep=2, flexible=20),
)
CALL_COLUMNS = (
    Column("call", left=True),
    Column("calls a rank"),
    Column("message"),
    Column("messages a rank", keep=3),
    Column("moved", keep=4),
    Column("on", left=True, keep=2),
)


def list_table(names: Iterable[str], sheet: Sheet) -> list[Text]:
    return table(LIST_COLUMNS, list(_systems(names)), sheet)


def _systems(names: Iterable[str]) -> Iterator[list[Cell]]:
    for name in names:
        for system_name, system in find_program(name).SYSTEMS.items():
            yield [name, system_name, q.count(system.atoms), q.seconds(system.serial_ns * 1e-9), system.timing]


def page(script: Script, name: str, system: System, sheet: Sheet) -> list[Text]:
    """What the ranks do in a step, and who says so."""
    traffic = traffic_of(script)
    rows = traffic.rows[: sheet.cut(traffic.rows, MOST_ROWS)]
    story = (find_program(name).__doc__ or "").strip()
    return [
        heading(script.title, f"{q.count(system.atoms)} atoms", sheet),
        *paragraph(
            Text(f"{system.words[:1].upper()}{system.words[1:]}. {' '.join(story.split())}", style=QUIET), sheet.width
        ),
        Text(),
        Text(
            f"In each step a rank computes for {computing(traffic, script.ranks)}, and {q.count(traffic.messages)} "
            f"messages move {q.bytes_(traffic.bytes)}."
        ),
        Text(f"One core takes {q.seconds(system.serial_ns * 1e-9)} for each time step: {system.timing}."),
        Text(),
        *table(CALL_COLUMNS, [_cells(row, script.ranks) for row in rows], sheet),
        *more(len(traffic.rows) - len(rows), "kinds of calls", sheet),
    ]


def computing(traffic: Traffic, ranks: int) -> str:
    mean, most = traffic.computing_ns / ranks * 1e-9, traffic.most_computing_ns * 1e-9
    return q.seconds(mean) + (f" (at most {q.seconds(most)})" if most > 1.005 * mean else "")


def _cells(row: Row, ranks: int) -> list[Cell]:
    return [
        row.kind,
        per_rank(row.calls, ranks),
        q.bytes_(row.bytes),
        per_rank(row.messages, ranks),
        q.bytes_(row.moved_bytes),
        "" if row.communicator == WORLD else row.communicator,
    ]


def per_rank(number: int, ranks: int) -> str:
    return q.count(number // ranks) if number % ranks == 0 else q.three_digits(number / ranks)
