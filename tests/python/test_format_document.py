"""docs/run-format.md says of every field what layout.py says."""

from __future__ import annotations

import re
from pathlib import Path

import numpy as np
import pytest

from clearway.run import layout

DOCUMENT = (Path(__file__).parents[2] / "docs" / "run-format.md").read_text()
STRUCTS = {"FileHeader": layout.FILE_HEADER, "SegmentEntry": layout.SEGMENT_ENTRY}
STRUCTS |= {f"Kind {kind.value}": layout.ELEMENT[kind][0] for kind in layout.SegmentKind}


def type_name(dtype: np.dtype[np.void]) -> str:
    if dtype.subdtype is not None:
        return f"{type_name(dtype.subdtype[0])}[{dtype.subdtype[1][0]}]"
    if dtype.kind == "S":
        return f"char[{dtype.itemsize}]"
    if dtype.kind == "V":
        return "Instant" if dtype.names else f"u8[{dtype.itemsize}]"
    return f"{dtype.kind}{dtype.itemsize * 8}"


@pytest.mark.parametrize("title", STRUCTS)
def test_every_field_is_described(title: str) -> None:
    section = re.search(rf"^### {title}\b(.*?)(?=^##|\Z)", DOCUMENT, re.M | re.S)
    assert section, title
    rows = re.findall(r"^\| (\d+) \| (\S+) \| `(\w+)` \| (.+) \|$", section.group(1), re.M)
    told = [(name, int(offset), type_) for offset, type_, name, meaning in rows if meaning.strip()]
    fields = STRUCTS[title].fields or {}
    assert told == [(name, int(field[1]), type_name(field[0])) for name, field in fields.items()]


def test_sizes_and_version() -> None:
    assert f"The Run record, version {layout.VERSION}\n" in DOCUMENT
    for kind in layout.SegmentKind:
        assert f"{layout.ELEMENT[kind][0].itemsize} bytes)" in DOCUMENT
    assert f"FileHeader (at 0; {layout.FILE_HEADER.itemsize} bytes" in DOCUMENT
