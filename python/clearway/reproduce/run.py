"""All claims of a paper, held against the simulator."""

from __future__ import annotations

import tempfile
from collections.abc import Callable
from pathlib import Path
from typing import Any

from clearway import quantities as q
from clearway.predict.cache import Cache
from clearway.predict.pool import ask_all
from clearway.reproduce.claim import Paper, Verdict
from clearway.reproduce.point import Outcome, Point, outcome_of


def points_of(paper: Paper) -> list[Point]:
    """Each once."""
    return list(dict.fromkeys(point for claim in paper.claims for point in claim.points))


def judge(paper: Paper, cache: Cache | None, watch: Callable[[str, str], None]) -> list[Verdict]:
    """`watch` is told of each point that is done. Raises ClearwayError where one cannot be simulated."""
    points = points_of(paper)

    def note(index: int, told: dict[str, Any]) -> None:
        watch(points[index].words, f"{q.count(told['hops'])} packet-hops")

    with tempfile.TemporaryDirectory(prefix="clearway-reproduce-") as folder:
        questions = [question(point, Path(folder) / f"{index}.script") for index, point in enumerate(points)]
        answers = ask_all(questions, cache, note)
    outcomes: dict[Point, Outcome] = dict(zip(points, map(outcome_of, answers), strict=True))
    return [Verdict(claim, claim.figure([outcomes[point] for point in claim.points])) for claim in paper.claims]


def question(point: Point, file: Path) -> list[str]:
    """The command line of clearway-simulate; a job's Script goes into `file`."""
    if point.script is None:
        return list(point.arguments)
    file.write_text(point.script, encoding="utf-8")
    return ["--script", str(file), *point.arguments]
