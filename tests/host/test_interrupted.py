"""Ctrl-C between changes, kill -9 in the midst of one, and the question that is asked before."""

from __future__ import annotations

import os
import pty
import signal
import subprocess
import time
from collections.abc import Callable
from pathlib import Path

import pytest
from host.machine import Machine, clearway_host

DEADLINE_S = 30
WORDS = ("apply", "tcp.ecn=on", "tcp.rto_min=30ms", "link.offloads=off", "tcp.slow_start_after_idle=off", "--yes")


@pytest.fixture
def slow_ethtool(tmp_path: Path) -> Path:
    """A folder with an ethtool that takes its time over changes, and tells when it begins."""
    tool = tmp_path / "ethtool"
    tool.write_text(
        f'#!/bin/sh\nif [ "$1" = -K ]; then touch {tmp_path}/begun; sleep 1; fi\nexec /usr/sbin/ethtool "$@"\n'
    )
    tool.chmod(0o755)
    return tmp_path


def begin(machine: Machine, slow_ethtool: Path) -> subprocess.Popen[str]:
    """The command in the midst of its third change."""
    job = subprocess.Popen(
        machine.inside(*clearway_host(*WORDS)),
        env={**os.environ, "PATH": f"{slow_ethtool}:{os.environ['PATH']}"},
        stdin=subprocess.DEVNULL,
        stdout=subprocess.PIPE,
        stderr=subprocess.PIPE,
        text=True,
    )
    wait_for((slow_ethtool / "begun").exists)
    return job


def wait_for(happened: Callable[[], bool]) -> None:
    deadline = time.monotonic() + DEADLINE_S
    while not happened():
        assert time.monotonic() < deadline
        time.sleep(0.02)


@pytest.mark.parametrize("end", [signal.SIGINT, signal.SIGTERM, signal.SIGHUP])
def test_a_signal_takes_all_back(machine: Machine, slow_ethtool: Path, end: signal.Signals) -> None:
    before = machine.looks()
    job = begin(machine, slow_ethtool)
    job.send_signal(end)
    stdout, stderr = job.communicate(timeout=DEADLINE_S)
    assert job.returncode == 128 + end, stderr
    assert "everything is as it was before" in stdout
    assert "Traceback" not in stderr
    assert machine.looks() == before
    assert [name for name in machine.undo_files() if name.endswith(".json")] == []


def test_after_a_kill_the_undo_file_is_true(machine: Machine, slow_ethtool: Path) -> None:
    """It names three changes, of which two are made and one is being made."""
    before = machine.looks()
    job = begin(machine, slow_ethtool)
    job.kill()
    job.communicate(timeout=DEADLINE_S)
    assert machine.looks() != before
    wait_for(lambda: "sleep 1\n" not in machine.says("ps", "-eo", "args"))  # the command that outlived it
    (name,) = machine.undo_files()
    undone = machine.host("apply", "--undo", f"/var/lib/clearway/{name}", "--yes")
    assert undone.exit_code == 0, undone.says
    assert machine.looks() == before


@pytest.mark.parametrize(("answer", "happens"), [("y\n", True), ("n\n", False), ("\n", False), ("\x04", False)])
def test_it_asks(machine: Machine, answer: str, happens: bool) -> None:
    before = machine.looks()
    ours, theirs = pty.openpty()
    with os.fdopen(ours, "w"), os.fdopen(theirs) as terminal:
        command = machine.inside(*clearway_host("apply", "tcp.ecn=on"))
        job = subprocess.Popen(command, stdin=terminal, stdout=subprocess.PIPE, stderr=subprocess.PIPE, text=True)
        os.write(ours, answer.encode())
        stdout, stderr = job.communicate(timeout=DEADLINE_S)
    assert "make these changes? [y/N]" in stdout
    assert (job.returncode == 0) == happens, stderr
    assert ("nothing was changed" in stderr) != happens
    assert (machine.looks() != before) == happens
