"""`clearway tune` in a batch job: each variant runs on the nodes of the allocation, as `srun` starts it there."""

from __future__ import annotations

import json
import shlex
from pathlib import Path

import pytest
from harness.mpis import mpi
from harness.programs import ProgramBuilder
from harness.slurm import Person


@pytest.mark.slow
@pytest.mark.timeout(300)
def test_a_race_within_one_allocation(person: Person, programs: ProgramBuilder, folder: Path) -> None:
    """Two nodes, a rank on each, in every variant; one crashes, one changes the energy, one is faster."""
    program = person.brings(programs.build(mpi("openmpi-debian"), "gmx_fake", "fake_mdrun.c"))
    job = person.home / "tuned-job"
    person.types(f"mkdir -p {job} && echo input > {job}/input.tpr")
    asked = shlex.join(["--no-learned", "-q", "-o", str(folder), "--json", f"{folder}.json", "--write", f"{folder}.sh"])
    person.types(f"rm -f {folder}.json {folder}.sh")
    script = f"#!/bin/sh\ncd {job}\nclearway tune {asked} -- srun {program} mdrun\n"
    said = person.submit(script, "--nodes=2", "--ntasks-per-node=1", "--time=5", name="race.sh", timeout_s=240)
    tuning = json.loads(folder.with_suffix(".json").read_text())
    rows = {row["name"]: row for row in tuning["rows"]}
    assert (tuning["answer"], tuning["best"]) == ("faster", "-nstlist 40"), said
    assert rows["-dlb yes"]["fault"], said
    assert rows["-dlb no"]["fault"], said
    assert {row["ranks"] for row in rows.values() if row["runs"]} == {2}
    assert tuning["best_command"].endswith("mdrun -nstlist 40")
    assert tuning["best_command"].startswith("srun ")
    assert tuning["best_command"] in folder.with_suffix(".sh").read_text()
    lines = [json.loads(line) for line in (folder / "runs.jsonl").read_text().splitlines()]
    for line in lines:
        if line["figures"]:
            assert len(list((folder / line["run"]).glob("rank.*.cwr"))) == 2, line
            assert len(list((folder / line["run"]).glob("host.*.cwr"))) == 2, line
    assert sorted(path.name for path in job.iterdir()) == ["input.tpr"]
