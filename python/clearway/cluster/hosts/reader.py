"""Reading a machine: its files and what its tools print. What cannot be read says where it should have been."""

from __future__ import annotations

import os
import shutil
import subprocess
from collections.abc import Sequence
from pathlib import Path

from clearway.base.errors import ClearwayError

TIMEOUT_S = 10
ADMINISTRATORS = "/usr/local/sbin:/usr/sbin:/sbin"  # where tools are that users' PATHs leave out
PACKAGES = {"ip": "iproute2", "ethtool": "ethtool", "sysctl": "procps"}


class UnreadableError(ClearwayError):
    """`source` (a file or a command) does not tell, for a `reason`."""

    def __init__(self, source: str, reason: str, hint: str | None = None) -> None:
        super().__init__(f"cannot read {source}: {reason}", hint)
        self.source = source
        self.reason = reason


class Reader:
    """Of this machine, or of the files of another under `root`, where no tool can be asked."""

    def __init__(self, root: Path = Path("/")) -> None:
        self.root = root

    def text(self, path: str) -> str:
        """The contents of /PATH, without the blanks around them."""
        try:
            return (self.root / path.lstrip("/")).read_text(errors="replace").strip()
        except OSError as error:
            raise UnreadableError(path, error.strerror or str(error)) from None

    def names(self, pattern: str) -> list[str]:
        """The paths that match /PATTERN, in order."""
        return sorted(f"/{path.relative_to(self.root)}" for path in self.root.glob(pattern.lstrip("/")))

    def says(self, *command: str) -> str:
        """What `command` prints."""
        words = " ".join(command)
        if self.root != Path("/"):
            raise UnreadableError(words, f"{self.root} is not this machine")
        try:
            result = subprocess.run(
                [find_tool(command[0]), *command[1:]],
                stdin=subprocess.DEVNULL,
                capture_output=True,
                text=True,
                errors="replace",
                timeout=TIMEOUT_S,
                env={**os.environ, "LC_ALL": "C"},
                check=False,
            )
        except (OSError, subprocess.TimeoutExpired) as error:
            raise UnreadableError(words, str(error)) from None
        if result.returncode != 0:
            raise UnreadableError(words, complaint(result.stderr, result.returncode))
        return result.stdout


class OneLook(Reader):
    """Asks each tool once: for many facts of one moment."""

    def __init__(self, root: Path = Path("/")) -> None:
        super().__init__(root)
        self._said: dict[tuple[str, ...], str] = {}

    def says(self, *command: str) -> str:
        if command not in self._said:
            self._said[command] = super().says(*command)
        return self._said[command]


def find_tool(name: str) -> str:
    """The absolute path of a tool. Raises UnreadableError with the package that brings it."""
    found = shutil.which(name, path=f"{os.environ.get('PATH', os.defpath)}:{ADMINISTRATORS}")
    if found is None:
        package = PACKAGES.get(name)
        raise UnreadableError(name, "it is not installed", f"apt-get install {package}" if package else None)
    return found


def complaint(stderr: str, code: int) -> str:
    """A tool's own words, in one line."""
    lines: Sequence[str] = [line.strip() for line in stderr.splitlines() if line.strip()]
    return "; ".join(lines) if lines else f"exit code {code}"
