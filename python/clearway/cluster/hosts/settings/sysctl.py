"""What settings below /proc/sys share. A key is written as sysctl(8) does: net.ipv4.tcp_ecn."""

from __future__ import annotations

from collections.abc import Callable, Mapping

from clearway.base.errors import ClearwayError
from clearway.cluster.hosts.reader import Reader
from clearway.cluster.hosts.settings.model import Change, Setting, Step


def sysctl_file(key: str) -> str:
    return f"/proc/sys/{key.replace('.', '/')}"


def read_sysctl(reader: Reader, key: str) -> str:
    """The value, with single blanks between its numbers."""
    return " ".join(reader.text(sysctl_file(key)).split())


def write_step(key: str, before: str, after: str) -> Step:
    return Step(("sysctl", "-w", f"{key}={after}"), ("sysctl", "-w", f"{key}={before}"))


def one_key(name: str, key: str, what: str, safe: str, words: Mapping[str, str], default: str) -> Setting:
    """A setting that is one key, whose values have `words`: {"on": "1"}."""

    def number_of(value: str) -> str:
        if value not in words:
            raise ClearwayError(f"{name} cannot be '{value}'", f"one of: {', '.join(words)}")
        return words[value]

    return of_key(name, key, what, safe, values=", ".join(words), default=default, parse=number_of)


def of_key(
    name: str, key: str, what: str, safe: str, *, values: str, default: str, parse: Callable[[str], str]
) -> Setting:
    """A setting that is one key; `parse` makes what the kernel reads of what a person writes."""

    def read(reader: Reader, _device: str) -> str:
        return read_sysctl(reader, key)

    def plan(reader: Reader, _device: str, value: str) -> Change:
        before, after = read_sysctl(reader, key), parse(value)
        return Change(name, "", before, after, (write_step(key, before, after),))

    return Setting(name, what, safe, values, default, False, read, plan)
