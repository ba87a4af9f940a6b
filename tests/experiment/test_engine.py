"""A real engine: its own log is what is compared, and its options are varied."""

from __future__ import annotations

import json
from pathlib import Path

import pytest
from harness.lammps import argon, needs_lammps
from harness.mpis import Mpi, clearway_tool
from harness.runs import run_command

VARIANTS = """
[[variant]]
name = "eight times the atoms"
program_options = "-var size 10"
"""


@pytest.mark.timed
def test_the_engines_own_figure_is_compared(open_mpi: Mpi, tmp_path: Path) -> None:
    needs_lammps()
    (tmp_path / "melt.in").write_text(argon(steps=100))
    (tmp_path / "variants.toml").write_text(VARIANTS)
    job = open_mpi.command(2, ["lmp", "-in", "melt.in", "-var", "size", "5"])
    options = ["--variants", "variants.toml", "--rounds", "3", "--no-warm-up", "-q", "--json", "-", "--price", "1000"]
    outcome = run_command(
        [clearway_tool("clearway"), "compare", *options, "-o", "c", "--", *job], open_mpi.environment, 100, tmp_path
    )
    assert outcome.exit_code == 0, outcome.says
    comparison = json.loads(outcome.stdout)
    few, many = comparison["rows"]
    assert (comparison["engine"], comparison["basis"]) == ("LAMMPS", "ns/day")
    assert few["ns_per_day"] > 2 * many["ns_per_day"]
    assert many["ratio"] > 2
    assert many["price_per_ns_day"] == pytest.approx(1000 / many["ns_per_day"])
    assert "-var size 10" in many["command"]
