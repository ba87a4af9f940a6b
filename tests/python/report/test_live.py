"""The live view: what a refresh adds, when a job has ended, and the view in a real terminal."""

from __future__ import annotations

import fcntl
import os
import pty
import select
import subprocess
import sys
import termios
import time
from dataclasses import replace
from pathlib import Path

import pytest
from harness import made_pages as pages
from rich.console import Console

from clearway.base.console import sheet_for
from clearway.diagnosis.facts.tables.cores import core_seconds_added
from clearway.ledger.totals import added
from clearway.page.build.running import Running
from clearway.page.model import Page
from clearway.page.render.live import ledger, threads


def test_a_refresh_shows_what_came_since() -> None:
    before = pages.ledger(10.0, 0.5, 0.0, 0.5, 0.0, 0.0, 0.0, 0.0)
    now = pages.ledger(12.0, 5.0 / 12, 0.0, 7.0 / 12, 0.0, 0.0, 0.0, 0.0)
    came = added(now, before)
    assert came.wall_s == pytest.approx(2.0)
    assert came.compute_s == pytest.approx(0.0)
    assert came.mpi_wait_s == pytest.approx(2.0)


def test_the_first_refresh_adds_nothing() -> None:
    now = pages.water_page().ledger
    text = "\n".join(line.plain for line in ledger(now, added(now, now), sheet_for(Console(width=80))))
    assert "MPI waiting" in text


def test_a_refresh_shows_what_threads_did_since() -> None:
    before = pages.threads(2)
    now = replace(before, given_s=before.given_s + 8, compute_s=before.compute_s + 2, serial_s=before.serial_s + 6)
    came = core_seconds_added(now, before)
    assert came is not None
    assert (came.given_s, came.compute_s, came.serial_s, came.beside_s) == pytest.approx((8, 2, 6, 0))
    lines = [line.plain for line in threads(now, came, sheet_for(Console(width=80)))]
    assert next(line for line in lines if "one thread computes" in line).split()[-2:] == ["75.0", "%"]
    assert threads(None, None, sheet_for(Console(width=80))) == []


def has_ended(page: Page) -> bool:
    return Running("run", page, page.ledger).has_ended


def test_a_job_has_ended_when_all_its_ranks_have() -> None:
    page = replace(pages.water_page(), job=replace(pages.water_page().job, exit_code=None))
    assert has_ended(page)
    assert not has_ended(replace(page, ranks=page.ranks[:7]))
    running = (replace(page.ranks[0], state="running"), *page.ranks[1:])
    assert not has_ended(replace(page, ranks=running))
    assert has_ended(replace(page, ranks=running, job=replace(page.job, exit_code=137)))


FOLLOW = """
import dataclasses
from harness import made_pages as pages
from clearway.page.render.live import follow
from clearway.page.build import running
page = pages.water_page()
page = dataclasses.replace(page, job=dataclasses.replace(page.job, exit_code=None), ranks=page.ranks[:7])
running._page_now = lambda directory: page
running.load = lambda directory: directory
running.summarise = lambda run: page
follow(running.running("run"))
"""


@pytest.mark.parametrize("key", [b"q", b"\x03"])
def test_a_key_ends_the_view_and_leaves_the_page(key: bytes) -> None:
    master, slave = pty.openpty()
    environment = dict(os.environ, TERM="xterm-256color", COLUMNS="90", LINES="30")
    environment["PYTHONPATH"] = os.pathsep.join([str(Path(pages.__file__).parent), *sys.path])
    job = subprocess.Popen(
        [sys.executable, "-c", FOLLOW],
        stdin=slave,
        stdout=slave,
        stderr=slave,
        env=environment,
        start_new_session=True,
        preexec_fn=lambda: fcntl.ioctl(0, termios.TIOCSCTTY, 0),  # so that Ctrl-C becomes SIGINT
    )
    os.close(slave)
    shown, deadline = b"", time.monotonic() + 40
    try:
        pressed = False
        while time.monotonic() < deadline:
            if select.select([master], [], [], 0.2)[0]:
                try:
                    shown += os.read(master, 65536)
                except OSError:  # the other end is closed
                    break
            if not pressed and b"q quits" in shown:
                os.write(master, key)
                pressed = True
        job.wait(10)
    finally:
        job.kill()
        os.close(master)
    assert b"\x1b[?1049l" in shown  # the screen of before is back
    after = shown.rsplit(b"\x1b[?1049l", 1)[1]
    assert b"Where the wall-clock went" in after
