"""What the administrator wrote of Clearway in Slurm's plugstack.conf: where Runs are kept. Source: spank(8)."""

from __future__ import annotations

import os
import shlex
from dataclasses import dataclass
from pathlib import Path

PLUGIN = "clearway.so"
CONFIGURATION = "plugstack.conf"
USUAL_FOLDERS = ("/etc/slurm", "/etc/slurm-llnl", "/run/slurm/conf")  # the last: where Slurm brings it to the nodes
FOLDER = "%h/.clearway/slurm"  # as native/slurm/step.hpp has it, where nothing is written
DEEPEST = 3  # files that include files


@dataclass(frozen=True, slots=True)
class Settings:
    folder: str = FOLDER
    source: Path | None = None  # the file that says so; None: the plugin stands in none


def read_settings() -> Settings:
    for folder in _folders():
        found = _in_file(folder / CONFIGURATION)
        if found is not None:
            return found
    return Settings()


def folder_of(settings: Settings, home: str, user: str) -> Path:
    """Where the Runs of a user are."""
    return Path(settings.folder.replace("%h", home).replace("%u", user))


def _folders() -> list[Path]:
    said = os.environ.get("SLURM_CONF")
    return [*([Path(said).parent] if said else []), *map(Path, USUAL_FOLDERS)]


def _in_file(path: Path, depth: int = 0) -> Settings | None:
    try:
        lines = path.read_text(encoding="utf-8", errors="replace").splitlines()
    except OSError:
        return None
    for line in lines:
        words = _words(line)
        if words[:1] == ["include"] and len(words) > 1 and depth < DEEPEST:
            for included in _included(path.parent, words[1]):
                if (found := _in_file(included, depth + 1)) is not None:
                    return found
        elif len(words) > 1 and words[0] in ("optional", "required") and Path(words[1]).name == PLUGIN:
            said = dict(word.split("=", 1) for word in words[2:] if "=" in word)
            return Settings(said.get("folder", FOLDER), path)
    return None


def _included(folder: Path, pattern: str) -> list[Path]:
    top, pattern = (Path("/"), pattern.lstrip("/")) if pattern.startswith("/") else (folder, pattern)
    return sorted(top.glob(pattern))


def _words(line: str) -> list[str]:
    try:
        return shlex.split(line, comments=True)
    except ValueError:
        return []
