"""Hosts from the plain files that launchers read: one a line, with a number of ranks in one of many spellings."""

from __future__ import annotations

import re
from collections import Counter
from pathlib import Path

from clearway.base.errors import ClearwayError
from clearway.cluster.model import Host

# tiger | tiger:2 | tiger : 2 | tiger slots=2 max_slots=4 | tiger cpu=2; what follows is the launcher's business
_LINE = re.compile(
    r"(?P<name>[\w.-]+)(?:\s*:\s*(?P<count>\d{1,9})|\s+(?:slots|cpu)\s*=\s*(?P<named>\d{1,9}))?(?:\s+\S.*)?"
)


def read_machine_file(file: Path) -> tuple[Host, ...]:
    """A host that stands there several times has the sum. Raises ClearwayError, which names the line."""
    slots: Counter[str] = Counter()
    for number, line in enumerate(_text(file).splitlines(), 1):
        line = line.partition("#")[0].strip()
        if not line:
            continue
        match = _LINE.fullmatch(line)
        if match is None:
            raise ClearwayError(
                f"{file}, line {number}: '{line}' names no host", "for example tiger:2, or tiger slots=2"
            )
        slots[match["name"]] += int(match["count"] or match["named"] or 1)
    if not slots:
        raise ClearwayError(f"'{file}' names no host", "one host per line: tiger:2")
    return tuple(Host(name, slots=count) for name, count in slots.items())


def _text(file: Path) -> str:
    try:
        return file.read_text(encoding="utf-8")
    except (OSError, UnicodeDecodeError) as error:
        trouble = error.strerror if isinstance(error, OSError) else "it is not a text file"
        raise ClearwayError(f"cannot read the hosts in '{file}': {trouble}", "one host per line: tiger:2") from None
