"""JSON that we wrote and anybody may hand us back: a sweep, a job's lines of clearway-bench, a comparison's journal.

The first byte chooses what the rest is.
"""

from __future__ import annotations

import contextlib
import shutil
import tempfile
from pathlib import Path

from fuzzing import fuzz, watched

with watched:
    from clearway.base.errors import ClearwayError
    from clearway.base.sheet import Sheet
    from clearway.bench.assemble import assemble
    from clearway.bench.printed import read_lines
    from clearway.bench.saved_sweep import sweep_from
    from clearway.bench.terminal import table_of
    from clearway.experiment.journal import PLAN, RUNS, read_plan, read_samples

FOLDER = Path(tempfile.mkdtemp(prefix="clearway-fuzz-", dir="/dev/shm" if Path("/dev/shm").is_dir() else None))
SHEET = Sheet(100, True, False)


def read(way: int, text: str) -> None:
    if way == 0:
        table_of(sweep_from(text, "sweep.json"), SHEET)
    elif way == 1:
        table_of(assemble(read_lines(text.splitlines()), link_bits_per_s=10**9), SHEET)
    elif way == 2:
        (FOLDER / PLAN).write_text(text, encoding="utf-8")
        read_plan(FOLDER)
    else:
        (FOLDER / RUNS).write_text(text, encoding="utf-8")
        read_samples(FOLDER)


def run_once(data: bytes) -> None:
    if not data:
        return
    with contextlib.suppress(ClearwayError):
        read(data[0] % 4, data[1:].decode(errors="replace"))


if __name__ == "__main__":
    try:
        fuzz(run_once)
    finally:
        shutil.rmtree(FOLDER, ignore_errors=True)
