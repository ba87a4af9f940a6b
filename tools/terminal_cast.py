"""A cast: what a command showed on a terminal, as frames with their times, and as one animated SVG of them."""

from __future__ import annotations

import fcntl
import os
import pty
import re
import struct
import subprocess
import termios
import time
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path

from rich.console import Console
from rich.terminal_theme import DEFAULT_TERMINAL_THEME
from rich.text import Text

HOME, LEAVES_SCREEN = b"\x1b[H", b"\x1b[?1049l"
LAST_FRAME_S = 3.0
FETCHED_FONT = re.compile(r" *@font-face \{.*?\}\n", re.DOTALL)  # nothing is loaded from elsewhere


@dataclass(frozen=True)
class Frame:
    """One whole screen, as the command wrote it."""

    begin_s: float
    text: Text


def filmed(
    command: Sequence[str], folder: Path, environment: Mapping[str, str], size: tuple[int, int], most: int
) -> list[Frame]:
    """Runs a command that draws whole screens (as `clearway top`) on a terminal of its own.

    It has `size` columns and lines. The command ends by itself, or by q, which is pressed after the last screen wanted.
    """
    columns, lines = size
    ours, its_own = pty.openpty()
    fcntl.ioctl(its_own, termios.TIOCSWINSZ, struct.pack("HHHH", lines, columns, 0, 0))
    variables = {**environment, "COLUMNS": str(columns), "LINES": str(lines)}
    begin, frames, seen = time.monotonic(), [], b""
    with subprocess.Popen(command, cwd=folder, env=variables, stdin=its_own, stdout=its_own, stderr=its_own):
        os.close(its_own)
        while written := _read(ours):
            seen += written
            drawn, full_stop, seen = seen.rpartition(HOME)
            if full_stop:  # what stands before it is whole; of several only the newest was to be seen
                frames.append((time.monotonic() - begin, drawn.rpartition(HOME)[2]))
                if len(frames) == most:
                    os.write(ours, b"q")
        os.close(ours)
    # A screen's text ends where the next begins: each was on show since the screen before it was whole.
    times = [0.0, *(at for at, _ in frames)]
    screens = [*(text for _, text in frames), seen.partition(LEAVES_SCREEN)[0]]
    shown = [Frame(at, _screen(text)) for at, text in zip(times, screens, strict=True)]
    return [frame for frame in shown if frame.text.plain.strip()][:most]


def _read(terminal: int) -> bytes:
    try:
        return os.read(terminal, 65536)
    except OSError:  # Linux says so when nobody has the other end any more
        return b""


def _screen(written: bytes) -> Text:
    # Colours and their like are kept; what moves the cursor is not part of the picture.
    text = re.sub(r"\x1b\[[?\d;]*[A-LN-Za-ln-z]", "", written.decode(errors="replace")).replace("\r", "")
    return Text.from_ansi(text)


def animated(frames: Sequence[Frame], name: str, title: str, columns: int) -> str:
    """All frames over one another; a style sheet shows each in its time, and the last where nothing may move."""
    lines = max(len(frame.text.plain.rstrip().splitlines()) for frame in frames)
    drawn = [drawing(frame.text, f"{name}-{number}", title, columns, lines) for number, frame in enumerate(frames)]
    ends_s = [*(frame.begin_s for frame in frames[1:]), frames[-1].begin_s + LAST_FRAME_S]
    whole_s = ends_s[-1] - frames[0].begin_s
    style = [".frame { visibility: hidden } .frame:last-child { visibility: visible }"]
    for number, (frame, end_s) in enumerate(zip(frames, ends_s, strict=True)):
        begin, end = (100 * (at_s - frames[0].begin_s) / whole_s for at_s in (frame.begin_s, end_s))
        in_turn = (
            f"0% {{ visibility: hidden }} {begin:.2f}% {{ visibility: visible }} {end:.2f}% {{ visibility: hidden }}"
        )
        shown = f"#{name}-{number}-frame {{ animation: {name}-{number} {whole_s:.2f}s step-end infinite }}"
        style += [
            f"@keyframes {name}-{number} {{ {in_turn} }}",
            f"@media (prefers-reduced-motion: no-preference) {{ {shown} }}",
        ]
    groups = [f'<g class="frame" id="{name}-{number}-frame">\n{svg}</g>\n' for number, svg in enumerate(drawn)]
    (box,) = re.findall(r'viewBox="([^"]*)"', drawn[0])
    return (
        f'<svg xmlns="http://www.w3.org/2000/svg" viewBox="{box}">\n<style>\n' + "\n".join(style) + "\n</style>\n"
        "<g>\n" + "".join(groups) + "</g>\n</svg>\n"
    )


def drawing(text: Text, name: str, title: str, columns: int, lines: int) -> str:
    """A terminal with this on it, as SVG."""
    with open(os.devnull, "w", encoding="utf-8") as nowhere:  # noqa: PTH123
        console = Console(
            file=nowhere, record=True, force_terminal=True, width=columns, height=lines, color_system="truecolor",
            highlight=False, markup=False, emoji=False, legacy_windows=False,
        )  # fmt: skip
        shown = text.split()[:lines]
        console.print(*shown, *[Text()] * (lines - len(shown)), sep="\n")
        return FETCHED_FONT.sub("", console.export_svg(title=title, theme=DEFAULT_TERMINAL_THEME, unique_id=name))
