"""What a program only asks for, and what it cannot open, is counted in the folder's row."""

from __future__ import annotations

import sys
from pathlib import Path

from harness.mpis import clearway_tool
from harness.runs import load_page, run_command

ASKS = """
import os, sys
for _ in range(1000): os.access(sys.argv[1], os.F_OK)
for _ in range(100):
    try: os.open(sys.argv[1], os.O_RDONLY)
    except FileNotFoundError: pass
"""


def test_a_file_that_never_comes(tmp_path: Path) -> None:
    recorder = [clearway_tool("clearway-record"), "-o", tmp_path / "run", "--always", "--"]
    said = run_command([*recorder, sys.executable, "-c", ASKS, tmp_path / "flag"], {}, 60)
    assert said.exit_code == 0, said.says
    rows = {row["path"]: row for row in load_page(tmp_path / "run")["files"]}
    assert rows[f"{tmp_path}/*"]["calls"] == 1100
    assert rows[f"{tmp_path}/*"]["time_s"] > 0
    assert str(tmp_path / "flag") not in rows
