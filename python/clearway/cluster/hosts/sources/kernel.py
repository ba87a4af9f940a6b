"""Which kernel runs."""

from __future__ import annotations

from collections.abc import Iterator

from clearway.cluster.hosts.reader import Reader
from clearway.cluster.hosts.sources.one import of_file
from clearway.cluster.hosts.state import Fact


def read(reader: Reader) -> Iterator[tuple[str, Fact]]:
    yield "kernel.release", of_file(reader, "/proc/sys/kernel/osrelease")
