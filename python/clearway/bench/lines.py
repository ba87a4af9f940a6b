"""Reads what clearway-bench prints, among whatever else a job prints."""

from __future__ import annotations

import json
from collections.abc import Iterable
from dataclasses import dataclass, field

from clearway.bench.figures import Job, RawPoint

MARK = "clearway-bench "


@dataclass(slots=True)
class Printed:
    """What has been read so far."""

    job: Job | None = None
    points: list[RawPoint] = field(default_factory=list)
    ended: bool = False

    def take(self, line: str) -> bool:
        """Reads one line; False where it is not clearway-bench's."""
        at = line.find(MARK + "{")
        if at < 0:
            return False
        try:
            said = json.loads(line[at + len(MARK) :])
        except json.JSONDecodeError:
            return False  # cut off, by a launcher that was killed
        if "job" in said:
            self.job = Job(**said["job"])
        elif "point" in said:
            point = said["point"]
            self.points.append(RawPoint(**{**point, "calls_ns": tuple(point["calls_ns"])}))
        else:
            self.ended = True
        return True


def read_lines(lines: Iterable[str]) -> Printed:
    printed = Printed()
    for line in lines:
        printed.take(line)
    return printed
