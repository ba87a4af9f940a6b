"""Lines of Runs that were read before. A Run that has ended, and its findings, stay as they are.

A line depends on the Run's files, by name, size and time of writing, and on this Clearway, likewise.
"""

from __future__ import annotations

import hashlib
import json
import os
from collections.abc import Iterable
from functools import cache
from pathlib import Path

import clearway
from clearway.base.json import plain
from clearway.base.kept_answers import Cache
from clearway.base.kept_answers import user_cache as cache_of
from clearway.base.read_back import read_back
from clearway.survey.row import NO_END, Row, with_directory

COUNTED = (".cwr", ".json")  # of a Run's files: run.json and engine.json beside the records


class KeptRows:
    def __init__(self, cache: Cache) -> None:
        self.cache = cache

    def row(self, directory: Path) -> Row | None:
        """None where the Run was not read before, or has changed since."""
        key = _key(directory)
        answer = self.cache.get(key) if key else None
        try:
            return with_directory(read_back(Row, answer), directory) if answer else None
        except ValueError:
            return None

    def keep(self, directory: Path, row: Row) -> None:
        """A job that may still run is read anew each time, and what cannot be read as well."""
        key, answer = _key(directory), plain(row)
        if key and row.readable and row.ended != NO_END and isinstance(answer, dict):
            self.cache.put(key, answer)

    def prune(self) -> None:
        self.cache.prune()


def user_cache() -> KeptRows:
    return KeptRows(cache_of("list"))


def _key(directory: Path) -> str | None:
    try:
        files = [entry for entry in os.scandir(directory) if entry.name.endswith(COUNTED)]
        return _hash([_this_clearway(), *_states(files)])
    except OSError:
        return None


@cache
def _this_clearway() -> str:
    folder = Path(clearway.__file__).parent
    return _hash(f"{path} {state.st_size} {state.st_mtime_ns}" for path in sorted(folder.rglob("*.py"))
                 for state in (path.stat(),))  # fmt: skip


def _states(files: Iterable[os.DirEntry[str]]) -> list[str]:
    return sorted(f"{file.name} {state.st_size} {state.st_mtime_ns}" for file in files for state in (file.stat(),))


def _hash(parts: Iterable[str]) -> str:
    return hashlib.sha256(json.dumps(list(parts)).encode()).hexdigest()
