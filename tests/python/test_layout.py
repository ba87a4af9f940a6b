"""layout.py is what the compiler makes of layout.hpp and what it includes, offset by offset."""

from __future__ import annotations

import re
import shutil
import subprocess
from pathlib import Path

import numpy as np
import pytest

from clearway.run import layout

NATIVE = Path(__file__).parents[2] / "native"
RECORD = NATIVE / "run_record"
HEADER = "".join(path.read_text() for path in (RECORD / "layout.hpp", *sorted((RECORD / "layout").glob("*.hpp"))))
STRUCTS = {
    "Instant": layout.INSTANT,
    "FileHeader": layout.FILE_HEADER,
    "SegmentEntry": layout.SEGMENT_ENTRY,
    "FunctionName": layout.FUNCTION_NAME,
    "ThreadCell": layout.THREAD_CELL,
    "CommCell": layout.COMM_CELL,
    "CallCell": layout.CALL_CELL,
    "EventRecord": layout.EVENT_RECORD,
    "FileCell": layout.FILE_CELL,
    "OutputCell": layout.OUTPUT_CELL,
    "LockCell": layout.LOCK_CELL,
    "SocketCell": layout.SOCKET_CELL,
    "StallRecord": layout.STALL_RECORD,
    "Fact": layout.FACT,
    "Counter": layout.COUNTER,
    "TimelineRecord": layout.TIMELINE_RECORD,
    "FlowCell": layout.FLOW_CELL,
    "FlowTrial": layout.FLOW_TRIAL,
    "IoCacheCell": layout.IO_CACHE_CELL,
    "IoSizeCell": layout.IO_SIZE_CELL,
    "ActivityCell": layout.ACTIVITY_CELL,
    "Reading": layout.READING,
    "ThreadsReading": layout.THREADS_READING,
    "OpenCall": layout.OPEN_CALL,
    "ThreadUse": layout.THREAD_USE,
    "ConcurrencyCell": layout.CONCURRENCY_CELL,
    "CoreCell": layout.CORE_CELL,
    "CodeRange": layout.CODE_RANGE,
    "CodeSample": layout.CODE_SAMPLE,
    "TeamCell": layout.TEAM_CELL,
    "MpiFileCell": layout.MPI_FILE_CELL,
    "PackedHeader": layout.PACKED_HEADER,
}
ENUMS = {
    "FileKind": layout.FileKind,
    "State": layout.State,
    "SegmentKind": layout.SegmentKind,
    "FunctionClass": layout.FunctionClass,
    "EventKind": layout.EventKind,
    "Activity": layout.Activity,
    "Place": layout.Place,
    "Awaits": layout.Awaits,
}


def fields_of(struct: str) -> list[str]:
    """Names of a struct's fields, as the header declares them."""
    body = re.search(rf"^struct {struct} {{(.*?)^}};", HEADER, re.M | re.S)
    assert body, struct
    text = re.sub(r"//[^\n]*", "", body.group(1))
    names = []
    for declaration in text.split(";"):
        names += re.findall(r"(\w+)(?:\[\w+\])?\s*(?:,|$)", re.sub(r"^\s*[\w:]+\s", "", declaration.strip()))
    return names


@pytest.fixture(scope="module")
def compiled(tmp_path_factory: pytest.TempPathFactory) -> dict[str, tuple[int, int]]:
    """(offset, size) by "Struct.field", and the structs' own sizes, from the compiler."""
    compiler = shutil.which("c++") or shutil.which("g++") or shutil.which("clang++")
    if compiler is None:
        pytest.skip("no C++ compiler")
    lines = []
    for struct in STRUCTS:
        lines.append(f'printf("{struct} 0 %zu\\n", sizeof({struct}));')
        for name in fields_of(struct):
            member = f"{struct}::{name}"
            lines.append(f'printf("{struct}.{name} %zu %zu\\n", offsetof({struct}, {name}), sizeof({member}));')
    folder = tmp_path_factory.mktemp("layout")
    source = folder / "layout.cpp"
    source.write_text(
        '#include <cstddef>\n#include <cstdio>\n#include "run_record/layout.hpp"\nusing namespace clearway;\n'
        "int main() {\n" + "\n".join(lines) + "\n}\n"
    )
    subprocess.run([compiler, "-std=c++20", f"-I{NATIVE}", source, "-o", folder / "layout"], check=True, timeout=60)
    output = subprocess.run([folder / "layout"], check=True, capture_output=True, text=True, timeout=10).stdout
    return {name: (int(offset), int(size)) for name, offset, size in map(str.split, output.splitlines())}


def test_no_struct_is_left_out() -> None:
    assert set(re.findall(r"^struct (\w+) {", HEADER, re.M)) == set(STRUCTS)


@pytest.mark.parametrize("struct", STRUCTS)
def test_struct(struct: str, compiled: dict[str, tuple[int, int]]) -> None:
    dtype = STRUCTS[struct]
    assert dtype.itemsize == compiled[struct][1]
    assert list(dtype.names or ()) == fields_of(struct)
    for name, (field_type, offset, *_) in (dtype.fields or {}).items():
        assert (offset, field_type.itemsize) == compiled[f"{struct}.{name}"], name


@pytest.mark.parametrize("enum", ENUMS)
def test_enum(enum: str) -> None:
    body = re.search(rf"enum class {enum} [^{{]*{{(.*?)}};", HEADER, re.S)
    assert body
    declared = {name.upper(): int(value) for name, value in re.findall(r"(\w+) = (\d+)", body.group(1))}
    assert declared == {member.name: member.value for member in ENUMS[enum] if member.name != "UNKNOWN"}


def test_constants() -> None:
    declared = dict(re.findall(r"constexpr [\w:]+ k(\w+) = (0x[0-9a-f]+|-?[\d']+);", HEADER))
    numbers = {name: int(value.replace("'", ""), 0) for name, value in declared.items()}
    assert numbers["Version"] == layout.VERSION
    assert numbers["ByteOrder"] == layout.BYTE_ORDER
    assert numbers["HeaderBytes"] == layout.HEADER_BYTES
    assert numbers["MaxSegments"] == layout.MAX_SEGMENTS
    assert numbers["FirstSegmentOffset"] == layout.FIRST_SEGMENT_OFFSET
    assert numbers["EventCommitted"] == layout.EVENT_COMMITTED
    assert numbers["EventWindow_ms"] == layout.EVENT_WINDOW_MS
    assert numbers["LongEvent_ns"] == layout.LONG_EVENT_S * 1e9
    for name, value in (("None", -1), ("Any", -2), ("Other", -3), ("Null", -4)):
        assert numbers[f"Peer{name}"] == getattr(layout, f"PEER_{name.upper()}") == value
    flags = dict(re.findall(r"kFile(\w+) = (\d+)", HEADER))
    for name, flag in flags.items():
        assert int(flag) == getattr(layout, "FILE_" + re.sub(r"(?<!^)(?=[A-Z])", "_", name).upper()), name


def test_text_is_cut_at_nul_and_never_raises() -> None:
    assert layout.text(b"node1\0old") == "node1"
    assert layout.text(b"caf\xc3\xa9") == "café"
    assert layout.text(b"\xff\xfe") == "��"
    assert np.zeros(1, layout.FILE_HEADER)["host"][0] == b""
