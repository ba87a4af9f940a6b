"""`clearway list`: every Run below a directory in one line, whatever state it is in."""

from __future__ import annotations

import json
import os
import re
from pathlib import Path

import pytest
from harness.command_line import run_clearway
from harness.mpis import REPOSITORY
from python.made_runs import State
from survey.made import made_run

from clearway.base.kept_answers import Cache
from clearway.base.schema import schema_of
from clearway.base.sheet import Sheet
from clearway.run import Run, load
from clearway.survey import listing as listings
from clearway.survey import row as rows
from clearway.survey.kept_rows import KeptRows
from clearway.survey.listing import SCHEMA, Listing, list_runs
from clearway.survey.listing_terminal import lines_of
from clearway.survey.row import NO_END, NOTHING_FOUND, Row, row_of_directory

SCHEMA_FILE = REPOSITORY / "docs/json-schema/clearway-list-1.json"


@pytest.fixture(autouse=True)
def own_cache(tmp_path_factory: pytest.TempPathFactory, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("XDG_CACHE_HOME", str(tmp_path_factory.mktemp("cache")))


def shown(listing: Listing, width: int = 120, last: int | None = None) -> list[str]:
    return [line.plain for line in lines_of(listing, Sheet(width, False, False), last)]


def test_each_run_has_a_line_in_order_of_time(tmp_path: Path) -> None:
    late = {"environment.SLURM_JOB_ID": "4711"}
    made_run(tmp_path / "b/late", late_s=0.1, start_ahead_s=3600.0, facts=late)
    made_run(tmp_path / "a", start_ahead_s=7200.0)
    made_run(tmp_path / "c")
    (tmp_path / "no-run").mkdir()
    runs = list_runs(tmp_path).runs
    assert [Path(row.directory).name for row in runs] == ["c", "late", "a"]
    first, second, third = runs
    assert (first.program, first.ranks, first.hosts, first.job_id) == ("md", 4, 2, "")
    assert (first.verdict, first.loss, first.rule, first.ended) == (NOTHING_FOUND, 0.0, "", "")
    assert second.job_id == "4711"
    assert (second.rule, second.verdict) == ("load-imbalance", "Some ranks compute longer than others")
    assert second.loss is not None
    assert second.loss > 0.1
    assert third.wall_s == pytest.approx(11.0)
    title, columns, *lines = shown(list_runs(tmp_path))
    assert title.startswith(f"3 Runs below {tmp_path}")
    assert columns.split() == ["Run", "started", "(UTC)", "job", "program", "ranks", "wall-clock", "loss", "verdict"]
    assert lines[1].split()[:5] == ["b/late", "2025-06-15", "16:06", "4711", "md"]
    assert lines[1].endswith("Some ranks compute longer than others")
    narrow = shown(list_runs(tmp_path), width=60)
    assert re.search(r"  Some ranks compute lon\w*…$", narrow[3])
    assert max(map(len, narrow[1:])) <= 60
    assert [line.split()[0] for line in shown(list_runs(tmp_path), last=2)[2:]] == ["b/late", "a"]


def test_broken_runs_have_a_line_each_and_hide_no_other(tmp_path: Path) -> None:
    whole = made_run(tmp_path / "whole")
    record = next(whole.glob("rank.*.cwr")).read_bytes()
    broken = {"cut": record[:100], "empty": b"", "other": b"x" * 100_000, "header": record[:4096], "zeros": bytes(9000)}
    for name, content in broken.items():
        (tmp_path / name).mkdir()
        (tmp_path / name / "rank.node1.1.cwr").write_bytes(content)
    (tmp_path / "hosts-only").mkdir()
    (tmp_path / "folder").mkdir()
    (tmp_path / "folder" / "rank.x.1.cwr").mkdir()
    runs = {Path(row.directory).name: row for row in list_runs(tmp_path).runs}
    assert set(runs) == {*broken, "whole"}
    assert runs["whole"].readable
    assert runs["cut"].verdict == "rank.node1.1.cwr is cut short: 100 bytes, less than its header"
    assert runs["other"].verdict == "rank.node1.1.cwr is not a Clearway record"
    assert "before the first clock reading" in runs["empty"].verdict
    assert len(shown(list_runs(tmp_path))) == 2 + len(runs)


def test_an_error_of_ours_stays_in_its_line(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    made_run(tmp_path / "a")
    made_run(tmp_path / "b")

    def failing(directory: Path) -> Run:
        if directory.name == "a":
            raise IndexError("planted")
        return load(directory)

    monkeypatch.setattr(rows, "load", failing)
    broken, whole = sorted(list_runs(tmp_path).runs, key=lambda row: row.directory)
    assert broken.verdict == "cannot be read: IndexError: planted"
    assert whole.readable


def test_a_run_that_kills_its_reader_is_told_of(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    for number in range(20):
        made_run(tmp_path / f"r{number}")
    monkeypatch.setattr(listings, "row_of_directory", _dies_of_r7)
    monkeypatch.setattr(os, "sched_getaffinity", lambda _: {0, 1})
    runs = list_runs(tmp_path).runs
    assert {Path(row.directory).name for row in runs if not row.readable} == {"r7"}
    assert len(runs) == 20


def _dies_of_r7(directory: Path) -> Row:
    if directory.name == "r7":
        os._exit(9)
    return row_of_directory(directory)


def test_hundreds_are_read_once(tmp_path: Path) -> None:
    """Counted, not timed: the second listing reads what has changed, and no other."""
    for number in range(100):
        made_run(tmp_path / f"r{number}")
    kept = KeptRows(Cache(tmp_path / "kept"))
    before = list_runs(tmp_path, kept)
    assert len(before.runs) == 100
    made_run(tmp_path / "r5", late_s=0.1)
    made_run(tmp_path / "r6", state=State.RUNNING)
    read: list[Path] = []

    def watched(path: Path) -> Row:
        read.append(path)
        return row_of_directory(path)

    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(listings, "row_of_directory", watched)
        after = list_runs(tmp_path, kept)
        assert sorted(path.name for path in read) == ["r5", "r6"]
        read.clear()
        list_runs(tmp_path, kept)
        assert [path.name for path in read] == ["r6"], "a job that may still run is read anew"
    found = {Path(row.directory).name: row for row in after.runs}
    assert found["r5"].rule == "load-imbalance"
    assert found["r6"].ended == NO_END
    others = {row for row in before.runs if Path(row.directory).name not in ("r5", "r6")}
    assert others <= set(after.runs)


def test_a_user_without_a_home_has_listings_too(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    def homeless() -> Path:
        raise RuntimeError("Could not determine home directory.")

    made_run(tmp_path / "a")
    monkeypatch.delenv("XDG_CACHE_HOME")
    monkeypatch.setattr(Path, "home", homeless)
    assert run_clearway("list", tmp_path).stdout.splitlines()[2].startswith("  a ")
    assert run_clearway("tune", "--learned").exit_code == 0
    predicted = run_clearway("predict", "alltoall", "--hosts", "2", "--size", "1k")
    assert predicted.exit_code == 0, predicted.says


def test_a_cache_folder_that_is_not_absolute_is_none(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """It would be made among the job's files (XDG Base Directory Specification)."""
    made_run(tmp_path / "a")
    monkeypatch.chdir(tmp_path)
    monkeypatch.setenv("XDG_CACHE_HOME", "relative")
    monkeypatch.setenv("HOME", str(tmp_path / "home"))
    assert run_clearway("list", tmp_path).exit_code == 0
    assert {path.name for path in tmp_path.iterdir()} == {"a", "home"}


def test_a_job_of_a_user_whom_the_system_does_not_know(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """As in a container that was started with a number."""
    monkeypatch.setattr("os.getuid", lambda: 4_000_000)
    asked = run_clearway("report", "1234", directory=tmp_path)
    assert asked.exit_code == 1
    assert "error: there is no user 4000000 here" in asked.stderr


def test_moved_runs_go_by_their_new_names(tmp_path: Path) -> None:
    kept = KeptRows(Cache(tmp_path / "kept"))
    made_run(tmp_path / "runs/a")
    list_runs(tmp_path / "runs", kept)
    (tmp_path / "runs/a").rename(tmp_path / "runs/b")
    assert [row.directory for row in list_runs(tmp_path / "runs", kept).runs] == [str(tmp_path / "runs/b")]


def test_what_a_job_wrote_does_not_steer_the_terminal(tmp_path: Path) -> None:
    hostile = {"process.program": "/bin/\x1b[31mred\n<b>", "environment.SLURM_JOB_ID": "\x1b]0;title\x07"}
    made_run(tmp_path / "a\x1b[2J", facts=hostile)
    (tmp_path / "b\nc").mkdir()
    (tmp_path / "b\nc" / "rank.\x1b[1m.1.cwr").write_bytes(b"x" * 10_000)
    lines = shown(list_runs(tmp_path), width=200)
    assert len(lines) == 4
    assert not any("\x1b" in line or "\n" in line or "\x07" in line for line in lines)


def test_the_command(tmp_path: Path) -> None:
    made_run(tmp_path / "runs/a", late_s=0.1)
    outcome = run_clearway("list", directory=tmp_path)
    assert (outcome.exit_code, outcome.stderr) == (0, "")
    assert outcome.stdout.splitlines()[2].split()[0] == "runs/a"
    outcome = run_clearway("list", tmp_path, "--json", "-")
    tree = json.loads(outcome.stdout)
    jsonschema = pytest.importorskip("jsonschema")
    jsonschema.validate(tree, schema_of(Listing, SCHEMA))
    assert tree["runs"][0]["rule"] == "load-imbalance"
    (tmp_path / "nothing").mkdir()
    assert run_clearway("list", tmp_path / "nothing").stdout == f"There is no Run below '{tmp_path}/nothing'.\n"
    assert run_clearway("list", tmp_path / "nowhere").stderr.startswith(f"error: cannot look for Runs in {tmp_path}/no")
    assert run_clearway("list", tmp_path, "--last", "0").exit_code == 1


def test_the_schema_in_the_documentation_is_that_of_the_listing() -> None:
    assert json.loads(SCHEMA_FILE.read_text()) == schema_of(Listing, SCHEMA)


def test_the_name_that_people_copy_is_whole(tmp_path: Path) -> None:
    """Of a Run that was given none: the verdict is cut, and what is told elsewhere goes, but not the name."""
    name = "clearway-gmx_mpi-20261129-220731"
    made_run(tmp_path / name, late_s=0.1)
    (line,) = shown(list_runs(tmp_path), width=90)[2:]
    assert line.split()[0] == name
    assert line.endswith("…")
