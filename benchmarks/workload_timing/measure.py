"""How long a core computes for a time step of GROMACS: what the workload model `gromacs` rests on.

    PYTHONPATH=python:benchmarks .venv/bin/python -m workload_timing.measure

One rank with one thread on a core of its own computes steps of a box of water. What counts is the line *computing* of
its ledger, over steps and atoms; what it waited for a core is kept beside it. The result is a file beside the model.
"""

from __future__ import annotations

import dataclasses
import json
import os
import shutil
import subprocess
import sys
from pathlib import Path

from measured.circumstances import REPOSITORY, here_and_now

from clearway.base.installed import RECORDER
from clearway.page.build import summarise
from clearway.predict.models.programs import gromacs
from clearway.run import load

FOLDER = REPOSITORY / "build/workload-timing"
STEPS, ROUNDS = 300, 5
ENVIRONMENT = {
    "OMP_NUM_THREADS": "1",
    "GMX_MAXBACKUP": "-1",
    "OMPI_ALLOW_RUN_AS_ROOT": "1",
    "OMPI_ALLOW_RUN_AS_ROOT_CONFIRM": "1",
}


def main() -> int:
    water = FOLDER / "water"
    if not (water / "run.tpr").exists():
        subprocess.run([REPOSITORY / "examples/water/make-input", water], check=True)
    atoms = int((water / "equilibrate.gro").read_text().splitlines()[1])
    rounds = [one_round(water, number) for number in range(ROUNDS)]
    kept = {
        "program": version(),
        "atoms": atoms,
        "steps": STEPS,
        "rounds": rounds,
        "circumstances": dataclasses.asdict(here_and_now()),
    }
    gromacs.TIMING_FILE.write_text(json.dumps(kept, indent=1) + "\n")
    print(f"wrote {gromacs.TIMING_FILE}")
    return 0


def one_round(water: Path, number: int) -> dict[str, float]:
    """Seconds of the ledger."""
    run = FOLDER / f"run-{number}"
    shutil.rmtree(run, ignore_errors=True)
    words = ["taskset", "-c", "0", RECORDER, "-o", run, "gmx_mpi", "mdrun", "-s", water / "run.tpr", "-deffnm", "md"]
    words += ["-ntomp", "1", "-pin", "off", "-nsteps", STEPS]
    environment = {**os.environ, **ENVIRONMENT}
    subprocess.run(list(map(str, words)), cwd=FOLDER, env=environment, check=True, capture_output=True)
    ledger = summarise(load(run)).ledger
    return {"compute_s": ledger.compute_s, "core_wait_s": ledger.core_wait_s, "wall_s": ledger.wall_s}


def version() -> str:
    """'GROMACS 2022.5-Debian_2022.5_2, AVX_512'."""
    told = subprocess.run(["gmx_mpi", "--version"], capture_output=True, text=True, check=True).stdout
    lines = dict(line.split(":", 1) for line in told.splitlines() if ":" in line)
    return f"GROMACS {lines['GROMACS version'].strip()}, {lines['SIMD instructions'].strip()}"


if __name__ == "__main__":
    sys.exit(main())
