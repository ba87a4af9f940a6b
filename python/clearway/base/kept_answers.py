"""Answers that took long, kept in a folder: one file each, named for a hash of all that the answer depends on."""

from __future__ import annotations

import hashlib
import json
import os
from contextlib import suppress
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from clearway.base.errors import ClearwayError
from clearway.base.output_file import whole_file

MOST_ANSWERS = 20_000  # some 100 MB; the oldest go first


@dataclass(frozen=True, slots=True)
class Cache:
    folder: Path

    def get(self, key: str) -> dict[str, Any] | None:
        """None where it is not there, or is not what was put there."""
        try:
            kept = json.loads(self._file(key).read_text(encoding="utf-8"))
        except (OSError, ValueError):
            return None
        match kept:
            case {"hash": str(known), "answer": dict(answer)} if known == _hash_of_answer(answer):
                return answer
        return None

    def put(self, key: str, answer: dict[str, Any]) -> None:
        """Without a word where there is no room: the answer is there, it is only not kept."""
        with suppress(OSError, ClearwayError):
            self.folder.mkdir(parents=True, exist_ok=True)
            with whole_file(self._file(key)) as stream:
                json.dump({"hash": _hash_of_answer(answer), "answer": answer}, stream)

    def prune(self) -> None:
        with suppress(OSError):
            files = sorted(self.folder.glob("*.json"), key=lambda file: file.stat().st_mtime)
            for file in files[: max(0, len(files) - MOST_ANSWERS)]:
                file.unlink(missing_ok=True)

    def _file(self, key: str) -> Path:
        return self.folder / f"{key}.json"


def user_cache(name: str) -> Cache:
    """In the user's cache folder (XDG Base Directory Specification)."""
    return Cache(cache_folder() / name)


def cache_folder() -> Path:
    """Of Clearway, in the user's: $XDG_CACHE_HOME, else ~/.cache. A container's user may have no home at all: then it
    is a folder that nobody can make, and nothing is kept. What is not an absolute path is ignored, as is laid down:
    it would be a folder among the job's files.
    """
    named = Path(os.environ.get("XDG_CACHE_HOME", ""))
    try:
        return (named if named.is_absolute() else Path.home() / ".cache") / "clearway"
    except RuntimeError:
        return Path(os.devnull) / "clearway"


def _hash_of_answer(answer: dict[str, Any]) -> str:
    return hashlib.sha256(json.dumps(answer, sort_keys=True).encode()).hexdigest()
