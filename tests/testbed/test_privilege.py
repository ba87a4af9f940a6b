"""Without root there is no testbed: the message says how to start it with root, wherever Clearway is installed."""

from __future__ import annotations

import shlex
import subprocess
from pathlib import Path

import pytest

from clearway.base.errors import ClearwayError
from clearway.testbed import privilege


def test_the_hint_finds_a_clearway_that_only_the_users_path_has(
    monkeypatch: pytest.MonkeyPatch, tmp_path: Path
) -> None:
    """Typed with a sudo that takes a PATH of its own, as sudo's secure_path does."""
    monkeypatch.setattr("os.geteuid", lambda: 1000)
    with pytest.raises(ClearwayError, match="needs root") as caught:
        privilege.require()
    venv, system = tmp_path / "venv", tmp_path / "system"
    for folder, name, text in (
        (venv, "clearway", 'echo "got $*"'),
        (system, "sudo", f'PATH={shlex.quote(f"{system}:/usr/bin:/bin")} exec "$@"'),
    ):
        folder.mkdir()
        (folder / name).write_text(f"#!/bin/sh\n{text}\n")
        (folder / name).chmod(0o755)
    typed = caught.value.hint.replace("…", "status")
    path = {"PATH": f"{venv}:{system}:/usr/bin:/bin"}
    assert (
        subprocess.run(["sh", "-c", typed], env=path, capture_output=True, text=True).stdout == "got testbed status\n"
    )
