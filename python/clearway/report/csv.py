"""The page as CSV: one file a table, one row an element, a header line, seconds and bytes as plain numbers."""

from __future__ import annotations

import csv
import dataclasses
from collections.abc import Iterable, Iterator, Sequence
from pathlib import Path

from clearway.page import Page
from clearway.report.output_file import whole_file, write_error
from clearway.report.visible import storable

Row = dict[str, object]
FORMULA = ("=", "+", "-", "@", "\t", "\r")


def write_csv(page: Page, directory: str | Path) -> None:
    """Writes `<table>.csv` for each table into `directory`, which is made. Raises ClearwayError."""
    folder = Path(directory)
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
    """(name, columns, rows) of every table. A table without rows has only its header."""
    yield single("job", {**flat(page.job), "schema": page.schema, "sentence": page.sentence})
    yield single("ledger", flat(page.ledger))
    yield single("pop", flat(page.pop))
    if page.engine is not None:
        yield single("engine", flat(page.engine))
    for name in ("ranks", "mpi_calls", "collectives", "sockets", "files", "hosts", "timeline"):
        rows = [flat(one) for one in getattr(page, name)]
        if rows:
            yield name, list(rows[0]), rows
    bins = [flat(one) for one in page.messages.histogram]
    yield "message_sizes", ("low_bytes", "high_bytes", "count", "bytes"), bins
    yield "matrix", ("from_rank", "to_rank", "ranks", "bytes"), matrix_rows(page)
    yield (
        "interfaces",
        INTERFACE_COLUMNS,
        ({"host": host.name, **flat(card)} for host in page.hosts for card in host.interfaces),
    )
    yield (
        "host_facts",
        ("host", "name", "text"),
        ({"host": host.name, "name": name, "text": text} for host in page.hosts for name, text in host.facts.items()),
    )


INTERFACE_COLUMNS = (
    "host",
    "name",
    "speed_mbit",
    "duplex",
    "received_bytes",
    "sent_bytes",
    "drops",
    "errors",
    "pause_received",
    "pause_sent",
)


def single(name: str, row: Row) -> tuple[str, Sequence[str], Iterable[Row]]:
    return name, list(row), [row]


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
        text = storable(value)
        return f"'{text}" if text.startswith(FORMULA) else text
    return value
