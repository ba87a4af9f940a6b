"""The record says which part of a file the process wrote, and how the file stood when it was closed."""

from __future__ import annotations

import subprocess
import sys
from pathlib import Path
from typing import Any

from clearway.run.layout import SegmentKind


def outputs(result: Any) -> dict[str, dict[str, int]]:
    """Output cells of the recorded program by the name of their file, with the file's extent."""
    arrays = result.run.records[result.process].read(frozenset({SegmentKind.FILES, SegmentKind.OUTPUTS}))
    files = arrays[SegmentKind.FILES]
    found = {}
    for cell in arrays[SegmentKind.OUTPUTS]:
        file = files[cell["file"]]
        name = Path(file["path"].decode()).name
        found[name] = {field: int(cell[field]) for field in cell.dtype.names} | {"end": int(file["extent_bytes"])}
    return found


def test_what_is_appended_begins_where_the_file_ended(record, tmp_path: Path) -> None:  # type: ignore[no-untyped-def]
    (tmp_path / "work").mkdir()
    log = tmp_path / "work" / "a log"
    log.write_text("of the job before\n")
    result = record(sys.executable, "-c", "with open('a log', 'a') as log: log.write('mine\\n'); log.write('too\\n')")
    cell, status = outputs(result)["a log"], log.stat()
    assert (cell["begin"], cell["end"]) == (18, 27)
    assert (cell["inode"], cell["closed_bytes"], cell["closed_ns"]) == (status.st_ino, 27, status.st_mtime_ns)


def test_a_stream_is_seen_as_it_was_left(record, tmp_path: Path) -> None:  # type: ignore[no-untyped-def]
    program = tmp_path / "writer"
    source = tmp_path / "writer.c"
    source.write_text(
        "#include <stdio.h>\n"
        'int main(void) { FILE* f = fopen("log", "r+"); fseek(f, 0, SEEK_END); fprintf(f, "mine\\n");'
        " putc('!', f); fclose(f); return 0; }"
    )
    subprocess.run(["cc", str(source), "-o", str(program)], check=True)
    (tmp_path / "work").mkdir()
    (tmp_path / "work" / "log").write_text("of the job before\n")
    cell = outputs(record(program))["log"]
    assert (cell["begin"], cell["end"], cell["closed_bytes"]) == (18, 24, 24)


def test_a_name_that_stood_for_two_files_says_nothing(record, tmp_path: Path) -> None:  # type: ignore[no-untyped-def]
    script = (
        "import os\nfor n in range(2):\n with open('log', 'w') as log: log.write('x')\n os.rename('log', f'old{n}')"
    )
    assert outputs(record(sys.executable, "-c", script))["log"]["inode"] == 0


def test_of_many_files_the_first_are_told(record) -> None:  # type: ignore[no-untyped-def]
    script = "for n in range(300):\n with open(f'f{n}', 'w') as out: out.write('x')"
    result = record(sys.executable, "-c", script)
    assert list(outputs(result)) == [f"f{n}" for n in range(64)]
    assert not result.run.dropped.any()
