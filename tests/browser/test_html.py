"""The HTML page in a browser: silent, self-contained, harmless, and no wider than what it is shown on."""

from __future__ import annotations

import base64
from collections.abc import Iterator
from itertools import pairwise
from pathlib import Path

import pytest
from browser.chromium import Tab, find_chromium, open_tab
from harness import made_pages as pages

from clearway.page.render.html import write_html

MAKERS = {
    "water": pages.water_page,
    "tiny": pages.tiny_page,
    "killed": pages.killed_page,
    "hostile": pages.hostile_page,
    "large": pages.large_page,
}
A4_PX = 680  # between margins of 15 mm, at 96 pixels an inch


@pytest.fixture(scope="module")
def tab() -> Iterator[Tab]:
    program = find_chromium()
    if program is None:
        pytest.skip("Chromium is not installed")
    with open_tab(program) as tab:
        yield tab


@pytest.fixture(scope="module")
def folder(tmp_path_factory: pytest.TempPathFactory) -> Path:
    folder = tmp_path_factory.mktemp("html")
    for name, make in MAKERS.items():
        write_html(make(), folder / f"{name}.html")
    return folder


@pytest.fixture(params=MAKERS)
def page(request: pytest.FixtureRequest, tab: Tab, folder: Path) -> Tab:
    tab.resize(1280)
    tab.emulate()
    tab.open(folder / f"{request.param}.html")
    return tab


def test_nothing_reaches_the_console(page: Tab) -> None:
    assert page.named("Runtime.consoleAPICalled", "Runtime.exceptionThrown", "Log.entryAdded") == []


def test_no_request_leaves_the_file(page: Tab) -> None:
    addresses = [event["request"]["url"] for event in page.named("Network.requestWillBeSent")]
    assert [one for one in addresses if not one.startswith("data:")] == [page.evaluate("location.href")]


def test_names_of_a_job_stay_text(tab: Tab, folder: Path) -> None:
    tab.open(folder / "hostile.html")
    assert tab.evaluate("document.querySelectorAll('script,img,iframe,object,embed,form,a,base').length") == 0
    assert tab.evaluate("document.title").startswith("<script>alert(1)</script>: where")
    handlers = "[...document.querySelectorAll('*')].some(e => [...e.attributes].some(a => a.name.startsWith('on')))"
    assert tab.evaluate(handlers) is False
    text = tab.evaluate("document.body.textContent")
    for seen in ("<script>alert(1)</script>", '"><img src=x onerror="', "{{ 7 * 7 }}", "[bold red]markup[/]"):
        assert seen in text
    for escaped in ("\\x1b[31m", "safe\\u202egnp.exe\\u200b", "bytes\\xff\\x80that"):
        assert escaped in text
    assert not {"\u202e", "\u200b", "\x1b"} & set(text)


@pytest.mark.parametrize("width", [320, 390, 768, 1280, 1920])
def test_the_page_does_not_overflow_a_screen(page: Tab, width: int) -> None:
    page.resize(width, mobile=width < 700)
    assert page.evaluate("document.documentElement.scrollWidth") <= width


def test_the_page_does_not_overflow_paper(page: Tab) -> None:
    page.resize(A4_PX)
    page.emulate(media="print")
    assert page.evaluate("document.documentElement.scrollWidth") <= A4_PX
    printed = page.call("Page.printToPDF", preferCSSPageSize=True)
    assert base64.b64decode(printed["data"]).startswith(b"%PDF")


CONTRAST = """(() => {
  const luminance = colour => {
    const parts = colour.match(/[\\d.]+/g).slice(0, 3).map(v => v / 255)
      .map(v => v <= 0.03928 ? v / 12.92 : ((v + 0.055) / 1.055) ** 2.4);
    return 0.2126 * parts[0] + 0.7152 * parts[1] + 0.0722 * parts[2];
  };
  const paper = luminance(getComputedStyle(document.body).backgroundColor);
  const texts = [...document.querySelectorAll('body, .quiet, .flag, th, td, summary, .under')];
  return Math.min(...texts.map(e => luminance(getComputedStyle(e).color))
    .map(ink => (Math.max(ink, paper) + 0.05) / (Math.min(ink, paper) + 0.05)));
})()"""


@pytest.mark.parametrize("scheme", ["light", "dark"])
def test_text_is_readable(tab: Tab, folder: Path, scheme: str) -> None:
    tab.emulate(scheme=scheme)
    tab.open(folder / "killed.html")
    assert tab.evaluate(CONTRAST) >= 4.5


def test_pictures_and_tables_are_named(page: Tab) -> None:
    unnamed = "document.querySelectorAll('svg[role=img]:not([aria-label]), svg:not([role]):not([aria-hidden])').length"
    inner = "document.querySelectorAll('svg svg').length"  # parts of a named picture
    assert page.evaluate(unnamed) == page.evaluate(inner)
    assert page.evaluate("[...document.querySelectorAll('table')].every(t => t.querySelector('th'))")
    assert page.evaluate("document.documentElement.lang") == "en"
    levels = page.evaluate("[...document.querySelectorAll('h1,h2,h3')].map(h => +h.tagName[1])")
    assert levels[0] == 1
    assert all(after - before <= 1 for before, after in pairwise(levels))
