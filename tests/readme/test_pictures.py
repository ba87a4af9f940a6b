"""Pictures of the manual: a cast has what a terminal showed, in its order, and they can be made again."""

from __future__ import annotations

import importlib.util
import os
import re
import subprocess
import sys
from pathlib import Path
from xml.etree import ElementTree

import pytest
from harness.mpis import REPOSITORY, Mpi

PICTURES = sorted((REPOSITORY / "docs" / "pictures").glob("*.svg"))
THREE_SCREENS = r"""
import sys, time
for number in range(3):
    sys.stdout.write(f"\x1b[H\x1b[2mscreen\x1b[0m {number} <&>\r\n")
    sys.stdout.flush()
    time.sleep(0.2)
sys.stdout.write("\x1b[H\x1b[?1049lthe end")
sys.stdout.flush()
"""


def terminal_cast():  # type: ignore[no-untyped-def]
    specification = importlib.util.spec_from_file_location("terminal_cast", REPOSITORY / "tools" / "terminal_cast.py")
    assert specification is not None and specification.loader is not None
    module = importlib.util.module_from_spec(specification)
    sys.modules["terminal_cast"] = module
    specification.loader.exec_module(module)
    return module


def test_a_cast_has_what_was_on_the_screen(tmp_path: Path) -> None:
    cast = terminal_cast()
    frames = cast.filmed([sys.executable, "-c", THREE_SCREENS], tmp_path, os.environ, (40, 5), 10)
    assert [frame.text.plain.strip() for frame in frames] == [f"screen {number} <&>" for number in range(3)]
    times = [frame.begin_s for frame in frames]
    assert times == sorted(times) and times[-1] > 0.2
    drawn = cast.animated(frames, "three", "a title", 40)
    written = " ".join("".join(ElementTree.fromstring(drawn).itertext()).replace("\N{NO-BREAK SPACE}", " ").split())
    assert [int(number) for number in re.findall(r"(\d) <&>", written)] == [0, 1, 2]
    assert drawn.count("@keyframes") == 3 and "@font-face" not in drawn


@pytest.mark.parametrize("picture", PICTURES, ids=lambda picture: picture.stem)
def test_a_picture_is_whole(picture: Path) -> None:
    """It can be read, loads nothing, and shows no path of the machine that made it."""
    drawn = picture.read_text(encoding="utf-8")
    ElementTree.fromstring(drawn)
    assert "@font-face" not in drawn and ".venv" not in drawn


@pytest.mark.slow
def test_they_are_made_again(open_mpi: Mpi, tmp_path: Path) -> None:
    command = [sys.executable, REPOSITORY / "tools" / "pictures", "--into", tmp_path, "first-page", "live"]
    subprocess.run(command, check=True, timeout=110)
    live = (tmp_path / "live.svg").read_text(encoding="utf-8")
    assert live.count('class="frame"') >= 3 and "Where the wall-clock goes" in live.replace("&#160;", " ")
    assert "computing" in (tmp_path / "first-page.svg").read_text(encoding="utf-8")
