"""What the README and the manual tell to type works as it stands there."""

from __future__ import annotations

import os
import re
import shutil
import subprocess
from pathlib import Path

import pytest
from harness.mpis import REPOSITORY, Mpi, clearway_tool
from harness.runs import run_command

PAGES = [
    *(REPOSITORY / name for name in ("README.md", "CONTRIBUTING.md", "benchmarks/README.md")),
    *sorted((REPOSITORY / "docs").rglob("*.md")),
]


def shell_blocks(page: Path) -> list[str]:
    return re.findall(r"^```sh\n(.*?)^```", page.read_text(encoding="utf-8"), re.MULTILINE | re.DOTALL)


def test_usage_as_in_the_readme(open_mpi: Mpi, tmp_path: Path) -> None:
    """The blocks that compile and record the example, word for word, in an empty folder."""
    blocks = [block for block in shell_blocks(REPOSITORY / "README.md") if "pme_like" in block]
    assert len(blocks) == 2
    (tmp_path / "examples").symlink_to(REPOSITORY / "examples")
    tools = tmp_path / "tools"
    tools.mkdir()
    (tools / "mpirun").symlink_to(open_mpi.launcher[0])
    (tools / "mpicc").symlink_to("/usr/bin/mpicc.openmpi")
    path = f"{clearway_tool('clearway').parent}:{tools}:{os.environ['PATH']}"
    for block in blocks:
        outcome = run_command(
            ["bash", "-euc", block], {**open_mpi.environment, "PATH": path}, timeout_s=100, directory=tmp_path
        )
        assert outcome.exit_code == 0, outcome.says
        assert "wall-clock" in outcome.stdout
    assert (tmp_path / "pme.html").stat().st_size > 10_000
    assert (tmp_path / "pme.json").stat().st_size > 1_000


@pytest.mark.parametrize("page", PAGES, ids=lambda page: str(page.relative_to(REPOSITORY)))
def test_make_targets_exist(page: Path) -> None:
    makefile = (REPOSITORY / "Makefile").read_text(encoding="utf-8")
    targets = set(re.findall(r"^([a-z-]+):", makefile, re.MULTILINE))
    for line in (line for block in shell_blocks(page) for line in block.splitlines()):
        if line.startswith("make "):
            assert line.split()[1] in targets


@pytest.mark.parametrize("page", PAGES, ids=lambda page: str(page.relative_to(REPOSITORY)))
def test_links_lead_somewhere(page: Path) -> None:
    for target in re.findall(r"\]\((?!https?:)([^)#]+)", page.read_text(encoding="utf-8")):
        assert (page.parent / target).exists(), f"{page.name} links to {target}"


def test_options_of_the_manual_are_the_programs_own() -> None:
    """Each option in the tables of docs/recording.md is in the help of the program, and the other way round."""
    tables = re.findall(r"^\| `(-[^`]*)`", (REPOSITORY / "docs" / "recording.md").read_text(), re.MULTILINE)
    documented = {re.split(r"[ \[=]", option)[0] for option in tables}
    record = subprocess.run([clearway_tool("clearway-record"), "--help"], capture_output=True, text=True, check=True)
    offered = set(re.findall(r"(?:^|\s)(--?[a-z][a-z-]*)", record.stdout)) - {
        "-np",
        "-deffnm",
        "-h",
        "--help",
        "--version",
    }
    assert documented <= offered
    assert offered - documented <= {"--output"}


@pytest.mark.parametrize("compiler", ["mpicc.openmpi", "mpicc.mpich"])
def test_the_example_compiles_without_a_warning(compiler: str, tmp_path: Path) -> None:
    if shutil.which(compiler) is None:
        pytest.skip(f"there is no {compiler}")
    words = [compiler, "-O2", "-Wall", "-Werror", "-o", tmp_path / "it", REPOSITORY / "examples" / "pme_like.c"]
    assert subprocess.run(words, capture_output=True, text=True, timeout=60).stderr == ""


def test_example_checks_its_data(open_mpi: Mpi, tmp_path: Path) -> None:
    program = tmp_path / "pme_like"
    subprocess.run(
        ["mpicc.openmpi", "-O2", "-o", program, REPOSITORY / "examples" / "pme_like.c"], check=True, timeout=60
    )
    outcome = run_command(
        open_mpi.command(3, [program, "--steps", "5", "--size", "20"]), open_mpi.environment, directory=tmp_path
    )
    assert outcome.exit_code == 0, outcome.says
    assert outcome.stdout.startswith("5 steps on 3 ranks: ")
