"""Files that grow by whole lines: what was written before a crash, of a process or of the machine, can be read."""

from __future__ import annotations

import os
from pathlib import Path


def append_line(path: Path, line: str) -> None:
    """Whole or not at all, as far as one write is; and there after a crash of the machine. Raises OSError."""
    with path.open("a", encoding="utf-8") as file:
        file.write(line + "\n")
        file.flush()
        os.fsync(file.fileno())


def whole_lines(path: Path) -> list[str]:
    """Without a last line that was cut, or is being written. No such file: none. Raises OSError and ValueError."""
    try:
        text = path.read_text(encoding="utf-8")
    except FileNotFoundError:
        return []
    return text[: text.rfind("\n") + 1].splitlines()
