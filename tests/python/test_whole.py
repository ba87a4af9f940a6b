"""Whole numbers in text that anybody may have written: what `int` and `float` then take."""

from __future__ import annotations

from pathlib import Path

import pytest
from python.made_runs import world, write_all

from clearway.base.whole import is_whole
from clearway.page.build import summarise
from clearway.run import load

VARIABLES = ("OMP_NUM_THREADS", "SLURM_CPUS_PER_TASK", "SLURM_CPUS_ON_NODE", "SLURM_NTASKS", "SLURM_JOB_CPUS_PER_NODE",
             "MKL_NUM_THREADS", "UCX_RNDV_THRESH", "SLURM_MEM_PER_NODE", "OMPI_MCA_btl_tcp_eager_limit")  # fmt: skip


@pytest.mark.parametrize("text", ["0", "7", "18446744073709551615"])
def test_numbers(text: str) -> None:
    assert is_whole(text)


@pytest.mark.parametrize("text", ["", "-1", "+1", " 1", "1.5", "²", "١٢", "1_000", "9" * 400, "9" * 5000])
def test_no_numbers(text: str) -> None:
    assert not is_whole(text)


@pytest.mark.parametrize("text", ["9" * 400, "²", "١٢", "-1", "nan"])
def test_a_job_may_set_its_variables_to_anything(tmp_path: Path, text: str) -> None:
    """The page of a job with OMP_NUM_THREADS=999… (400 figures) was a traceback."""
    ranks = world(2)
    for rank in ranks:
        for name in VARIABLES:
            rank.fact(f"environment.{name}", text)
        rank.fact("process.nice", text)
        rank.collective("MPI_Barrier", 1.0, 2.0)
    write_all(ranks, tmp_path)
    assert summarise(load(tmp_path)).sentence
