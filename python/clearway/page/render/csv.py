"""The page as CSV: one file a table, one row an element, a header line, seconds and bytes as plain numbers."""

from __future__ import annotations

import csv
import dataclasses
import typing
from collections.abc import Iterable, Iterator, Sequence
from pathlib import Path

from clearway.base.errors import ClearwayError
from clearway.base.output_file import whole_file, write_error
from clearway.base.visible import visible
from clearway.engines.speed import Engine
from clearway.ledger.pop import Pop
from clearway.page import model as p
from clearway.page.model import Page

Row = dict[str, object]
LISTS: dict[str, type] = {
    "ranks": p.Rank,
    "mpi_calls": p.CallRow,
    "collectives": p.CollectiveRow,
    "sockets": p.Socket,
    "files": p.File,
    "hosts": p.Host,
    "blocked": p.Blocked,
    "functions": p.FunctionRow,
    "waited": p.Waited,
    "strip": p.Slice,
    "timeline": p.Step,
    "flow": p.FlowRow,
}
FORMULA = ("=", "+", "-", "@", "\t", "\r")


def write_csv(page: Page, directory: str | Path) -> None:
    """Writes `<table>.csv` for each table into `directory`, which is made. Raises ClearwayError."""
    folder = Path(directory)
    if folder.is_file():
        raise ClearwayError(f"cannot write the tables into {folder}: it is a file", "name a directory: --csv DIR")
    try:
        folder.mkdir(parents=True, exist_ok=True)
    except OSError as error:
        raise write_error(folder, error) from error
    for name, columns, rows in tables(page):
        with whole_file(folder / f"{name}.csv") as stream:
            writer = csv.DictWriter(stream, columns, lineterminator="\n")
            writer.writeheader()
            writer.writerows({key: cell(value) for key, value in row.items()} for row in rows)


def tables(page: Page) -> Iterator[tuple[str, Sequence[str], Iterable[Row]]]:
    """(name, columns, rows) of every table. A table without rows is its header."""
    facts = {**flat(page.job), "schema": page.schema, "sentence": page.sentence}
    yield "job", list(facts), [facts]
    yield "ledger", columns_of(p.Ledger), [flat(page.ledger)]
    yield "pop", columns_of(Pop), [flat(page.pop)]
    yield "cores", columns_of(p.CoreSeconds), [] if page.cores is None else [flat(page.cores)]
    of_ranks = () if page.cores is None else page.cores.ranks
    yield (
        "threads",
        ["rank", *columns_of(p.Thread)],
        ({"rank": one.rank, **flat(thread)} for one in of_ranks for thread in one.threads),
    )
    yield (
        "cores_by_rank",
        ["rank", *columns_of(p.CoreUse)],
        ({"rank": one.rank, **flat(core)} for one in of_ranks for core in one.by_core),
    )
    yield "engine", columns_of(Engine), [] if page.engine is None else [flat(page.engine)]
    yield "io_cache", columns_of(p.IoCache), [] if page.io_cache is None else [flat(page.io_cache)]
    sizes = () if page.io_cache is None else page.io_cache.sizes
    yield "io_cache_sizes", columns_of(p.IoCacheSize), (flat(one) for one in sizes)
    for name, kind in LISTS.items():
        yield name, columns_of(kind), (flat(one) for one in getattr(page, name))
    yield "message_sizes", columns_of(p.SizeBin), (flat(one) for one in page.messages.histogram)
    yield "matrix", ("from_rank", "to_rank", "ranks", "bytes"), matrix_rows(page)
    yield (
        "flow_ways",
        ["operation", "ranks", "hosts", "low_bytes", "high_bytes", "chosen", *columns_of(p.FlowWay)],
        ({**flow_key(row), **flat(way)} for row in page.flow for way in row.ways),
    )
    yield (
        "interfaces",
        ["host", *columns_of(p.Interface)],
        ({"host": host.name, **flat(card)} for host in page.hosts for card in host.interfaces),
    )
    yield (
        "host_facts",
        ("host", "name", "text"),
        ({"host": host.name, "name": name, "text": text} for host in page.hosts for name, text in host.facts.items()),
    )


def flow_key(row: p.FlowRow) -> Row:
    """What tells a row of the table `flow` from the others."""
    return {name: getattr(row, name) for name in ("operation", "ranks", "hosts", "low_bytes", "high_bytes", "chosen")}


def columns_of(kind: type) -> list[str]:
    """The columns that flat() makes of a dataclass, known without an element of it."""
    columns: list[str] = []
    for name, hint in typing.get_type_hints(kind).items():
        if dataclasses.is_dataclass(hint):
            columns += columns_of(typing.cast(type, hint))
        elif typing.get_origin(hint) not in (tuple, list, dict) or name == "notes":
            columns.append(name)
    return columns


def flat(value: object) -> Row:
    """The fields of a dataclass; those of a nested one take their place; lists have a table of their own."""
    row: Row = {}
    for field in dataclasses.fields(value):  # type: ignore[arg-type]
        member = getattr(value, field.name)
        if dataclasses.is_dataclass(member):
            row.update(flat(member))
        elif field.name == "notes":
            row[field.name] = "; ".join(member)
        elif not isinstance(member, tuple | list | dict):
            row[field.name] = member
    return row


def matrix_rows(page: Page) -> Iterator[Row]:
    """One row a pair that exchanged anything; `ranks` is how many ranks a block holds."""
    block = page.messages.matrix.block
    for sender, row in enumerate(page.messages.matrix.bytes):
        for receiver, sent in enumerate(row):
            if sent > 0:
                yield {"from_rank": sender * block, "to_rank": receiver * block, "ranks": block, "bytes": sent}


def cell(value: object) -> object:
    """None is empty; text that a spreadsheet would take for a formula gets an apostrophe, as spreadsheets have it."""
    if value is None:
        return ""
    if isinstance(value, str):
        text = visible(value)
        return f"'{text}" if text.startswith(FORMULA) else text
    return value
