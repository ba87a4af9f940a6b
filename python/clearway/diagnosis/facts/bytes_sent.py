"""What ranks send to ranks of their own host and to those of others, as far as their MPI calls name a receiver."""

from __future__ import annotations

from collections.abc import Iterator

from clearway.diagnosis.facts.tables import Tables


def sent_inside_hosts(tables: Tables) -> float:
    """Bytes; what a rank sends to itself is left out."""
    one_rank_a_row = tables.messages.matrix.block == 1
    return sum(
        sent for row, column, sent, inside in _cells(tables) if inside and not (one_rank_a_row and row == column)
    )


def sent_between_hosts(tables: Tables) -> float:
    """Bytes."""
    return sum(sent for _, _, sent, inside in _cells(tables) if not inside)


def _cells(tables: Tables) -> Iterator[tuple[int, int, float, bool]]:
    """Row, column, bytes, and whether both are on one host (of blocks of ranks: the first of each)."""
    matrix = tables.messages.matrix
    hosts = [tables.ranks[row * matrix.block].host for row in range(len(matrix.bytes))]
    for row, line in enumerate(matrix.bytes):
        for column, sent in enumerate(line):
            yield row, column, sent, hosts[row] == hosts[column]
