"""An engine's speed stands on the page of the Run that it belongs to: jobs share, overwrite and rename their logs."""

from __future__ import annotations

import json
import shlex
import shutil
from pathlib import Path

import pytest
from harness.command_line import run_clearway
from harness.lammps import argon, needs_lammps
from harness.mpis import Mpi, clearway_tool
from harness.runs import load_page, run_command

from clearway.engines import read_log
from clearway.engines.kept_log import keep_log, kept_log
from clearway.engines.results import results_of

FAILS = "units real\nprint 'so far, so good'\npair_style nonsense\n"


def lines(folder: Path, mpi: Mpi, script: str) -> str:
    """Runs a batch script, in which `record DIR` and `run DIR` start a recorded job of $RANKS ranks, or one."""
    folder.mkdir(exist_ok=True)
    launcher = f"{shlex.join(mpi.launcher)} -np ${{RANKS:-1}}"
    functions = (
        f'record() {{ dir=$1; shift; {launcher} {clearway_tool("clearway-record")} -o $dir -- "$@"; }}\n'
        f'run() {{ dir=$1; shift; {clearway_tool("clearway")} run -q -o $dir -- {launcher} "$@"; }}\n'
    )
    (folder / "job.sh").write_text(functions + script)
    outcome = run_command(["bash", "job.sh"], {**mpi.environment, "OMP_NUM_THREADS": "1"}, 100, folder)
    return outcome.says


def speed(run: Path) -> float | None:
    engine = load_page(run)["engine"]
    return None if engine is None else engine["ns_per_day"]


@pytest.fixture
def lammps(open_mpi: Mpi, tmp_path: Path) -> Path:
    needs_lammps()
    (tmp_path / "melt.in").write_text(argon(steps=50))
    (tmp_path / "fails.in").write_text(FAILS)
    return tmp_path


def test_lammps_jobs_that_overwrite_one_log(lammps: Path, open_mpi: Mpi) -> None:
    says = lines(
        lammps,
        open_mpi,
        "run small lmp -in melt.in -var size 4; cp log.lammps small.truth\n"
        "run failed lmp -in fails.in\n"
        "run large lmp -in melt.in -var size 7; cp log.lammps large.truth\n"
        "export CLEARWAY_ALWAYS=1\nrun other sh -c 'echo more >> log.lammps'\n",
    )
    for name in ("small", "large"):
        assert speed(lammps / name) == read_log(lammps / f"{name}.truth").ns_per_day, says
    assert speed(lammps / "failed") is None
    assert speed(lammps / "other") is None


def test_lammps_jobs_that_print_into_one_file(lammps: Path, open_mpi: Mpi) -> None:
    says = lines(
        lammps,
        open_mpi,
        "exec >> 'slurm 1.out'\n"
        "run small lmp -in melt.in -var size 4 -log none; cp 'slurm 1.out' small.truth\n"
        "CLEARWAY_ALWAYS=1 run plain sh -c 'echo no engine'\n"
        "run failed lmp -in fails.in -log none\n"
        "before=$(stat -c %s 'slurm 1.out')\n"
        "run large lmp -in melt.in -var size 7 -log none; tail -c +$((before + 1)) 'slurm 1.out' > large.truth\n",
    )
    for name in ("small", "large"):
        assert speed(lammps / name) == read_log(lammps / f"{name}.truth").ns_per_day, says
    assert speed(lammps / "small") != speed(lammps / "large")
    assert speed(lammps / "plain") is None
    assert speed(lammps / "failed") is None


def test_without_clearway_run_the_log_counts_until_somebody_writes_there(lammps: Path, open_mpi: Mpi) -> None:
    says = lines(
        lammps, open_mpi, "record first lmp -in melt.in -var size 4; record second lmp -in melt.in -var size 7\n"
    )
    truth = read_log(lammps / "log.lammps").ns_per_day
    assert speed(lammps / "first") is None, says
    assert speed(lammps / "second") == truth
    (lammps / "log.lammps").unlink()
    assert speed(lammps / "second") == truth  # the first report has kept it


@pytest.fixture
def gromacs(water_box: Path, open_mpi: Mpi, tmp_path: Path) -> Path:
    if shutil.which("gmx_mpi") is None:
        pytest.skip("GROMACS is not installed")
    shutil.copy(water_box, tmp_path)
    return tmp_path


MDRUN = "gmx_mpi mdrun -s run.tpr -deffnm md -ntomp 1 -notunepme"


def test_energies_are_those_of_the_job_that_appended_to_a_log(lammps: Path, open_mpi: Mpi) -> None:
    """Else a variant is compared with what an earlier job computed, and whatever it changes is not seen."""
    says = lines(
        lammps,
        open_mpi,
        "add() { run $1 sh -c 'lmp -in melt.in -log none -var size '$2' >> all.out'; }\n"
        "add first 4; cp all.out first.truth\n"
        "add second 5; tail -c +$(($(wc -c < first.truth) + 1)) all.out > second.truth\n",
    )
    keep_log(lammps / "second")
    kept, truth = results_of(kept_log(lammps / "second")), results_of((lammps / "second.truth").read_text())
    assert truth is not None, says
    assert kept == truth != results_of((lammps / "first.truth").read_text()), says


def test_gromacs_jobs_that_append_to_one_log(gromacs: Path, open_mpi: Mpi) -> None:
    """GROMACS cuts off what the job before had said of its speed."""
    says = lines(
        gromacs,
        open_mpi,
        f"run first {MDRUN} -nsteps 30; cp md.log first.truth\n"
        f"run second {MDRUN} -nsteps 30 -cpi md.cpt -append; cp md.log second.truth\n"
        f"record third {MDRUN} -nsteps 30 -cpi md.cpt -append; cp md.log third.truth\n"
        "ln -sf md.log latest.log\n",
    )
    truths = {name: read_log(gromacs / f"{name}.truth").ns_per_day for name in ("first", "second", "third")}
    assert {name: speed(gromacs / name) for name in truths} == truths, says


def test_gromacs_logs_that_were_renamed(gromacs: Path, open_mpi: Mpi) -> None:
    """A second job makes `#md.log.1#` of the first one's log."""
    says = lines(gromacs, open_mpi, f"record first {MDRUN} -nsteps 30\nrecord second {MDRUN} -nsteps 40\nrm md.log\n")
    (backup,) = gromacs.glob("#md.log.*#")
    assert speed(gromacs / "first") == read_log(backup).ns_per_day, says
    assert speed(gromacs / "second") is None


def test_jobs_of_several_sizes_that_had_one_log(gromacs: Path, open_mpi: Mpi) -> None:
    """Each had the newest one's step time, and scaling seemed to have broken down."""
    says = lines(
        gromacs,
        open_mpi,
        f"RANKS=2 record two {MDRUN} -nsteps 60\nrun one {MDRUN} -nsteps 60\ncp md.log one.truth\n",
    )
    (backup,) = gromacs.glob("#md.log.*#")
    its_s, own_s = (read_log(log).s_per_step or 0 for log in (gromacs / "one.truth", backup))
    outcome = run_clearway("report", gromacs / "two", gromacs / "one", "--json", gromacs / "page.json")
    assert outcome.exit_code == 0, outcome.says
    page = json.loads((gromacs / "page.json").read_text())
    assert page["engine"]["s_per_step"] == own_s, says
    found = [finding for finding in page["findings"] if finding["rule"] == "scaling-breakdown"]
    assert all(its_s <= 1.05 * own_s for _ in found)
    assert speed(gromacs / "one") == read_log(gromacs / "one.truth").ns_per_day
