"""Which kernel runs."""

from __future__ import annotations

from collections.abc import Iterator

from clearway.host.facts.one import of_file
from clearway.host.reader import Reader
from clearway.host.state import Fact


def read(reader: Reader) -> Iterator[tuple[str, Fact]]:
    yield "kernel.release", of_file(reader, "/proc/sys/kernel/osrelease")
