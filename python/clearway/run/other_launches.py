"""What used the processors of a host that counts, beside the launch that is shown: a script may start several."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import replace
from functools import cached_property

from clearway.run.directory import Found
from clearway.run.launches import cpu_s, fact, recorded_ns
from clearway.run.outside import Span, left_of, span_of
from clearway.run.reader import Record
from clearway.run.run import HostRecord

MAY_USE = b"process.cpus_allowed"


class OtherLaunches:
    """Of one Run. A large job has thousands of ranks on hundreds of hosts: they are looked at once."""

    def __init__(self, found: Found) -> None:
        self._ranks = [record for _, record in found.ranks]
        shown = {rank.path for rank in self._ranks}
        self._others: dict[bytes, list[Record]] = {}
        for record in found.processes:
            if record.path not in shown:
                self._others.setdefault(bytes(record.header["host"]), []).append(record)

    def counted(self, host: HostRecord, record: Record) -> HostRecord:
        """With how long it counted, and what used processors there while the launch that is shown did not run."""
        ranks_apart_s = helpers_apart_s = beside_s = 0.0
        for other, used_s, apart_s in self._used(bytes(record.header["host"])):
            if other.header["rank"] < 0:
                helpers_apart_s += apart_s
                continue
            ranks_apart_s += apart_s
            if fact(other, MAY_USE) in self._may_use:
                beside_s += used_s - apart_s
        return replace(
            host,
            counted_s=recorded_ns(record) * 1e-9,
            other_launches_s=ranks_apart_s,
            helpers_apart_s=helpers_apart_s,
            launches_beside_s=beside_s,
        )

    def _used(self, host: bytes) -> Iterator[tuple[Record, float, float]]:
        """Other processes there, their CPU time, and what of it came while no rank ran, if it came evenly."""
        for other in self._others.get(host, []):
            span, used_s = span_of(other), cpu_s(other)
            yield other, used_s, used_s * left_of(span, [self._ran]) / max(span[1] - span[0], 1)

    @cached_property
    def _ran(self) -> Span:
        spans = [span_of(rank) for rank in self._ranks]
        return min(begin for begin, _ in spans), max(end for _, end in spans)

    @cached_property
    def _may_use(self) -> set[str | None]:
        return {fact(rank, MAY_USE) for rank in self._ranks}
