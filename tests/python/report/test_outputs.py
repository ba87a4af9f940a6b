"""JSON, its schema, CSV, HTML, and how files come to be."""

from __future__ import annotations

import csv
import json
import os
from pathlib import Path

import pytest
from harness import made_pages as pages

from clearway.base.errors import ClearwayError
from clearway.base.json import plain, write_json
from clearway.base.output_file import whole_file
from clearway.base.schema import schema_of
from clearway.page.model import SCHEMA, Page
from clearway.page.render.csv import write_csv
from clearway.page.render.html import html_of

SCHEMA_FILE = Path(__file__).parents[3] / "docs" / "json-schema" / "clearway-page-1.json"
MAKERS = [pages.water_page, pages.tiny_page, pages.scratch_page, pages.killed_page, pages.hostile_page]


@pytest.fixture(params=MAKERS, ids=lambda make: make.__name__)
def page(request: pytest.FixtureRequest) -> Page:
    made: Page = request.param()
    return made


def test_the_schema_in_the_documentation_is_that_of_the_page() -> None:
    assert json.loads(SCHEMA_FILE.read_text()) == schema_of(Page, SCHEMA)


def test_json_follows_its_schema(page: Page, tmp_path: Path) -> None:
    jsonschema = pytest.importorskip("jsonschema")
    write_json(page, tmp_path / "page.json")
    jsonschema.validate(json.loads((tmp_path / "page.json").read_bytes()), schema_of(Page, SCHEMA))


def test_json_has_the_keys_that_scripts_rely_on() -> None:
    written = plain(pages.water_page())
    assert isinstance(written, dict)
    assert {"schema", "sentence", "job", "ledger", "pop", "ranks", "mpi_calls", "collectives"} <= set(written)
    assert {"messages", "sockets", "files", "hosts", "engine", "timeline"} <= set(written)
    ledger = written["ledger"]
    assert isinstance(ledger, dict)
    lines = ("compute_s", "core_wait_s", "mpi_wait_s", "mpi_transfer_s", "mpi_stall_s", "io_s", "other_s", "residue_s")
    assert sum(ledger[line] for line in lines) == pytest.approx(ledger["wall_s"])  # type: ignore[misc]


def test_what_is_not_a_number_is_null() -> None:
    assert plain([float("nan"), float("inf"), 1.5]) == [None, None, 1.5]


def test_csv_has_a_table_for_each_list(page: Page, tmp_path: Path) -> None:
    write_csv(page, tmp_path / "tables")
    with (tmp_path / "tables" / "ranks.csv").open(newline="", encoding="utf-8") as stream:
        rows = list(csv.DictReader(stream))
    assert len(rows) == len(page.ranks)
    assert float(rows[0]["compute_s"]) == page.ranks[0].ledger.compute_s
    with (tmp_path / "tables" / "files.csv").open(newline="", encoding="utf-8") as stream:
        assert len(list(csv.DictReader(stream))) == len(page.files)


def test_csv_holds_no_formula_of_a_job(tmp_path: Path) -> None:
    write_csv(pages.hostile_page(), tmp_path)
    with (tmp_path / "hosts.csv").open(newline="", encoding="utf-8") as stream:
        names = [row["name"] for row in csv.DictReader(stream)]
    assert names[8].startswith("'=HYPERLINK")


def test_html_has_no_script_and_no_address(page: Page) -> None:
    text = html_of(page)
    assert "default-src 'none'" in text
    assert "<script" not in text
    assert 'src=x onerror="' not in text
    assert "http://" not in text.replace("http://example.org", "")  # the hostile page's own text


def test_html_of_many_ranks_is_small() -> None:
    assert len(html_of(pages.large_page()).encode()) < 3_000_000


def test_a_file_is_written_whole_or_not_at_all(tmp_path: Path) -> None:
    target = tmp_path / "page.html"
    target.write_text("before")
    with pytest.raises(RuntimeError), whole_file(target) as stream:
        stream.write("half")
        raise RuntimeError
    assert target.read_text() == "before"
    assert list(tmp_path.iterdir()) == [target]


def test_a_link_is_followed(tmp_path: Path) -> None:
    (tmp_path / "link").symlink_to(tmp_path / "page")
    with whole_file(tmp_path / "link") as stream:
        stream.write("text")
    assert (tmp_path / "link").is_symlink()
    assert (tmp_path / "page").read_text() == "text"


@pytest.mark.parametrize(
    ("path", "reason"),
    [("/dev/full", "No space left on device"), ("/nowhere/page.html", "No such file"), ("/proc/page.html", "")],
)
def test_what_cannot_be_written_is_said_in_one_line(path: str, reason: str) -> None:
    with pytest.raises(ClearwayError, match=f"cannot write {path}: {reason}"):
        write_json(pages.tiny_page(), path)


@pytest.mark.parametrize("name", ["\u65e5" * 84 + ".md", "a" * 255, os.fsdecode(b"\xff" * 255)])
def test_a_file_may_have_as_long_a_name_as_there_is(name: str, tmp_path: Path) -> None:
    with whole_file(tmp_path / name) as stream:
        stream.write("text")
    assert [path.name for path in tmp_path.iterdir()] == [name]


def test_links_that_go_round_in_a_circle_are_said(tmp_path: Path) -> None:
    (tmp_path / "a").symlink_to(tmp_path / "b")
    (tmp_path / "b").symlink_to(tmp_path / "a")
    with pytest.raises(ClearwayError, match="Too many levels of symbolic links"):
        write_json(pages.tiny_page(), tmp_path / "a")


def test_a_file_in_the_place_of_the_tables_directory_stays(tmp_path: Path) -> None:
    (tmp_path / "si.in").write_text("&control\n")
    with pytest.raises(ClearwayError, match="it is a file"):
        write_csv(pages.tiny_page(), tmp_path / "si.in")
    assert (tmp_path / "si.in").read_text() == "&control\n"


def test_csv_holds_nothing_that_a_terminal_obeys(tmp_path: Path) -> None:
    write_csv(pages.hostile_page(), tmp_path)
    for file in tmp_path.glob("*.csv"):
        assert not set(file.read_text(encoding="utf-8")) & {"\x1b", "\x07", "\x9b", "\r", "\u202e"}, file
