"""The table that the flow library starts from: the best algorithm for each operation, ranks, hosts and size.

Text, a line an entry: `operation ranks hosts block_bytes candidate`. Comments begin with #.
"""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import dataclass
from pathlib import Path

from clearway.base.errors import ClearwayError
from clearway.base.output_file import whole_file
from clearway.base.whole import is_whole

HEADER = "# clearway flow table 1"


@dataclass(frozen=True, slots=True, order=True)
class Key:
    """What an algorithm is chosen by."""

    operation: str
    ranks: int
    hosts: int
    block_bytes: int

    def __str__(self) -> str:
        return f"{self.operation} {self.ranks} {self.hosts} {self.block_bytes}"


@dataclass(frozen=True, slots=True, order=True)
class Entry:
    """The candidate to use, and a remark on how it was found."""

    candidate: str
    remark: str = ""


Table = dict[Key, Entry]


def write_table(table: Table, path: Path) -> None:
    with whole_file(path) as stream:
        stream.write("\n".join(lines_of(table)) + "\n")


def lines_of(table: Table) -> Iterable[str]:
    yield HEADER
    yield "# operation ranks hosts block_bytes candidate"
    for key, entry in sorted(table.items()):
        if entry.remark:
            yield f"# {entry.remark}"
        yield f"{key} {entry.candidate}"


def read_table(path: Path) -> Table:
    """Raises ClearwayError where `path` is no such table."""
    try:
        lines = path.read_text(encoding="utf-8").splitlines()
    except (OSError, UnicodeDecodeError) as error:
        raise ClearwayError(
            f"cannot read the table '{path}': {error}", "`clearway bench --save-table FILE` writes one"
        ) from None
    if not lines or lines[0].strip() != HEADER:
        raise ClearwayError(f"'{path}' is not a flow table: it does not begin with '{HEADER}'", "choose another file")
    table: Table = {}
    remark = ""
    for number, line in enumerate(lines[1:], 2):
        words = line.split()
        if line.startswith("#") or not words:
            remark = line.removeprefix("#").strip()
            continue
        if len(words) != 5 or not all(is_whole(word) for word in words[1:4]):
            raise ClearwayError(
                f"cannot read line {number} of '{path}': '{line}'",
                "a line is: operation ranks hosts block_bytes candidate",
            )
        table[Key(words[0], int(words[1]), int(words[2]), int(words[3]))] = Entry(words[4], remark)
        remark = ""
    return table
