"""docs/schedules.md says what the program makes."""

from __future__ import annotations

import re

import pytest
from harness.mpis import REPOSITORY
from schedule.schedules import NAMES, schedule

from clearway.schedule.native import list_algorithms
from clearway.schedule.svg_picture import draw

PAGE = (REPOSITORY / "docs" / "schedules.md").read_text(encoding="utf-8")
PICTURES = {
    "direct": ("alltoall", [1] * 5),
    "ordered": ("alltoall", [1] * 5),
    "node_ordered": ("alltoall", [2] * 4),
    "pairwise": ("alltoall", [1] * 6),
    "port_pairs": ("alltoall", [2] * 4),
    "bruck": ("alltoall", [1] * 5),
    "ring": ("allgather", [1] * 5),
    "recursive_doubling": ("allgather", [1] * 6),
    "hierarchical": ("alltoall", [2] * 3),
    "binomial": ("bcast", [1] * 8),
    "chain": ("bcast", [1] * 5),
    "linear": ("bcast", [1] * 5),
    "scatter_ring": ("bcast", [1] * 4),
    "rabenseifner": ("allreduce", [1] * 6),
    "dissemination": ("barrier", [1] * 5),
}
COLUMNS = [("alltoall", [1] * 8), ("alltoall", [2] * 8), ("allgather", [1] * 8), ("allgather", [2] * 8)]
VECTOR_COLUMNS = [
    ("bcast", [1] * 8),
    ("reduce", [1] * 8),
    ("allreduce", [1] * 8),
    ("allreduce", [2] * 8),
    ("reduce_scatter", [2] * 8),
]
FORMS = {"alltoall(v, w)": ("alltoall", "alltoallv", "alltoallw"), "allgather(v)": ("allgather", "allgatherv")}


def rows(name: str) -> list[list[str]]:
    """The page's table rows about an algorithm: the table of algorithms, then that of traffic."""
    found = re.findall(rf"^\| `{name}` \|(.*)\|$", PAGE, re.MULTILINE)
    return [[cell.strip() for cell in row.split("|")] for row in found]


@pytest.mark.parametrize("name", NAMES)
def test_operations(name: str) -> None:
    operations = {each.name: set(each.operations) for each in list_algorithms()}
    told = re.findall(r"\w+(?:\([^)]*\))?", rows(name)[0][0])
    assert {operation for form in told for operation in FORMS.get(form, (form,))} == operations[name]


@pytest.mark.parametrize("name", NAMES)
def test_traffic(name: str) -> None:
    for row in rows(name)[1:]:
        is_of_vectors = len(row) == len(VECTOR_COLUMNS)
        unit = 1600 if is_of_vectors else 1
        for cell, (operation, sizes) in zip(row, VECTOR_COLUMNS if is_of_vectors else COLUMNS, strict=True):
            if not cell:
                continue
            made = schedule(name, *sizes, operation=operation, block_bytes=unit)
            most = max(phase.port_messages for phase in made.phases)
            noun = "vectors" if is_of_vectors else "blocks"
            assert cell == f"{made.total.port_bytes / unit:g} {noun}, {most} at once"


@pytest.mark.parametrize("name", PICTURES)
def test_pictures(name: str) -> None:
    operation, sizes = PICTURES[name]
    file = REPOSITORY / "docs" / "schedules" / f"{name}.svg"
    assert draw(schedule(name, *sizes, operation=operation)) == file.read_text(encoding="utf-8")
    assert f"](schedules/{name}.svg)" in PAGE


def test_faults() -> None:
    source = (REPOSITORY / "native" / "schedule" / "check.hpp").read_text(encoding="utf-8")
    faults = re.findall(r"^    (\w+),\s+// ", source, re.MULTILINE)
    assert len(faults) == 11
    section = PAGE.partition("## What the checker proves")[2]
    assert re.findall(r"^\| `(\w+)` \|", section, re.MULTILINE) == faults
