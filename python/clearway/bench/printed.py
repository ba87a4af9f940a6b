"""Reads what clearway-bench prints, among whatever else a job prints."""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import dataclass, field

from clearway.base.read_back import parsed, read_back
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
            said = parsed(line[at + len(MARK) :])
            if "job" in said:
                self.job = read_back(Job, said["job"])
            elif "point" in said:
                self.points.append(read_back(RawPoint, said["point"]))
            else:
                self.ended = True
        except ValueError:
            return False  # cut off, by a launcher that was killed, or a line of the job's own
        return True


def read_lines(lines: Iterable[str]) -> Printed:
    printed = Printed()
    for line in lines:
        printed.take(line)
    return printed
