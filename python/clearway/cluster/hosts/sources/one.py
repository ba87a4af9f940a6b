"""Making one Fact: the value, or why there is none."""

from __future__ import annotations

from collections.abc import Callable

from clearway.cluster.hosts.reader import Reader, UnreadableError
from clearway.cluster.hosts.state import Fact, Value


def fact(source: str, get: Callable[[], Value]) -> Fact:
    try:
        return Fact(get(), source)
    except UnreadableError as error:
        return Fact(None, error.source, error.reason)
    except (ValueError, LookupError) as error:
        return Fact(None, source, f"cannot be read: {error}")


def of_file(reader: Reader, path: str, parse: Callable[[str], Value] = str) -> Fact:
    return fact(path, lambda: parse(reader.text(path)))
