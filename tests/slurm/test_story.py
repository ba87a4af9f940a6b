"""The README's story from sbatch, by an ordinary user on a network that loses packets: a job recorded, its page, its
remedy proved, flow, scratch files in memory. Open MPI by PMIx, MPICH by PMI-2."""

from __future__ import annotations

import json
import re
from collections.abc import Iterator
from pathlib import Path

import pytest
from harness.mpis import mpi
from harness.programs import ProgramBuilder
from harness.slurm import Person, person_on, slurm_testbed
from slurm.conftest import MANAGEMENT

from clearway.testbed import Shape

pytestmark = [pytest.mark.slow, pytest.mark.timeout(400)]
HERE = Path(__file__).parent
JOB = "#!/bin/bash\n#SBATCH --nodes=4 --ntasks-per-node=1 --time=10\n"


@pytest.fixture(scope="module")
def user(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Person]:
    with slurm_testbed(Shape(hosts=4, buffer_bytes=20_000, slurm=True)) as testbed:
        yield person_on(testbed, tmp_path_factory.mktemp("user"))


@pytest.mark.timed
@pytest.mark.parametrize("name", MANAGEMENT)
def test_from_the_first_job_to_the_proven_gain(user: Person, programs: ProgramBuilder, name: str) -> None:
    if mpi(name).missing:
        pytest.skip(mpi(name).missing)
    home, srun = user.home / name, f"srun -K --mpi={MANAGEMENT[name]}"
    exchange = user.brings(programs.build(mpi(name), f"exchange-{name}", "exchange.c"))
    scratch = user.brings(programs.build(mpi(name), f"scratch-{name}", str(HERE / "scratch.c")))
    user.types(f"rm -rf {home} && mkdir {home}")

    def typed(line: str) -> str:
        return user.types(f"cd {home} && {line}", timeout_s=300)

    def submitted(script: str) -> str:
        return user.submit(f"{JOB}cd {home}\n{script}", name=f"{name}.sh", timeout_s=200)

    # Recorded, and its page.
    launch = f"{srun} {exchange} alltoall 300000 10"
    submitted(f"clearway run -o run-%j -- {launch}\n")
    (run,) = (path.name for path in home.glob("run-*"))
    page = json.loads(typed(f"clearway report {run} --json -"))
    assert page["job"]["batch"]["id"] == run.removeprefix("run-")
    found = [each["rule"] for each in page["findings"]]
    assert found, "all at once through ports of 20 kB"
    assert run in typed("clearway list .")

    # Its remedies, proved as jobs.
    (home / "job.sh").write_text(f"{JOB}{launch}\n")
    typed("clearway fix --rounds 3 --remedy flow -o fix job.sh 2>&1")
    told = typed("clearway fix --resume fix --watch --json proof.json 2>&1")
    assert "With flow:" in told, told
    rows = {row["name"]: row for row in json.loads((home / "proof.json").read_text())["rows"]}
    assert rows["flow"]["rounds"] == rows["unchanged"]["rounds"] == 3
    assert rows["flow"]["ratio"] < 1

    # Flow, as a person types it; and the same results.
    said = submitted(f"clearway run --flow -o flow -- {launch}\n")
    assert not re.search(r"without|unrecorded", said)
    flow = json.loads(typed("clearway report flow --json -"))
    assert flow["flow"], "it steered"

    # Scratch files in memory.
    plain = submitted(f"{srun} {scratch} {home} 20\n")
    options = f"--io-cache 32Mi --io-cache-files '{home}/scratch-*'"
    cached = submitted(f"clearway run -q {options} -o cached -- {srun} {scratch} {home} 20\n")
    assert cached == plain
    table = json.loads(typed("clearway report cached --json -"))["io_cache"]
    assert (table["processes"], table["deleted_files"], table["stored_records"]) == (4, 4, 0)
