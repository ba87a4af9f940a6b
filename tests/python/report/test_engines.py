"""Engines' logs. Those of GROMACS, LAMMPS, Quantum ESPRESSO, NWChem and ABINIT come from real runs, shortened."""

from __future__ import annotations

import os
import shutil
import subprocess
import sys
from pathlib import Path

import pytest
from harness.mpis import clearway_tool

from clearway.base.errors import ClearwayError
from clearway.engines import engine_of, find_engine, find_log, read_log
from clearway.engines.excerpts import Excerpt
from clearway.page.build import summarise
from clearway.run import load

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
        ("abinit.log", "ABINIT", None, 0.818, 11),
        ("abinit.abo", "ABINIT", None, 0.818, 11),
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
        engine_of(Excerpt(tmp_path / "log", 0, end))


def test_a_file_that_is_no_log(tmp_path: Path) -> None:
    (tmp_path / "random").write_bytes(bytes(range(256)) * 1000)
    os.mkfifo(tmp_path / "pipe")
    for name in ("random", "missing", "pipe"):
        assert engine_of(Excerpt(tmp_path / name, 0, 256_000)) is None
    with pytest.raises(ClearwayError, match="is not a log of an engine"):
        read_log(tmp_path / "random")


def recorded(folder: Path, writes: str, name: str | bytes, *more: str) -> Path:
    """The Run of a job that appends the log `writes` to the file `name`."""
    folder.mkdir(exist_ok=True)
    copy = "import sys\nwith open(sys.argv[1], 'rb') as log, open(sys.argv[2], 'ab') as out: out.write(log.read())"
    record = [clearway_tool("clearway-record"), "--always", "-o", folder / "run", "--"]
    subprocess.run([*record, sys.executable, "-c", copy, LOGS / writes, name, *more], cwd=folder, check=True)
    return folder / "run"


def found(run: Path) -> str | None:
    engine = find_engine(load(run))
    return None if engine is None else engine.name


NAMES = ["md.log", "my log.out", "Ā→\n.log", b"\xff\xfe.log", "$(touch owned);'\".log", "<b>.log"]


@pytest.mark.parametrize("name", NAMES, ids=repr)
def test_the_log_is_found_among_what_the_job_wrote(name: str | bytes, tmp_path: Path) -> None:
    run = recorded(tmp_path, "cp.out", name)
    assert found(run) == "Quantum ESPRESSO"
    with (tmp_path / os.fsdecode(name)).open("w") as log:
        log.write("of another job")
    assert found(run) == "Quantum ESPRESSO"  # it was kept
    (run / "engine.json").unlink()
    assert found(run) is None
    summarise(load(run))


def test_only_the_jobs_own_lines_count(tmp_path: Path) -> None:
    shutil.copy(LOGS / "lammps.log", tmp_path / "shared.log")
    assert found(recorded(tmp_path, "cp.out", "shared.log")) == "Quantum ESPRESSO"
    (tmp_path / "plain").mkdir()
    (tmp_path / "line").write_text("a line of no engine")
    shutil.copy(LOGS / "gromacs.log", tmp_path / "plain" / "md.log")
    assert found(recorded(tmp_path / "plain", str(tmp_path / "line"), "md.log")) is None


def test_a_log_under_another_name(tmp_path: Path) -> None:
    (tmp_path / "logs").mkdir()
    (tmp_path / "md.log").symlink_to("logs/today.log")
    run = recorded(tmp_path, "cp.out", "md.log")
    (tmp_path / "logs" / "today.log").rename(tmp_path / "logs" / "#md.log.1#")
    (tmp_path / "logs" / "today.log").write_text("of another job")
    assert found(run) == "Quantum ESPRESSO"


def test_words_of_another_log_of_the_engine(tmp_path: Path) -> None:
    """ABINIT tells its speed in its main output, and what it warns of in its standard output only."""
    both = [LOGS / "abinit.abo", "h2o.abo", LOGS / "abinit.log", "printed.log"]
    copy = """import shutil, sys, time
for log, out in zip(sys.argv[1::2], sys.argv[2::2]): shutil.copyfile(log, out)
time.sleep(9)"""  # no less than the log tells
    record = [clearway_tool("clearway-record"), "--always", "-o", tmp_path / "run", "--"]
    subprocess.run([*record, sys.executable, "-c", copy, *both], cwd=tmp_path, check=True)
    told = find_log(load(tmp_path / "run"))
    assert told is not None
    assert (told.engine.name, told.engine.steps) == ("ABINIT", 11)
    assert [word.says for word in told.words] == ["spins*k-points (=1), processors (=2): some are left empty"]


def test_a_log_that_tells_of_more_time_than_the_job_took_is_a_copy(tmp_path: Path) -> None:
    assert found(recorded(tmp_path, "cp2k.out", "out")) is None  # 62 s


@pytest.mark.parametrize("said", ["", "[]", "{", "9" * 5000, "[" * 9000, '{"job": 1}', "\udcff", "null"])
def test_a_broken_engine_json_is_no_obstacle(said: str, tmp_path: Path) -> None:
    run = recorded(tmp_path, "cp.out", "out")
    (run / "engine.json").write_text(said, errors="surrogateescape")
    assert found(run) == "Quantum ESPRESSO"
    (run / "engine.json").write_text(
        said.replace("1}", f'"{load(run).job}", "engine": {{"name": "x"}}}}'), errors="surrogateescape"
    )
    find_engine(load(run))


def test_a_run_that_cannot_be_written_to_is_still_read(tmp_path: Path) -> None:
    run = recorded(tmp_path, "cp.out", "out")
    (run / ".engine.json").mkdir()  # root may write anywhere else
    assert found(run) == "Quantum ESPRESSO"
