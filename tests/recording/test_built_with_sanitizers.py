"""Programs built with -fsanitize do what they do without us: their run-time library minds who else is in there."""

from __future__ import annotations

import re
from pathlib import Path

import pytest
from harness.mpis import clearway_tool
from harness.programs import ProgramBuilder
from harness.runs import own_words, run_command

CACHE = ("--io-cache", "10Mi", "--io-cache-files", "*")


@pytest.mark.parametrize("options", [(), CACHE], ids=["recorded", "cached"])
@pytest.mark.parametrize("sanitizer", ["address", "thread"])
def test_as_bare(sanitizer: str, options: tuple[str, ...], programs: ProgramBuilder, tmp_path: Path) -> None:
    program = programs.build_plain(f"overruns-{sanitizer}", "overruns.c", flags=[f"-fsanitize={sanitizer}"])
    recorder = [clearway_tool("clearway-record"), *options, "-o", tmp_path / "run", "--always", "--"]
    for arguments in ((), ("too far",)):
        bare = run_command([program, *arguments], {}, 30)
        said = run_command([*recorder, program, *arguments], {}, 30)
        assert (said.exit_code, said.lines) == (bare.exit_code, bare.lines), said.says
        assert re.findall(r"SUMMARY: \w+: [\w-]+", said.stderr) == re.findall(r"SUMMARY: \w+: [\w-]+", bare.stderr)
        assert "built with a sanitizer" in said.stderr
        assert len(own_words(said.stderr)) == 1, said.stderr
