"""Reading a TOML table so that whatever is wrong is told by file and key."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from typing import Any, TypeVar

from clearway.base.errors import ClearwayError
from clearway.base.older_python import tomllib

T = TypeVar("T", str, int, bool, float)
V = TypeVar("V")

_KINDS = {float: "a number such as 1.0", str: "text", int: "a whole number", bool: "true or false"}

KEYS = "the keys of the file: clearway docs place, and for predictions clearway docs clusters"


class Table:
    """A table of a file. Keys are asked for by type; `done` complains about those that nobody asked for."""

    def __init__(self, content: Mapping[str, Any], file: str, path: str = "") -> None:
        self.content, self.file, self.path = content, file, path
        self._asked: set[str] = set()

    @classmethod
    def parse(cls, text: str, file: str) -> Table:
        try:
            return cls(tomllib.loads(text), file)
        except tomllib.TOMLDecodeError as error:
            raise ClearwayError(
                f"{file} is not TOML: {error}",
                "`clearway cluster show NAME` prints a file to begin with; `clearway docs clusters` explains it",
            ) from None

    def wrong(self, key: str, trouble: str, hint: str | None = None) -> ClearwayError:
        return ClearwayError(f"{self.file}: {self._name(key)} {trouble}", hint or KEYS)

    def get(self, key: str, kind: type[T]) -> T | None:
        """The value of `key`, which must be of that kind; None where it is not there."""
        self._asked.add(key)
        value = self.content.get(key)
        if value is None:
            return None
        if not isinstance(value, kind) or (kind is int and isinstance(value, bool)):
            raise self.wrong(key, f"must be {_KINDS[kind]}, not {value!r}")
        return value

    def must(self, key: str, kind: type[T], example: str) -> T:
        value = self.get(key, kind)
        if value is None:
            raise self.wrong(key, "is missing", example)
        return value

    def count(self, key: str) -> int | None:
        value = self.get(key, int)
        if value is not None and value < 1:
            raise self.wrong(key, f"must be 1 or more, not {value}")
        return value

    def parsed(self, key: str, parse: Callable[[str], V]) -> V | None:
        """What `parse` makes of the text of `key`, or of a bare number: 65536 is a size, too."""
        told = self.content.get(key)
        text = str(self.get(key, int)) if type(told) is int else self.get(key, str)
        if text is None:
            return None
        try:
            return parse(text)
        except ClearwayError as error:
            raise self.wrong(key, f"is wrong: {error.message}", error.hint) from None

    def texts(self, key: str) -> list[str]:
        self._asked.add(key)
        value = self.content.get(key, [])
        if not isinstance(value, list) or not all(isinstance(each, str) for each in value):
            raise self.wrong(key, f"must be a list of text, not {value!r}")
        return value

    def table(self, key: str) -> Table | None:
        self._asked.add(key)
        value = self.content.get(key)
        if value is None:
            return None
        if not isinstance(value, dict):
            raise self.wrong(key, f"must be a table, not {value!r}")
        return Table(value, self.file, self._name(key))

    def tables(self, key: str) -> Sequence[Table]:
        self._asked.add(key)
        value = self.content.get(key, [])
        if not isinstance(value, list) or not all(isinstance(each, dict) for each in value):
            raise self.wrong(key, f"must be a list of tables, not {value!r}")
        return [Table(each, self.file, f"{self._name(key)}[{at}]") for at, each in enumerate(value)]

    def done(self) -> None:
        for key in self.content:
            if key not in self._asked:
                raise self.wrong(key, "is not a known key", f"one of: {', '.join(sorted(self._asked))}")

    def _name(self, key: str) -> str:
        return f"{self.path}.{key}" if self.path else key
