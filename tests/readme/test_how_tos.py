"""The guides of docs/how-to, typed as they stand there, with a small program in the place of the reader's."""

from __future__ import annotations

import os
import shutil
from pathlib import Path

import pytest
from harness.mpis import REPOSITORY, Mpi, clearway_tool
from harness.programs import ProgramBuilder
from harness.runs import run_command
from readme.tutorial import steps_of

GUIDES = sorted((REPOSITORY / "docs" / "how-to").glob("*.md"))
AS_ROOT = {"OMPI_ALLOW_RUN_AS_ROOT": "1", "OMPI_ALLOW_RUN_AS_ROOT_CONFIRM": "1"}  # a reader is an ordinary user
SMALL = "#!/bin/sh\nexec ./pme_like --steps 20 --size 20\n"


@pytest.mark.slow
@pytest.mark.parametrize("guide", GUIDES, ids=lambda guide: guide.stem)
def test_it_works(guide: Path, open_mpi: Mpi, programs: ProgramBuilder, tmp_path: Path) -> None:
    built = programs.build(open_mpi, "pme_like", str(REPOSITORY / "examples" / "pme_like.c"))
    shutil.copy(built, tmp_path / "pme_like")
    (tmp_path / "program").write_text(SMALL)
    (tmp_path / "program").chmod(0o755)
    tools = tmp_path / "tools"
    tools.mkdir()
    (tools / "mpirun").symlink_to(open_mpi.launcher[0])
    path = f"{clearway_tool('clearway').parent}:{tools}:{os.environ['PATH']}"
    for step in steps_of(guide):
        outcome = run_command(
            ["bash", "-euc", step.typed], {**AS_ROOT, "PATH": path}, timeout_s=100, directory=tmp_path
        )
        assert outcome.exit_code == 0, (step.typed, outcome.says)
