"""Under a real Slurm: an array's tasks, and a job that is started again, run and leave a Run each."""

from __future__ import annotations

import shutil
import subprocess
import time
from pathlib import Path

import pytest
from harness.mpis import clearway_tool

from clearway.run import load
from clearway.testbed import Shape, Testbed
from clearway.testbed.layout import HEAD

pytestmark = [
    pytest.mark.slow,
    pytest.mark.usefixtures("privileged"),
    pytest.mark.skipif(shutil.which("slurmctld") is None, reason="slurm-wlm is not installed"),
]

SCRIPT = """#!/bin/sh
export CLEARWAY_ALWAYS=1
{clearway} run -q -o 'the run' -- srun -n 1 sh -c 'echo step $SLURM_PROCID'
srun -n 1 {record} -o direct sh -c 'echo direct $SLURM_PROCID'
printf '0 {record} -o several sh -c "echo 0"\n' > programs
srun -n 1 --multi-prog programs
[ -n "$SLURM_ARRAY_TASK_ID" ] || [ -n "$SLURM_RESTART_COUNT" ] || scontrol requeue $SLURM_JOB_ID
touch ended-$SLURM_RESTART_COUNT-$SLURM_ARRAY_TASK_ID
sleep 0.1
"""
PATIENCE_S = 40


def test_started_again_and_in_an_array(tmp_path: Path) -> None:
    script = SCRIPT.format(clearway=clearway_tool("clearway"), record=clearway_tool("clearway-record"))
    with Testbed(Shape(hosts=1, slurm=True)) as testbed:

        def submit(folder: Path, *options: str) -> str:
            folder.mkdir()
            (folder / "job.sh").write_text(script)
            line = ["sbatch", "--parsable", "--requeue", "-D", str(folder), *options, str(folder / "job.sh")]
            answer = subprocess.run(testbed.on_host(HEAD, line), capture_output=True, text=True)
            assert answer.returncode == 0, answer
            return answer.stdout.strip()

        def wait_for(folder: Path, name: str) -> None:
            end = time.monotonic() + PATIENCE_S
            while not (folder / name).exists():
                said = "".join(file.read_text() for file in folder.glob("slurm-*.out"))
                assert time.monotonic() < end, f"no {name} in {folder}: {said}"
                # Slurm lets a job that it starts again wait for two minutes.
                line = testbed.on_host(HEAD, ["scontrol", "update", f"JobId={job}", "StartTime=now"])
                subprocess.run(line, capture_output=True)
                time.sleep(0.3)

        again, array = tmp_path / "again", tmp_path / "array"
        job = submit(again)
        wait_for(again, "ended-1-")
        job = submit(array, "--array=1-2")
        wait_for(array, "ended--1")
        wait_for(array, "ended--2")

    for folder in (again, array):
        jobs = {load(folder / name).job for name in ("the run", "the run-2")}
        assert len(jobs) == 2
        for name in ("the run", "the run-2"):
            assert len(load(folder / name).records) == 1
        for name in ("direct", "several"):
            newest = load(folder / name)
            assert len(newest.records) == 1
            # A job that is started again has a Run of its own; of two tasks at a time the newest is shown.
            assert (again / f"{name}-2").is_dir()
            assert (folder / f"{name}-2").is_dir() or any("1 older job" in note for note in newest.notes)
