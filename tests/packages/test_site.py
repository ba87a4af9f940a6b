"""The documentation as a site: built without a warning, with a page for each command and finding, and no dead link."""

from __future__ import annotations

import html.parser
import os
import re
import subprocess
import sys
from pathlib import Path
from urllib.parse import unquote, urlsplit

import pytest
from browser.chromium import find_chromium, open_tab
from harness.mpis import REPOSITORY

from clearway.commands import command_names
from clearway.diagnosis.rules import rules


@pytest.fixture(scope="module")
def site(tmp_path_factory: pytest.TempPathFactory) -> Path:
    folder = tmp_path_factory.mktemp("site")
    command = [sys.executable, "-m", "mkdocs", "build", "--quiet", "--strict", "--site-dir", folder]
    environment = {**os.environ, "NO_MKDOCS_2_WARNING": "1"}
    done = subprocess.run(command, cwd=REPOSITORY, env=environment, capture_output=True, text=True, check=False)
    assert done.returncode == 0, done.stdout + done.stderr
    return folder


class Links(html.parser.HTMLParser):
    """What a page leads to and loads, and the places in it that others may lead to."""

    def __init__(self, page: Path) -> None:
        super().__init__()
        self.targets: set[str] = set()
        self.places: set[str] = set()
        self.feed(page.read_text(encoding="utf-8"))

    def handle_starttag(self, tag: str, attrs: list[tuple[str, str | None]]) -> None:
        for name, value in attrs:
            if name in ("href", "src") and value:
                self.targets.add(value)
            elif name == "id" and value:
                self.places.add(value)


def test_every_link_leads_somewhere(site: Path) -> None:
    pages = {page.resolve(): Links(page) for page in site.rglob("*.html") if page.name != "404.html"}
    assert len(pages) > 80
    for page, links in pages.items():
        for target in links.targets:
            parts = urlsplit(target)
            assert parts.scheme in ("", "https", "data"), f"{page.name}: {target}"
            if parts.scheme:
                continue
            file = (page.parent / unquote(parts.path)).resolve() if parts.path else page
            assert file.exists(), f"{page.name}: {target}"
            if parts.fragment and file in pages and not parts.fragment.startswith("__"):
                assert unquote(parts.fragment) in pages[file].places, f"{page.name}: {target}"


def test_pictures_are_shown(site: Path) -> None:
    shown = re.compile(r"^!\[.*\]\((?:\.\./)?([\w/-]+\.svg)\)", re.MULTILINE)
    pages = {page: shown.findall(page.read_text(encoding="utf-8")) for page in (REPOSITORY / "docs").rglob("*.md")}
    assert sum(map(len, pages.values())) >= 7
    for page, pictures in ((page, pictures) for page, pictures in pages.items() if pictures):
        made = (site / page.relative_to(REPOSITORY / "docs").with_suffix(".html")).read_text(encoding="utf-8")
        assert all(f'{picture}"' in made for picture in pictures), page.name


@pytest.mark.skipif(find_chromium() is None, reason="needs Chromium: tools/install-packages test")
@pytest.mark.parametrize("width", [1200, 400])
def test_no_page_is_wider_than_its_window(site: Path, width: int) -> None:
    """One of each kind; what is wide in it, tables and blocks of code, can be moved by itself."""
    pages = ("index", "tutorials/first-page", "recording", "commands/predict", "findings/shared-core", "python-api")
    with open_tab(str(find_chromium())) as tab:
        tab.resize(width, mobile=width < 600)
        for page in (*pages, "flow-benchmark", "run-format"):
            tab.open(site / f"{page}.html")
            assert tab.evaluate("document.documentElement.scrollWidth") <= width, page


def test_nothing_is_loaded_from_elsewhere(site: Path) -> None:
    page = (site / "index.html").read_text(encoding="utf-8")
    assert 'src="http' not in page and "fonts.g" not in page


def test_each_command_and_each_finding_has_a_page(site: Path) -> None:
    assert {page.stem for page in (site / "commands").glob("*.html")} == set(command_names())
    assert {page.stem for page in (site / "findings").glob("*.html")} >= set(rules())


def test_the_python_api_has_its_docstrings(site: Path) -> None:
    page = (site / "python-api.html").read_text(encoding="utf-8")
    assert "Read the Run in <code>directory</code> as pandas frames" in page
    for name in ("clearway.load", "clearway.page.frames.Frames", "clearway.testbed.Testbed.run"):
        assert f'id="{name}"' in page, name


def test_a_page_of_a_command_has_its_options(site: Path) -> None:
    page = (site / "commands/run.html").read_text(encoding="utf-8")
    assert "<code>--sample-ms N</code>" in page
    assert "milliseconds between samples of connections (default 100)" in page
