"""What a program prints to a file by its number stands where it was put, with _FORTIFY_SOURCE, too."""

from __future__ import annotations

from pathlib import Path

import pytest
from harness.programs import ProgramBuilder


@pytest.mark.parametrize("flags", [(), ("-O2", "-U_FORTIFY_SOURCE", "-D_FORTIFY_SOURCE=2")], ids=["plain", "fortified"])
def test_line_between_writes(cached, programs: ProgramBuilder, tmp_path: Path, flags: tuple[str, ...]) -> None:  # type: ignore[no-untyped-def]
    program = programs.build_plain(f"io_copies_{len(flags)}", "io_copies.c", flags=flags)
    outcome = cached(program, tmp_path / "scratch")
    assert outcome.exit_code == 0, outcome.says
    assert (tmp_path / "scratch" / "named.dat").read_text() == "begun line 17\nended\n"
