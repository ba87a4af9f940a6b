"""`clearway docs`: what is cited can be read wherever Clearway is installed."""

from __future__ import annotations

import re
from pathlib import Path

import pytest
from harness.command_line import run_clearway
from harness.mpis import REPOSITORY

from clearway.base import installed
from clearway.commands import command_names

DOCS = REPOSITORY / "docs"
SOURCES = [
    path
    for folder in ("python", "native")
    for path in (REPOSITORY / folder).rglob("*")
    if path.suffix in (".py", ".md", ".cpp", ".html", ".toml")
]


@pytest.fixture(autouse=True)
def installed_here(monkeypatch: pytest.MonkeyPatch, tmp_path: Path) -> None:
    """A prefix whose documentation is the checkout's; tests/packages looks at a real one."""
    (tmp_path / "bin").mkdir()
    (tmp_path / "share/doc").mkdir(parents=True)
    (tmp_path / "share/doc/clearway").symlink_to(DOCS)
    monkeypatch.setattr(installed.sys, "argv", [str(tmp_path / "bin/clearway")])


def test_every_page_that_is_cited_is_there() -> None:
    cited = {page for path in SOURCES for page in re.findall(r"clearway docs ([a-z][\w/-]*)", path.read_text())}
    assert "troubleshooting" in cited
    for page in cited:
        assert run_clearway("docs", page).exit_code == 0, page


@pytest.mark.parametrize("name", command_names())
def test_help_names_no_file_that_is_not_installed(name: str) -> None:
    assert "docs/" not in run_clearway(name, "--help").stdout


def test_all_pages_are_listed_with_their_titles() -> None:
    listed = run_clearway("docs").stdout
    for page in DOCS.glob("*.md"):
        title = page.read_text().splitlines()[0].removeprefix("# ")
        assert re.search(rf"^{page.stem} +{re.escape(title)}$", listed, re.MULTILINE)
    assert "json-schema/" in listed.splitlines()
    assert re.match(r"tutorials/cluster-in-a-box +A cluster in a box\ntutorials/first-fix +Your first fix\n", listed)
    assert re.search(r"\n\nhow-to/choose-ranks +How many ranks\?\n", listed)
    assert not {"tutorials/", "how-to/"} & set(listed.splitlines())


def test_a_page_is_printed_as_it_is() -> None:
    assert run_clearway("docs", "units").stdout == (DOCS / "units.md").read_text()
    assert run_clearway("docs", "decisions/README").stdout == (DOCS / "decisions/README.md").read_text()
    assert "clearway-page-1.json" in run_clearway("docs", "json-schema").stdout


def test_a_page_of_a_folder_is_found_by_its_own_name() -> None:
    assert run_clearway("docs", "hybrid-jobs").stderr.endswith("hint: did you mean how-to/hybrid-jobs?\n")


@pytest.mark.parametrize("page", ["nothing", "../README", "/etc/passwd"])
def test_what_is_no_page_is_said(page: str) -> None:
    outcome = run_clearway("docs", page)
    assert outcome.exit_code == 1
    assert outcome.stderr == f"error: there is no page '{page}'\n\nhint: `clearway docs` lists them all\n"
