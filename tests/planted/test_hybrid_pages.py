"""A job of ranks with threads, on every kind of page: two MPIs, three kinds of threads."""

from __future__ import annotations

import csv
import json
from pathlib import Path
from typing import Any

import pytest
from harness.command_line import run_clearway
from harness.mpis import Mpi
from harness.programs import ProgramBuilder
from harness.runs import load_facts, load_page, run_job
from planted.test_threads import build_teams, environment_of
from rich.console import Console

import clearway
from clearway.page.build.running import running
from clearway.page.render.live import screen

STEPS, FIRST_S, OTHERS_S, ALONE_S = 40, 0.02, 0.01, 0.01
KINDS = ("gcc-passive", "llvm", "pthread")


@pytest.fixture(scope="module", params=KINDS)
def kind(request: pytest.FixtureRequest) -> str:
    return str(request.param)


@pytest.fixture
def recorded(kind: str, debian_mpi: Mpi, programs: ProgramBuilder, tmp_path: Path) -> Path:
    """Two ranks of two threads."""
    words = [str(build_teams(kind, programs, debian_mpi)), kind, *map(str, (STEPS, FIRST_S, OTHERS_S, ALONE_S))]
    environment = {"TRUTH": str(tmp_path / "truth"), **environment_of(kind)}
    outcome = run_job(debian_mpi, words, 2, tmp_path / "run", ["--timeline"], environment)
    assert outcome.exit_code == 0, outcome.says
    return tmp_path / "run"


def rows(file: Path) -> list[dict[str, str]]:
    with file.open(newline="", encoding="utf-8") as stream:
        return list(csv.DictReader(stream))


def check_json(page: dict[str, Any], kind: str, computed_s: float) -> None:
    cores = page["cores"]
    assert (cores["fewest_threads"], cores["most_threads"], len(cores["ranks"])) == (2, 2, 2)
    assert sum(rank["cpu_s"] for rank in page["ranks"]) > 0.9 * computed_s
    for rank, of_threads in zip(page["ranks"], cores["ranks"], strict=True):
        busy = sum(thread["busy"] for thread in of_threads["threads"])
        assert busy == pytest.approx(rank["cpu_utilisation"], abs=0.1)
        # Of every moment: no less than what had a core then, no more than all threads.
        on_cores = sum(core["busy"] for core in of_threads["by_core"])
        assert 0.5 * busy < on_cores < 2
    assert (sum(each["parallel_s"] for each in page["strip"]) > 0) == (kind != "pthread")


def test_every_kind_of_page_shows_the_threads(recorded: Path, kind: str, tmp_path: Path) -> None:
    truth = load_facts(tmp_path / "truth")
    page = load_page(recorded)
    check_json(page, kind, sum(each["others_cpu_s"] + each["alone_cpu_s"] for each in truth.values()))

    shown = run_clearway("report", recorded, environment={"COLUMNS": "120"}).stdout
    assert "2 ranks × 2 threads on " in shown
    assert "core-seconds went" in shown
    for title in ("each thread", "each core", "cores busy"):
        assert title in shown, shown
    assert ("parallel regions" in shown) == (kind != "pthread")

    made = run_clearway("report", recorded, "--html", tmp_path / "page.html", "--csv", tmp_path / "tables")
    assert made.exit_code == 0, made.says
    html = (tmp_path / "page.html").read_text()
    for label in ("2 ranks × 2 threads on ", "busy threads of rank 1", "busy cores of rank 1", "cores busy over time"):
        assert label in html, label
    assert ("parallel regions over time" in html) == (kind != "pthread")

    threads, cores = (rows(tmp_path / "tables" / f"{name}.csv") for name in ("threads", "cores_by_rank"))
    assert sorted(row["rank"] for row in threads) == ["0", "0", "1", "1"]
    of_json = [core["busy"] for rank in page["cores"]["ranks"] for core in rank["by_core"]]
    assert [float(row["busy"]) for row in cores] == of_json

    pytest.importorskip("pandas")
    frames = clearway.load(str(recorded))
    assert len(frames.threads) == 4
    assert frames.cores["busy"].tolist() == of_json
    assert (frames.strip["parallel_s"].sum() > 0) == (kind != "pthread")

    view = Console(width=120, height=80)
    with view.capture() as captured:
        view.print(screen(running(str(recorded)), view))
    live = captured.get()
    for words in ("2 ranks × 2 threads on ", "Where the core-seconds go", "each thread", "each core"):
        assert words in live, live


def test_a_prediction_keeps_what_threads_compute(recorded: Path, tmp_path: Path) -> None:
    """The main thread waits in each step while others compute: that is no message, and goes on whatever the network."""
    file = tmp_path / "prediction.json"
    outcome = run_clearway("predict", "--from", recorded, "--cluster", "procurve2848", "--no-cache", "--json", file)
    assert outcome.exit_code == 0, outcome.says
    told = json.loads(file.read_text())
    in_steps_s = max(each["region_s"] + each["alone_s"] for each in load_facts(tmp_path / "truth").values())
    for point in told["points"]:
        assert 0.95 * in_steps_s < point["duration_ns"] * 1e-9 < 1.1 * told["recorded_ns"] * 1e-9
