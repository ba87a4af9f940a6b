"""The tutorials, typed as they stand there: each block works, and what is shown of its output is what it prints."""

from __future__ import annotations

import os
from pathlib import Path

import pytest
from harness.mpis import REPOSITORY, Mpi, clearway_tool
from harness.runs import run_command
from readme.tutorial import Step, missing, steps_of

from clearway.testbed import privilege

TUTORIALS = REPOSITORY / "docs" / "tutorials"
AS_ROOT = {"OMPI_ALLOW_RUN_AS_ROOT": "1", "OMPI_ALLOW_RUN_AS_ROOT_CONFIRM": "1"}  # a reader is an ordinary user


def follow(page: Path, folder: Path, open_mpi: Mpi) -> None:
    """Types all blocks of `page`, one after another, in an empty folder."""
    tools = folder / "tools"
    tools.mkdir()
    (tools / "mpirun").symlink_to(open_mpi.launcher[0])
    environment = {
        **AS_ROOT,
        "COLUMNS": "100",
        "PATH": f"{clearway_tool('clearway').parent}:{tools}:{os.environ['PATH']}",
    }
    for step in steps_of(page):
        outcome = run_command(["bash", "-euc", step.typed], environment, timeout_s=100, directory=folder)
        assert outcome.exit_code == 0, (step.typed, outcome.says)
        for excerpt in step.excerpts:
            assert missing(excerpt, outcome.stdout + outcome.stderr) == [], (step.typed, outcome.says)


@pytest.mark.timed  # the sentence says that most was computing: not so beside a busy neighbour
def test_the_first_page(open_mpi: Mpi, tmp_path: Path) -> None:
    follow(TUTORIALS / "first-page.md", tmp_path, open_mpi)
    assert (tmp_path / "first.html").stat().st_size > 10_000


@pytest.mark.skipif(len(os.sched_getaffinity(0)) < 2, reason="needs a second core to give back")
@pytest.mark.slow
@pytest.mark.timed  # other work on the machine can hide the gain
def test_the_first_fix(open_mpi: Mpi, tmp_path: Path) -> None:
    follow(TUTORIALS / "first-fix.md", tmp_path, open_mpi)


@pytest.mark.skipif(privilege.why_not() is not None, reason="the testbed needs root")
def test_the_cluster_in_a_box(open_mpi: Mpi, tmp_path: Path) -> None:
    follow(TUTORIALS / "cluster-in-a-box.md", tmp_path, open_mpi)


def test_all_tutorials_are_followed() -> None:
    followed = {"first-page.md", "first-fix.md", "cluster-in-a-box.md"}
    assert {page.name for page in TUTORIALS.glob("*.md")} == followed


def test_an_excerpt_with_other_words_is_noticed(tmp_path: Path) -> None:
    page = tmp_path / "page.md"
    page.write_text("```sh\ntrue\n```\nwords\n```console\n  waiting for a core   2 s\n  waiting for nobody\n```\n")
    (step,) = steps_of(page)
    assert step == Step("true\n", ("  waiting for a core   2 s\n  waiting for nobody\n",))
    assert missing(step.excerpts[0], "▚ waiting for\n a core 7 s") == ["  waiting for nobody"]
