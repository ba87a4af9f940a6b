"""Engines' logs. Those of GROMACS, LAMMPS, Quantum ESPRESSO and NWChem come from real runs, shortened."""

from __future__ import annotations

import os
from pathlib import Path
from types import SimpleNamespace
from typing import cast

import pytest

from clearway.engines import candidates, engine_of, find_engine, read_log
from clearway.errors import ClearwayError
from clearway.run import Run

LOGS = Path(__file__).with_name("engine_logs")


@pytest.mark.parametrize(
    ("log", "name", "ns_per_day", "s_per_step", "steps"),
    [
        ("gromacs.log", "GROMACS", 13.945, 0.01239, 250),
        ("lammps.log", "LAMMPS", 261.794, 0.00033, 100),
        ("namd.log", "NAMD", 9.391, 0.0184, 1000),
        ("amber.out", "Amber", 14.04, 0.01231, 1000),
        ("pw-scf.out", "Quantum ESPRESSO", None, 0.025, 4),
        ("pw-md.out", "Quantum ESPRESSO", None, 0.305, 6),
        ("cp.out", "Quantum ESPRESSO", None, 0.0465, 20),
        ("cp2k.out", "CP2K", 0.006988, 6.1823, 10),
        ("nwchem.out", "NWChem", None, 0.05, 6),
    ],
)
def test_the_speed_of_a_log(log: str, name: str, ns_per_day: float | None, s_per_step: float, steps: int) -> None:
    engine = read_log(LOGS / log)
    assert (engine.name, engine.steps) == (name, steps)
    assert engine.ns_per_day == (None if ns_per_day is None else pytest.approx(ns_per_day, rel=1e-3))
    assert engine.s_per_step == pytest.approx(s_per_step, rel=2e-2)


@pytest.mark.parametrize("log", sorted(LOGS.iterdir()), ids=lambda log: log.name)
def test_a_log_that_is_being_written_has_no_speed_or_the_right_one(log: Path, tmp_path: Path) -> None:
    text = log.read_bytes()
    for end in range(0, len(text), 97):
        (tmp_path / "log").write_bytes(text[:end])
        engine_of(tmp_path / "log")


def test_a_file_that_is_no_log(tmp_path: Path) -> None:
    (tmp_path / "random").write_bytes(bytes(range(256)) * 1000)
    assert engine_of(tmp_path / "random") is None
    assert engine_of(tmp_path / "missing") is None
    os.mkfifo(tmp_path / "pipe")
    assert engine_of(tmp_path / "pipe") is None
    with pytest.raises(ClearwayError, match="is no log of an engine"):
        read_log(tmp_path / "random")


def job(stdout: str | None, *written: str) -> Run:
    """What find_engine asks of a Run."""
    made = SimpleNamespace(
        launch=SimpleNamespace(stdout=stdout), fact=lambda name: {}, file_paths=lambda written: list(paths)
    )
    paths = written
    return cast(Run, made)


def test_the_log_is_found_among_what_the_job_wrote() -> None:
    run = job(None, "/proc/self/mem", str(LOGS / "cp.out"), str(LOGS / "gromacs.log"))
    found = find_engine(run)
    assert found is not None
    assert found.name in ("GROMACS", "Quantum ESPRESSO")
    assert find_engine(job(None)) is None


def test_standard_output_is_looked_at_first() -> None:
    run = job("/out.txt", "relative.log", "/a.dat", "/b.log")
    assert [str(path) for path in candidates(run)] == ["/out.txt", "/b.log", "/a.dat"]
