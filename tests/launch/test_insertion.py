"""Where clearway-record goes in a command line: plain-text transcripts, one file a launcher.

INPUT is what a user types, EXPECT what is run (@ stands for clearway-record), ERROR a part of the message.
"""

from __future__ import annotations

import shlex
from collections.abc import Iterator
from pathlib import Path, PurePath

import pytest

from clearway.base.errors import ClearwayError
from clearway.job.launcher_options import Grammar
from clearway.job.launchers.mpich_hydra import HYDRA, INTEL_HYDRA
from clearway.job.launchers.openmpi import OPEN_MPI_4, OPEN_MPI_5
from clearway.job.launchers.slurm import SRUN
from clearway.job.recorded_command import find_programs
from clearway.job.which_launcher import FOREIGN, identify, recognise

GRAMMARS = {grammar.name: grammar for grammar in (OPEN_MPI_4, OPEN_MPI_5, HYDRA, INTEL_HYDRA, SRUN)}
TRANSCRIPTS = Path(__file__).parent / "transcripts"
LAUNCHER_NAMES = ("mpirun", "mpiexec", "mpiexec.hydra", "prterun", "srun")


def cases() -> Iterator[object]:
    for path in sorted(TRANSCRIPTS.glob("*.txt")):
        grammar, typed = None, ""
        for line in path.read_text(encoding="utf-8").splitlines():
            key, _, text = line.partition(" ")
            if key == "LAUNCHER":
                grammar = GRAMMARS[text.strip()]
            elif key == "INPUT":
                typed = text.strip()
            elif key in ("EXPECT", "ERROR"):
                yield pytest.param(grammar, typed, key, text.strip(), id=f"{path.stem}: {typed}")


@pytest.mark.parametrize(("grammar", "typed", "key", "expected"), list(cases()))
def test_transcript(grammar: Grammar, typed: str, key: str, expected: str) -> None:
    def identify_by_name(word: str, environment: object) -> Grammar | None:
        if word in FOREIGN:
            return identify(word, {})
        return grammar if PurePath(word).name in LAUNCHER_NAMES else None

    if key == "ERROR":
        with pytest.raises(ClearwayError) as caught:
            find_programs(shlex.split(typed), {}, identify_by_name)
        assert expected in f"{caught.value.message}\nhint: {caught.value.hint}"
    else:
        job = find_programs(shlex.split(typed), {}, identify_by_name)
        assert job.recorded(["@"]) == shlex.split(expected)


@pytest.mark.parametrize(
    ("answer", "grammar"),
    [
        ("mpirun.openmpi (OpenRTE) 4.1.4\n", OPEN_MPI_4),
        ("mpirun (Open MPI) 4.1.6\n", OPEN_MPI_4),
        ("mpirun (Open MPI) 5.0.11\n", OPEN_MPI_5),
        ("prterun (PRRTE) 3.0.12\n", OPEN_MPI_5),
        ("HYDRA build details:\n    Version: 4.0.2\n", HYDRA),
        ("Intel(R) MPI Library for Linux* OS, Version 2021.18 Build 20260626\n", INTEL_HYDRA),
        ("mpiexec: PBS Pro\n", None),
    ],
)
def test_version_tells_the_launcher(answer: str, grammar: Grammar | None) -> None:
    assert recognise(answer) is grammar


def test_launcher_that_is_not_there(tmp_path: Path) -> None:
    with pytest.raises(ClearwayError, match="'mpirun' is not on the PATH"):
        identify("mpirun", {"PATH": str(tmp_path)})


def test_env_prefix_chooses_the_launcher(tmp_path: Path) -> None:
    """`env PATH=… mpirun` means the mpirun of that PATH."""
    mpirun = tmp_path / "mpirun"
    mpirun.write_text("#!/bin/sh\necho 'mpirun (Open MPI) 5.0.1'\n")
    mpirun.chmod(0o755)
    command = ["env", f"PATH={tmp_path}:/bin", "mpirun", "--display-topo", "n1", "./a.out"]
    assert find_programs(command, {"PATH": "/bin"}).recorded(["@"])[-2:] == ["@", "./a.out"]


def test_a_launcher_is_asked_once_as_long_as_it_is_the_same(tmp_path: Path) -> None:
    mpirun, asked = tmp_path / "mpirun", tmp_path / "asked"
    for version, grammar in (("4.1.6", OPEN_MPI_4), ("5.0.11, the newer one", OPEN_MPI_5)):
        mpirun.write_text(f"#!/bin/sh\necho 'mpirun (Open MPI) {version}'\necho {version} >> {asked}\n")
        mpirun.chmod(0o755)
        for _ in range(3):
            assert identify("mpirun", {"PATH": f"{tmp_path}:/bin"}) is grammar
    assert len(asked.read_text().splitlines()) == 2
    identify("mpirun", {"PATH": f"{tmp_path}:/bin", "LD_LIBRARY_PATH": "/elsewhere"})
    assert len(asked.read_text().splitlines()) == 3, "a wrapper may start another one there"
