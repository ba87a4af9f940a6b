"""Files made under a name of libc's choice, copied within the kernel, locked, linked, printed to by number."""

from __future__ import annotations

from collections.abc import Callable
from pathlib import Path

import pytest
from harness.programs import ProgramBuilder

from clearway.run.layout import FILE_READ, FILE_WRITTEN

FORTIFIED = ("-O2", "-U_FORTIFY_SOURCE", "-D_FORTIFY_SOURCE=2")  # calls __dprintf_chk
COPIED = 1000 + 2000 + 300  # by sendfile, copy_file_range, and splice through a pipe

Record = Callable[..., "object"]


@pytest.mark.parametrize("flags", [(), FORTIFIED], ids=["plain", "fortified"])
def test_each_is_counted(programs: ProgramBuilder, record, tmp_path: Path, flags: tuple[str, ...]) -> None:  # type: ignore[no-untyped-def]
    result = record(programs.build_plain(f"io_copies_{len(flags)}", "io_copies.c", flags=flags))
    assert result.outcome.exit_code == 0, result.outcome.says
    work = tmp_path / "work"
    for made in ("plain", "suffixed", "appending"):
        cell = result.file(next(work.glob(f"{made}.*")))
        assert (cell["opens"], cell["writes"], cell["written_bytes"], cell["closes"]) == (1, 1, 10, 1), made
        assert cell["open_ticks"] > 0
    source, target, named = (result.file(work / name) for name in ("from.dat", "to.dat", "named.dat"))
    assert (source["writes"], source["reads"], source["read_bytes"]) == (1, 3 + 1, COPIED)
    assert source["flags"] & (FILE_READ | FILE_WRITTEN) == FILE_READ | FILE_WRITTEN
    assert (target["writes"], target["written_bytes"], target["sequential_writes"]) == (3 + 2, COPIED, 3)
    assert target["extent_bytes"] == COPIED and target["reads"] == 0
    assert source["sequential_reads"] == 1, "the second begins where the first ended; a failed one has no place"
    assert (named["writes"], named["written_bytes"], named["metadata"]) == (3, 20, 3)
