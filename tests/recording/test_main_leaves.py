"""A program whose main thread leaves by pthread_exit ends as it does bare: our own threads do not keep it alive."""

from __future__ import annotations

import time
from collections.abc import Sequence
from pathlib import Path

import pytest
from harness.mpis import clearway_tool
from harness.programs import ProgramBuilder
from harness.runs import run_command

WAYS = ("alone", "later", "joins", "cancel", "child", "number", "thread", "process", "kernel", "outlives", "killed")


@pytest.mark.parametrize("way", WAYS)
@pytest.mark.parametrize("who", ["recorder", "cache", "both"])
def test_ends_as_bare(programs: ProgramBuilder, tmp_path: Path, way: str, who: str) -> None:
    program = programs.build_plain("leave_main", "leave_main.c")
    scratch, run = tmp_path / "scratch", tmp_path / "run"
    for folder in (scratch, run):
        folder.mkdir()
    record: Sequence[str | Path] = [clearway_tool("clearway-record"), "--always", "-o", run]
    prefix: dict[str, Sequence[str | Path]] = {
        "recorder": [*record, "--"],
        "cache": [],
        "both": [*record, "--io-cache", "64Mi", "--io-cache-files", f"{scratch}/*", "--"],
    }
    library = clearway_tool("clearway-record").parents[1] / "lib/libclearway-io.so"
    alone = {
        "LD_PRELOAD": str(library),
        "CLEARWAY_IO_CACHE": "64Mi",
        "CLEARWAY_IO_CACHE_FILES": f"{scratch}/*",
        "CLEARWAY_IO_CACHE_SINCE_NS": str(time.time_ns()),
        "CLEARWAY_DIR": str(run),
    }
    bare = run_command([program, tmp_path / "bare", way])
    answer = run_command([*prefix[who], program, scratch / "file", way], alone if who == "cache" else {}, timeout_s=20)
    # Of such a process newer kernels take the last thread's status, older ones the main thread's, as ours do.
    expected = 5 if way == "outlives" else bare.exit_code
    assert answer.exit_code == expected, answer.says
    assert answer.stdout == bare.stdout
    if way not in ("process", "killed"):  # a signal that ends the process leaves what the cache had not written yet
        assert (scratch / "file").read_bytes() == (tmp_path / "bare").read_bytes()
    if who != "recorder":
        assert list(run.glob("io.*.cwr")), "nothing was in the cache"
