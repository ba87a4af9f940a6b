"""No Run is so odd that its page fails, or says what cannot be: real Runs, changed at random.

Seven jobs were recorded (recorded/README.md). A seed picks one and changes some of its records: columns of zeros, of
the largest number, scaled; counters that fall, clocks that step, ranks and hosts without a record, no time at all.
"""

from __future__ import annotations

import dataclasses
import io
import math
import random
import re
import warnings
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest
from harness.seeds import seeds, trying
from odd_runs.changes import Records, change, kept
from rich.console import Console

from clearway.base.errors import ClearwayError
from clearway.page.build import summarise
from clearway.page.model import Page
from clearway.page.render.html import html_of
from clearway.page.render.terminal import print_page
from clearway.run import load

RECORDED = Path(__file__).parent / "recorded"
JOBS = sorted(folder.name for folder in RECORDED.iterdir() if folder.is_dir())
SEEDS = 8  # of each job, the same each time
SIGNED = ("residue_s", "offset_s", "unused_s", "start_s", "begin_s", "end_s")  # seconds that may be negative
NEVER = re.compile(r"\b(nan|inf|infinity)\b|(?<![\w-])-\d[\d.,]* (s|ms|µs|min|h|rank-seconds)\b", re.IGNORECASE)
PERCENT = re.compile(r"(\d[\d,]*(?:\.\d+)?) ?%")


def told(folder: Path) -> tuple[Page, str, str]:
    """Page, terminal and HTML of a Run, with an error for each number that numpy could not make."""
    with warnings.catch_warnings():
        warnings.simplefilter("error")
        page = summarise(load(folder))
        stream = io.StringIO()
        print_page(page, Console(file=stream, width=100, markup=False), True)
        return page, stream.getvalue(), html_of(page)


def numbers(value: Any, name: str = "") -> Iterator[tuple[str, float]]:
    """All floats of a page, with where they stand."""
    if isinstance(value, float):
        yield name, value
    elif dataclasses.is_dataclass(value) and not isinstance(value, type):
        for field in dataclasses.fields(value):
            yield from numbers(getattr(value, field.name), f"{name}.{field.name}")
    elif isinstance(value, dict):
        for key, each in value.items():
            yield from numbers(each, f"{name}.{key}")
    elif isinstance(value, tuple | list):
        for each in value:
            yield from numbers(each, name)


def check(page: Page, terminal: str, html: str) -> None:
    for name, value in numbers(page):
        assert math.isfinite(value), f"{name} is {value}"
        assert value >= 0 or not name.endswith("_s") or name.endswith(SIGNED), f"{name} is {value}"
        assert value <= 1 + 1e-6 or not name.endswith("share"), f"{name} is {value}"
    assert sum(found.share for found in page.findings) <= 1 + 1e-6
    for found in page.findings:
        for said in (found.title, found.says, *(f"{each.what} {each.value}" for each in found.evidence)):
            check_text(said)
    check_text(page.sentence)
    for shown in (terminal, re.sub(r"<(style|svg).*?</\1>", "", html, flags=re.DOTALL)):
        for line in shown.splitlines():
            assert not NEVER.search(line) or "residue" in line, line  # seconds told twice: it says so


def check_text(said: str) -> None:
    assert not NEVER.search(said), said
    assert all(float(each.replace(",", "")) <= 100 for each in PERCENT.findall(said)), said


def odd(job: str, seed: int) -> tuple[Records, list[str]]:
    chance = random.Random(f"{job} {seed}")
    records = kept(RECORDED / job)
    return records, [change(records, chance) for _ in range(chance.choice((1, 1, 1, 2, 3)))]


def try_one(job: str, seed: int, folder: Path) -> bool:
    """Whether there was a page; a Run may be refused with a clear message."""
    records, changes = odd(job, seed)
    for path in folder.iterdir():
        path.unlink()
    for name, content in records.items():
        (folder / name).write_bytes(content)
    try:
        check(*told(folder))
    except ClearwayError:
        return False
    except BaseException as failure:
        failure.add_note(f"{job}, seed {seed}: {'; '.join(changes)}")
        raise
    return True


@pytest.mark.parametrize("job", JOBS)
def test_as_recorded_it_can_be_told(job: str) -> None:
    check(*told(RECORDED / job))


@pytest.mark.parametrize("job", JOBS)
def test_an_odd_run_can_be_told(job: str, tmp_path: Path) -> None:
    assert sum(try_one(job, seed, tmp_path) for seed in range(SEEDS)) > SEEDS / 2


# Each of these failed once: more seconds in calls or blocked than there were, a processor's counter that ran wild,
# classes of functions that are none, a job in which no time passed.
@pytest.mark.parametrize(
    ("job", "seed"), [("stuck", 28), ("threads", 177), ("network", 56), ("printed", 3), ("waits", 14), ("threads", 35)]
)
def test_what_failed_once_can_be_told(job: str, seed: int, tmp_path: Path) -> None:
    assert try_one(job, seed, tmp_path)


@pytest.mark.slow
@pytest.mark.parametrize("job", JOBS)
def test_many_odd_runs_can_be_told(job: str, tmp_path: Path) -> None:
    for seed in seeds(f"odd runs, {job}", 40):
        with trying(f"odd runs, {job}", seed):
            try_one(job, seed, tmp_path)
