"""What a search is worth on a measured grid: how far behind the best, and how often it claims what is not so."""

from __future__ import annotations

import json
from collections.abc import Sequence
from dataclasses import dataclass

from clearway.base.json import plain
from clearway.base.read_back import from_text
from clearway.tune.setting import Way as Setup
from clearway.tune.setting import name_of
from races.drawn import ROUNDS, drawn_world
from races.results import FOLDER, SCORES, Result
from races.searches import SEARCHES, Answer, Search, race
from races.world import Runs, World, world_of

TIMES = 20  # repetitions of a search on each grid
NEAR = 1.03  # of the best
CLAIMS = 40  # races of a job that is best already
MOST_NAMED = 3  # of the fastest ways
BUDGETS = (10, 15, 25)  # runs
AIM = 15  # of these
GRIDS = 200  # drawn


@dataclass(frozen=True, slots=True)
class Way:
    """A way of the grid."""

    name: str
    by_unchanged: float  # its time by that of the unchanged job


@dataclass(frozen=True, slots=True)
class Race:
    """One, to its end."""

    answer: Answer
    before: float  # the time of the job as it was typed by that of the best of the grid
    after: float  # likewise of what is recommended
    runs: int  # the first included
    share: float  # of the grid's runs


@dataclass(frozen=True, slots=True)
class Claims:
    """Of races to their end."""

    races: int
    faster: int  # that proved something
    false: int  # of these, what is not faster
    nothing: int  # that said "nothing to gain"
    missed: int  # of these, with a best that is more than NEAR faster
    runs: tuple[int, ...]
    shares: tuple[float, ...]  # of the grid's runs
    behind: tuple[float, ...]  # time of what is recommended by that of the best

    @classmethod
    def of(cls, races: Sequence[Race]) -> Claims:
        faster = [one for one in races if one.answer is Answer.FASTER]
        nothing = [one for one in races if one.answer is Answer.NOTHING]
        return cls(
            len(races),
            len(faster),
            sum(one.after >= one.before for one in faster),
            len(nothing),
            sum(one.before > NEAR for one in nothing),
            tuple(one.runs for one in races),
            tuple(one.share for one in races),
            tuple(one.after for one in races),
        )


@dataclass(frozen=True, slots=True)
class Drawn:
    """Of grids drawn at random, one search of each."""

    near_ways: float
    behind: dict[str, tuple[float, ...]]  # after AIM runs
    typed: Claims
    best_already: Claims
    flat: Claims


@dataclass(frozen=True, slots=True)
class Score:
    """All that is said of one grid."""

    name: str
    ways: int
    failing: int
    rounds: int
    spread: float  # of one run: a standard deviation, as a share
    usual_spread: float  # of those that nothing disturbed
    unchanged_behind: float  # the unchanged job's time by that of the best
    near_ways: float  # the share of the grid that is within NEAR of the best
    best: tuple[Way, ...]
    behind: dict[str, dict[str, tuple[float, ...]]]  # by budget and search: of each repetition
    proved: Claims
    best_already: Claims  # the job is typed as the grid says that it is best
    flat: Claims  # whatever is changed changes nothing


@dataclass(frozen=True, slots=True)
class Scores:
    """Of all grids: they take a minute, so they are kept."""

    scores: tuple[Score, ...]
    drawn: Drawn


def write_scores(scores: Scores) -> None:
    (FOLDER / SCORES).write_text(json.dumps(plain(scores), ensure_ascii=False, separators=(",", ":")) + "\n")


def read_scores() -> Scores:
    return from_text(Scores, (FOLDER / SCORES).read_text())


def score(result: Result) -> Score:
    world = world_of(result)
    unchanged = world.behind(())
    known = [world.behind(way) for way in world.ways]
    fastest = sorted(world.ways, key=world.log_of)[:MOST_NAMED]
    return Score(
        name=result.name,
        ways=len(result.ways),
        failing=len(world.failing),
        rounds=len(result.rounds),
        spread=world.spread,
        usual_spread=world.usual_spread,
        unchanged_behind=unchanged,
        near_ways=sum(one <= NEAR for one in known) / len(known),
        best=tuple(Way(name_of(way), world.behind(way) / unchanged) for way in fastest),
        behind={
            str(budget): {name: searched(world, search, budget) for name, search in SEARCHES.items()}
            for budget in BUDGETS
        },
        proved=claims(world, TIMES),
        best_already=claims(world, CLAIMS, base=world.best),
        flat=claims(world, CLAIMS, flat=True),
    )


def searched(world: World, search: Search, budget: int) -> tuple[float, ...]:
    return tuple(world.behind(search(world, budget, seed)) for seed in range(TIMES))


def claims(world: World, times: int, base: Setup = (), flat: bool = False) -> Claims:
    rounds = len(world.result.rounds)
    return Claims.of([raced(world, seed, rounds, base, flat) for seed in range(times)])


def raced(world: World, seed: int, rounds: int, base: Setup = (), flat: bool = False) -> Race:
    """A race to its end. In a flat world nothing is behind anything. `rounds`: of the grid."""
    runs = Runs(world, seed, base, flat)
    firsts = world.result.firsts
    answer, way = race(runs, firsts[seed % len(firsts)], seed, None).best()
    before = 1.0 if flat else runs.behind(())
    after = before if flat or answer is not Answer.FASTER else runs.behind(way)
    count = 1 + runs.count
    return Race(answer, before, after, count, count / (len(world.result.ways) * rounds))


def drawn(results: Sequence[Result]) -> Drawn:
    measured = list(map(world_of, results))
    worlds = [drawn_world(measured, number) for number in range(GRIDS)]
    many = range(GRIDS)
    return Drawn(
        near_ways=sum(world.behind(way) <= NEAR for world in worlds for way in world.ways)
        / sum(len(world.ways) for world in worlds),
        behind={name: tuple(world.behind(search(world, AIM, number)) for number, world in enumerate(worlds))
                for name, search in SEARCHES.items()},
        typed=Claims.of([raced(worlds[number], number, ROUNDS) for number in many]),
        best_already=Claims.of([raced(worlds[number], number, ROUNDS, worlds[number].best) for number in many]),
        flat=Claims.of([raced(worlds[number], number, ROUNDS, flat=True) for number in many]),
    )  # fmt: skip
