"""Programs that GCC built without optimisation, and those of which nobody can tell."""

from __future__ import annotations

import os
import shutil
import subprocess
from pathlib import Path

import pytest
from python.made_runs import REALTIME_NS, world, write_all

from clearway.diagnosis.facts import open_case
from clearway.page.build.program_file import program_file
from clearway.page.build.unoptimised import unoptimised
from clearway.run import load

pytestmark = pytest.mark.skipif(shutil.which("gcc") is None, reason="gcc is not installed")


@pytest.mark.parametrize(
    ("options", "later", "said"),
    [
        (["-g"], False, True),
        (["-g", "-O0"], False, True),
        (["-g", "-O2"], False, False),
        ([], False, False),  # nothing tells
        (["-g"], True, False),  # built anew since the job ran
    ],
)
def test_it_is_noted_where_the_program_tells(tmp_path: Path, options: list[str], later: bool, said: bool) -> None:
    program = tmp_path / "program"
    (tmp_path / "program.c").write_text("int main(void) { return 0; }\n")
    subprocess.run(["gcc", *options, "-o", program, tmp_path / "program.c"], check=True)
    built_s = REALTIME_NS * 1e-9 + (3600 if later else -3600)
    os.utime(program, (built_s, built_s))
    ranks = world(2)
    for rank in ranks:
        rank.fact("process.program", str(program))
    found = unoptimised(*program_file(open_case(load(write_all(ranks, tmp_path / "run")))))
    assert bool(found) == said


def test_a_file_that_is_no_program_tells_nothing(tmp_path: Path) -> None:
    for number, content in enumerate((b"", b"#!/bin/sh\n", b"\x7fELF\x02\x01" + b"\xff" * 80)):
        (tmp_path / "script").write_bytes(content)
        os.utime(tmp_path / "script", (0, 0))
        ranks = world(1)
        ranks[0].fact("process.program", str(tmp_path / "script"))
        assert unoptimised(*program_file(open_case(load(write_all(ranks, tmp_path / str(number)))))) == []
