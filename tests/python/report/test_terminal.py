"""The page in a terminal."""

from __future__ import annotations

import io
import re
from pathlib import Path

import pytest
from harness import made_pages as pages
from rich.cells import cell_len
from rich.console import Console

from clearway.base.console import open_console
from clearway.base.visible import visible
from clearway.page.render.terminal import print_page, text_of
from clearway.page.render.terminal.findings import LONGEST_COMMAND

GOLDEN = Path(__file__).with_name("water_page_80.txt")
MAKERS = [
    pages.water_page,
    pages.tiny_page,
    pages.scratch_page,
    pages.killed_page,
    pages.hostile_page,
    pages.large_page,
]


def test_the_page_of_a_job() -> None:
    """The page as it was looked at and liked. After a change of layout: look again, and write it anew."""
    assert text_of(pages.water_page(), 80) == GOLDEN.read_text()


@pytest.mark.parametrize("make", MAKERS)
@pytest.mark.parametrize("width", [60, 80, 100, 200])
@pytest.mark.parametrize("show_all", [False, True])
def test_no_line_is_wider_than_the_page_or_steers_the_terminal(make: object, width: int, show_all: bool) -> None:
    page = make()  # type: ignore[operator]
    if show_all and page.job.ranks > 100:
        pytest.skip("a long list")
    commands = {one.command for found in page.findings for one in found.remedies}  # never broken: they are copied
    commands = {visible(command, LONGEST_COMMAND) for command in commands}
    for line in text_of(page, width, show_all).splitlines():
        assert cell_len(line) <= min(width, 100) or line.strip() in commands
        assert line.isprintable()


def test_a_pipe_gets_plain_text() -> None:
    stream = io.StringIO()
    console = open_console(stream)
    print_page(pages.water_page(), console)
    assert console.width == 100
    assert "\x1b" not in stream.getvalue()


def colours(monkeypatch: pytest.MonkeyPatch, **environment: str) -> bool:
    for name in ("NO_COLOR", "FORCE_COLOR", "COLORTERM"):
        monkeypatch.delenv(name, raising=False)
    for name, value in environment.items():
        monkeypatch.setenv(name, value)
    stream = io.StringIO()
    print_page(pages.water_page(), Console(file=stream, force_terminal=True, width=80, markup=False))
    return "38;" in stream.getvalue() or "\x1b[32m" in stream.getvalue()


def test_colour_is_the_users_choice(monkeypatch: pytest.MonkeyPatch) -> None:
    assert colours(monkeypatch, TERM="xterm-256color")
    assert not colours(monkeypatch, TERM="xterm-256color", NO_COLOR="1")
    assert not colours(monkeypatch, TERM="dumb")


def test_a_terminal_without_unicode_gets_ascii() -> None:
    raw = io.BytesIO()
    stream = io.TextIOWrapper(raw, encoding="ascii")
    print_page(pages.hostile_page(), open_console(stream))
    stream.flush()
    assert raw.getvalue().isascii()


@pytest.mark.parametrize("make", MAKERS)
def test_the_ledger_adds_up_as_printed(make: object) -> None:
    page = make()  # type: ignore[operator]
    text = text_of(page, 80)
    part = text[text.index("Where the wall-clock went") :].split("\n\n")[0]
    rows = re.findall(r"(-?[\d,]+(?:\.\d+)?) s +(-?[\d.]+) %", part)
    seconds = [float(row[0].replace(",", "")) for row in rows]
    percents = [float(row[1]) for row in rows]
    assert len(rows) == 9  # seven lines, the residue, the sum
    assert sum(seconds[:-1]) == pytest.approx(seconds[-1], abs=1e-6)
    assert sum(percents[:-1]) == pytest.approx(percents[-1], abs=1e-6)


def test_lists_are_cut_and_can_be_had_whole() -> None:
    page = pages.water_page()
    assert "… and 2 more functions (--all shows them)" not in text_of(page, 80, show_all=True)
    assert "MPI_Comm_size" in text_of(page, 80, show_all=True)
    assert "MPI_Comm_size" not in text_of(page, 80)


def test_of_many_ranks_the_odd_ones_are_shown() -> None:
    text = text_of(pages.large_page(), 100)
    assert re.search(r"^ +17  n000 ", text, re.MULTILINE)
    assert re.search(r"^ +2048  n032 ", text, re.MULTILINE)
    assert "… and 4,094 more ranks" in text
