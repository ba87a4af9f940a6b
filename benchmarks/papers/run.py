"""All claims of a paper, held against the simulator."""

from __future__ import annotations

import tempfile
from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass, replace
from pathlib import Path
from typing import Any

from clearway.base import quantities as q
from clearway.predict.cache import Cache
from clearway.predict.pool import ask_all
from papers.claim import Assumption, Claim, Paper, Verdict
from papers.point import Outcome, Point, outcome_of

SEEDS = (1, 2, 3)  # of skew and of what else is chance: a figure is the median over them
Watch = Callable[[str, str], None]
Outcomes = dict[Point, Outcome]


@dataclass(frozen=True, slots=True)
class Trial:
    """What the paper's numbers come to where one assumption is another."""

    assumption: Assumption
    value: int
    verdicts: tuple[Verdict, ...]
    """Of the numbers that are predicted, with the first seed."""


def points_of(claims: Sequence[Claim]) -> list[Point]:
    """Each once."""
    ours = (point for claim in claims for point in claim.points)
    nulls = (point for claim in claims for null in claim.nulls for point in null.points)
    return list(dict.fromkeys((*ours, *nulls)))


def judge(paper: Paper, cache: Cache | None, watch: Watch) -> list[Verdict]:
    """`watch` is told of each point that is done. Raises ClearwayError where one cannot be simulated."""
    return verdicts_of(paper.claims, SEEDS, cache, watch)


def verdicts_of(claims: Sequence[Claim], seeds: Sequence[int], cache: Cache | None, watch: Watch) -> list[Verdict]:
    points = points_of(claims)
    seeded = [point.with_option("seed", seed) for seed in seeds for point in points]
    answers = simulate(list(dict.fromkeys(seeded)), cache, watch)

    def outcomes(points: Sequence[Point], seed: int) -> list[Outcome]:
        return [answers[point.with_option("seed", seed)] for point in points]

    return [
        Verdict(
            claim,
            tuple(claim.figure(outcomes(claim.points, seed)) for seed in seeds),
            tuple((null.name, null.figure(outcomes(null.points, seeds[0]))) for null in claim.nulls),
        )
        for claim in claims
    ]


def vary(paper: Paper, cache: Cache | None, watch: Watch) -> list[Trial]:
    """Each assumption of the paper in turn, at each of its values, the one that is taken first."""
    return [
        Trial(assumption, value, tuple(verdicts_of(claims, SEEDS[:1], cache, watch)))
        for assumption, value, claims in variants(paper)
    ]


def variants(paper: Paper) -> Iterator[tuple[Assumption, int, list[Claim]]]:
    for assumption in paper.assumptions:
        touched = [claim for claim in paper.claims if claim.is_predicted and rests_on(claim, assumption)]
        for value in (assumption.taken, *assumption.others):
            yield assumption, value, [with_value(claim, assumption, value) for claim in touched]


def simulations(paper: Paper, varies: bool) -> int:
    """How many there are to do, or to find again."""
    varied = sum(len(points_of(claims)) for _, _, claims in variants(paper)) if varies else 0
    return len(SEEDS) * len(points_of(paper.claims)) + varied


def rests_on(claim: Claim, assumption: Assumption) -> bool:
    return any(point.option(assumption.option) == str(assumption.taken) for point in claim.points)


def with_value(claim: Claim, assumption: Assumption, value: int) -> Claim:
    """Only where the model has what is assumed: other networks of the same paper stay as they are."""
    points = tuple(
        point.with_option(assumption.option, value)
        if point.option(assumption.option) == str(assumption.taken)
        else point
        for point in claim.points
    )
    return replace(claim, points=points, nulls=())


def simulate(points: Sequence[Point], cache: Cache | None, watch: Watch) -> Outcomes:
    def note(index: int, told: dict[str, Any]) -> None:
        watch(points[index].words, f"{q.count(told['hops'])} packet-hops")

    with tempfile.TemporaryDirectory(prefix="clearway-papers-") as folder:
        questions = [question(point, Path(folder) / f"{index}.script") for index, point in enumerate(points)]
        answers = ask_all(questions, cache, note)
    return dict(zip(points, map(outcome_of, answers), strict=True))


def question(point: Point, file: Path) -> list[str]:
    """The command line of clearway-simulate; a job's Script goes into `file`."""
    if point.script is None:
        return list(point.arguments)
    file.write_text(point.script, encoding="utf-8")
    return ["--script", str(file), *point.arguments]
