"""The excerpts of the README are what commands printed: nobody has changed a word of them."""

from __future__ import annotations

import subprocess
import sys
from pathlib import Path

from harness.mpis import REPOSITORY

TOOL = REPOSITORY / "tools" / "readme-excerpts"


def check(tool: Path) -> int:
    return subprocess.run([sys.executable, tool, "check"], timeout=30).returncode


def test_they_are_what_was_printed() -> None:
    assert check(TOOL) == 0


def test_a_word_that_was_changed_is_noticed(tmp_path: Path) -> None:
    (tmp_path / "tools").mkdir()
    (tmp_path / "benchmarks").symlink_to(REPOSITORY / "benchmarks")
    tool = tmp_path / "tools" / "readme-excerpts"
    tool.write_bytes(TOOL.read_bytes())
    readme = (REPOSITORY / "README.md").read_text(encoding="utf-8")
    (tmp_path / "README.md").write_text(readme, encoding="utf-8")
    assert check(tool) == 0
    (tmp_path / "README.md").write_text(readme.replace("wall-clock  ", "wall clock  ", 1), encoding="utf-8")
    assert check(tool) == 1
