"""Ctrl-C while Clearway itself still starts: there is nothing to say of it."""

from __future__ import annotations

import signal
import subprocess
import sys
from functools import partial

import pytest

# Ctrl-C comes when `module` is asked for.
START = """\
import importlib.abc, os, signal, sys

class Impatient(importlib.abc.MetaPathFinder):
    def find_spec(self, name, path, target=None):
        if name == module:
            os.kill(os.getpid(), signal.SIGINT)

module, *words = sys.argv[1:]
from clearway.start import main
sys.meta_path.insert(0, Impatient())
sys.argv = ["clearway", *words]
sys.exit(main())
"""


def started(module: str, *words: str, ignored: bool = False) -> subprocess.CompletedProcess[str]:
    disposition = signal.SIG_IGN if ignored else signal.SIG_DFL
    return subprocess.run(
        [sys.executable, "-c", START, module, *words],
        capture_output=True,
        text=True,
        timeout=60,
        preexec_fn=partial(signal.signal, signal.SIGINT, disposition),
    )


@pytest.mark.parametrize("module", ["clearway.commands", "clearway.base.visible", "clearway.commands.docs"])
def test_it_ends_quietly(module: str) -> None:
    done = started(module, "docs")
    assert (done.returncode, done.stdout, done.stderr) == (130, "", "")


def test_what_ignores_ctrl_c_goes_on() -> None:
    """As after `nohup`, or in the background of a script."""
    done = started("clearway.commands", "--version", ignored=True)
    assert (done.returncode, done.stderr) == (0, "")
    assert done.stdout.startswith("clearway ")
