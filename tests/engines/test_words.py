"""What engines say of themselves, as they say it today."""

from __future__ import annotations

import re
import shutil
import sys
from pathlib import Path

import pytest
from harness.mpis import Mpi
from harness.runs import run_command

from clearway.engines import find_log
from clearway.engines.words import About
from clearway.run import load


def test_gromacs_says_what_it_was_built_for(open_mpi: Mpi, water_box: Path, tmp_path: Path) -> None:
    """Debian's is built for SSE4.1, which every processor of 64 bits has had for long."""
    if shutil.which("gmx_mpi") is None:
        pytest.skip("GROMACS is not installed")
    run = [sys.executable, "-m", "clearway", "run", "-q", "-o", tmp_path / "run", "--"]
    mdrun = ["gmx_mpi", "mdrun", "-s", water_box, "-nsteps", "60", "-ntomp", "1", "-notunepme"]
    outcome = run_command([*run, *open_mpi.command(2, mdrun)], open_mpi.environment, 100, tmp_path)
    assert outcome.exit_code == 0, outcome.says
    log = (tmp_path / "md.log").read_text()
    built = re.search(r"^SIMD instructions selected at compile time: +(\S+)", log, re.MULTILINE)
    has = re.search(r"^Highest SIMD level supported by all nodes in run: +(\S+)", log, re.MULTILINE)
    assert built is not None and has is not None
    told = find_log(load(tmp_path / "run"))
    assert told is not None
    words = {word.about: word.says for word in told.words}
    if built[1].startswith("SSE") and has[1].startswith("AVX") and has[1] != "AVX_128_FMA":
        assert words[About.INSTRUCTIONS] == f"compiled for {built[1]}, the processors have {has[1]}"
    else:
        assert About.INSTRUCTIONS not in words
    # Few steps may be too few to say, and what is balanced waits for 0.0 %.
    waited = re.search(r"spent waiting due to load imbalance: (\S+?)%", log)
    assert (About.IMBALANCE in words) == (waited is not None and float(waited[1]) > 0)
