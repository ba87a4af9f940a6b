"""What a search is worth on a measured grid: how far behind the best, and how often it claims what is not so."""

from __future__ import annotations

import json
from dataclasses import dataclass

from clearway.base.json import plain
from clearway.base.read_back import from_text
from clearway.tune.setting import Way as Setup
from clearway.tune.setting import name_of
from races.results import FOLDER, SCORES, Result
from races.searches import SEARCHES, Answer, Search, race
from races.world import Runs, World, world_of

TIMES = 20  # repetitions of a search on each grid
NEAR = 1.03  # of the best
CLAIMS = 40  # races of a job that is best already
MOST_NAMED = 3  # of the fastest ways
BUDGETS = (10, 15, 25)  # runs


@dataclass(frozen=True, slots=True)
class Way:
    """A way of the grid."""

    name: str
    by_unchanged: float  # its time by that of the unchanged job


@dataclass(frozen=True, slots=True)
class Claims:
    """Of races to their end."""

    races: int
    faster: int  # that proved something
    nothing: int  # that said "nothing to gain"
    runs: tuple[int, ...]  # the first included
    behind: tuple[float, ...]  # time of what is recommended by that of the best


@dataclass(frozen=True, slots=True)
class Score:
    """All that is said of one grid."""

    name: str
    ways: int
    failing: int
    rounds: int
    spread: float  # of one run: a standard deviation, as a share
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
    """Races to their end. In a flat world nothing is behind anything."""
    answers, counts, behind = [], [], []
    firsts = world.result.firsts
    for seed in range(times):
        runs = Runs(world, seed, base, flat)
        raced = race(runs, firsts[seed % len(firsts)], seed, None)
        answer, way = raced.best()
        answers.append(answer)
        counts.append(1 + runs.count)
        behind.append(1.0 if flat else runs.behind(way if answer is Answer.FASTER else ()))
    return Claims(times, answers.count(Answer.FASTER), answers.count(Answer.NOTHING), tuple(counts), tuple(behind))
