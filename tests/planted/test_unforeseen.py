"""Ways to lose time that no rule was written for: each is named by what the ranks did in it, and its cost is theirs.

What the program measured itself (tests/programs/unforeseen.c) is the truth; in its twins none of this may be found.
"""

from __future__ import annotations

import contextlib
import os
import subprocess
from collections.abc import Callable, Iterator
from pathlib import Path
from typing import Any

import pytest
from causes.others import late_service
from diagnosis.slow_disk import slow_disk, why_not
from harness.mpis import Mpi
from harness.programs import ProgramBuilder
from harness.runs import load_facts, load_page, run_job

pytestmark = [pytest.mark.timed, pytest.mark.timeout(120)]

RANKS, STEPS, COMPUTE_S = 2, 20, 0.05
Page = dict[str, Any]
Planted = Callable[..., tuple[Page, float]]


@pytest.fixture
def program(open_mpi: Mpi, programs: ProgramBuilder) -> Path:
    return programs.build(open_mpi, "unforeseen", "unforeseen.c")


@pytest.fixture
def planted(open_mpi: Mpi, program: Path, tmp_path: Path) -> Planted:
    """The page, and how long the rank that lost most took for what was planted."""

    def run(kind: str, amount: float, thing: str | Path = "-", *ranks: int, before: tuple[str, ...] = ()) -> Any:
        words = [*before, str(program), kind, str(amount), str(thing), str(STEPS), str(COMPUTE_S), *map(str, ranks)]
        environment = {"TRUTH": str(tmp_path / "truth")}
        outcome = run_job(open_mpi, words, RANKS, tmp_path / "run", ["--sample-ms", "20"], environment)
        assert outcome.exit_code == 0, outcome.says
        truth = load_facts(tmp_path / "truth")
        return load_page(tmp_path / "run"), max(facts["lost_s"] for facts in truth.values())

    return run


def remove_old_semaphore(path: Path) -> None:
    """It outlives all programs. Its key is that of ftok(3), of this path and 1."""
    status = path.stat()
    key = 1 << 24 | (status.st_dev & 0xFF) << 16 | status.st_ino & 0xFFFF
    subprocess.run(["ipcrm", "--semaphore-key", str(key)], check=True)


@contextlib.contextmanager
def beside(*words: str | Path) -> Iterator[None]:
    other = subprocess.Popen([str(word) for word in words])
    try:
        yield
    finally:
        other.kill()
        other.wait()


def found(page: Page, rule: str) -> dict[str, Any]:
    each: dict[str, Any] = next((one for one in page["findings"] if one["rule"] == rule), {})
    assert each, [one["title"] for one in page["findings"]]
    return each


RULES = {"kernel-time", "slow-start", "blocked", "small-accesses"}


def test_its_twin_has_none_of_this(planted: Planted) -> None:
    page, _ = planted("none", 0)
    assert not RULES & {one["rule"] for one in page["findings"]}, page["findings"]


@pytest.mark.parametrize(("kind", "amount"), [("random", 25), pytest.param("local-time", 0.1, marks=pytest.mark.slow)])
def test_what_the_kernel_does_for_the_ranks_is_named(planted: Planted, kind: str, amount: float) -> None:
    page, lost_s = planted(kind, amount)
    told = found(page, "kernel-time")
    assert 0.2 * lost_s < told["cost_s"] < 1.1 * lost_s


@pytest.mark.parametrize("kind", ["semaphore", "old-semaphore"])
def test_a_semaphore_that_another_program_holds_is_named(
    planted: Planted, program: Path, tmp_path: Path, kind: str
) -> None:
    named, key = Path(f"/dev/shm/sem.clearway-{os.getpid()}"), tmp_path / "key"
    key.touch()
    thing = f"/{named.name.removeprefix('sem.')}" if kind == "semaphore" else key
    with beside(program, f"hold-{kind}", "0.08", thing):
        page, lost_s = planted(kind, 1, thing, 0, 0)
    if kind == "semaphore":
        named.unlink()
    else:
        remove_old_semaphore(key)
    told = found(page, "blocked")
    of = named if kind == "semaphore" else "semaphore set"
    assert f"waiting for a lock on {of}" in told["title"]
    assert 0.5 * lost_s < told["cost_s"] < 1.3 * lost_s


def test_a_licence_server_that_all_ranks_ask_before_they_start_is_named(planted: Planted) -> None:
    with late_service() as port:
        page, _ = planted("licence", 1.5, str(port))
    told = found(page, "blocked")
    assert told["title"] == f"Time goes into waiting for 127.0.0.1:{port}"
    assert told["cost_s"] == pytest.approx(1.5, rel=0.25)


def test_a_script_before_the_program_is_named(planted: Planted) -> None:
    page, _ = planted("none", 0, before=("sh", "-c", 'sleep 1.6; exec "$@"', "sh"))
    told = found(page, "slow-start")
    assert told["cost_s"] == pytest.approx(1.6, abs=0.3)
    assert "before the program itself began" in told["says"]


def test_an_accumulate_storm_is_named(planted: Planted) -> None:
    page, lost_s = planted("accumulate", 4000)
    told = found(page, "small-accesses")
    assert "by MPI_Accumulate" in told["says"]
    assert 0.5 * lost_s < told["cost_s"] < 1.1 * lost_s


def test_pages_of_a_mapped_file_on_a_slow_disk_are_named(planted: Planted, tmp_path: Path) -> None:
    if why_not():
        pytest.skip(why_not())
    with slow_disk(tmp_path, 40, {"read_bps": 4_000_000}) as disk:
        (disk / "table").write_bytes(b"x" * 8_000_000)
        os.sync()
        page, lost_s = planted("mapped", 300, disk / "table")
    told = found(page, "blocked")
    assert "waiting for a page of memory" in told["title"]
    assert 0.5 * lost_s < told["cost_s"] < 1.2 * lost_s


@pytest.mark.slow
def test_a_rank_that_is_stopped_inside_mpi_is_named(planted: Planted) -> None:
    page, _ = planted("stopped-in-mpi", 2)
    told = found(page, "blocked")
    assert told["title"] == "Time goes into being stopped from outside (SIGSTOP)"
    assert told["cost_s"] == pytest.approx(2.0, rel=0.25)


@pytest.mark.slow
def test_short_programs_that_ranks_start_are_not_others(planted: Planted) -> None:
    page, lost_s = planted("ls", 15)
    assert found(page, "blocked")["cost_s"] > 0.3 * lost_s
