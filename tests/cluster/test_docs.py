"""Each command in docs/place.md and docs/place-old-advice.md is typed, in a copy of an empty checkout."""

from __future__ import annotations

import os
import re
import shutil
from pathlib import Path

import pytest
from cluster.test_place_command import BATCH
from harness.mpis import REPOSITORY, clearway_tool
from harness.runs import run_command

DOCS = [REPOSITORY / "docs" / f"{name}.md" for name in ("place", "place-old-advice")]
PAGES = "".join(page.read_text(encoding="utf-8") for page in DOCS)
BLOCKS = re.findall(r"^```(\w*)\n(.*?)^```", PAGES, re.MULTILINE | re.DOTALL)
COMMANDS = [line for language, text in BLOCKS if language == "sh" for line in text.splitlines()]
SHOWN = [line for language, text in BLOCKS if language == "" for line in text.splitlines()]
IN_ORDER = "\n".join(line for line in COMMANDS if "--discover" not in line)  # that one needs other hosts


@pytest.mark.skipif(shutil.which("mpirun.openmpi") is None, reason="Debian's Open MPI is not installed")
def test_commands_of_the_manual(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    (tmp_path / "examples").symlink_to(REPOSITORY / "examples")
    for name in BATCH:
        monkeypatch.delenv(name, raising=False)
    tools = tmp_path / "tools"
    tools.mkdir()
    (tools / "mpirun").symlink_to(shutil.which("mpirun.openmpi") or "")
    path = f"{clearway_tool('clearway').parent}:{tools}:{os.environ['PATH']}"
    outcome = run_command(["bash", "-euc", IN_ORDER], {"PATH": path}, timeout_s=100, directory=tmp_path)
    assert outcome.exit_code == 0, outcome.says
    assert len(SHOWN) > 10
    assert [line for line in SHOWN if line not in outcome.stdout] == []
