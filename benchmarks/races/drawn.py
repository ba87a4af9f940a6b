"""Grids drawn at random, to judge the race where it was not fitted: of the kind that was measured, and none of them.

What a setting is worth is drawn of what settings are worth in the measured grids, made larger or smaller by up to half;
noise is that of one of the measured grids. Ways of several settings have something of their own besides. Some settings
fail, some only together. The first run doubts half of the knobs that cannot pay, and few that can.
"""

from __future__ import annotations

import itertools
import math
from collections.abc import Sequence
from random import Random

from clearway.job.change import Change
from clearway.tune.setting import MayChange, Setting, Way
from races.grid import same_way
from races.results import First, Result
from races.world import World

ROUNDS = 4  # that such a grid would have
OWN = 0.01  # a standard deviation, of logarithms, of what a way of several settings has besides
FAILS = 0.04  # of settings
FAIL_TOGETHER = 0.15  # of grids: two settings
PAYS = 0.03  # of the time
DOUBTED, MISSED = 0.5, 0.05  # of knobs that cannot pay, and that can
SEED = "2026-11-26 evening"  # of the grids of the page: the race was made with others


def drawn_world(measured: Sequence[World], number: int, seed: str = SEED) -> World:
    chance = Random(f"{seed} {number}")
    worths = [worth for world in measured for worth in worths_in(world)]
    shapes = [setting("shape", at, (at + 1, 1)) for at in range(chance.choice((0, 0, 1, 2)))]
    knobs = [[setting(f"knob {knob}", at) for at in range(chance.choice((1, 2, 2)))]
             for knob in range(chance.choice((2, 3, 3, 4)))]  # fmt: skip
    settings = list(itertools.chain(*knobs))
    worth = {one.name: chance.choice(worths) * chance.uniform(0.5, 1.5) for one in (*shapes, *settings)}
    ways = list(products(shapes, knobs))
    failing = broken(ways, settings, chance)
    logs = {same_way(way): sum(worth[one.name] for one in way) + (chance.gauss(0, OWN) if len(way) > 1 else 0.0)
            for way in ways}  # fmt: skip
    kept = [
        knob
        for knob in knobs
        if chance.random() >= (MISSED if min(worth[one.name] for one in knob) < math.log1p(-PAYS) else DOUBTED)
    ]
    names = tuple(one.name for knob in kept for one in knob)
    doubted = tuple(one.name for one in settings if one.name not in names)
    every_shape = ("", *(one.name for one in shapes))
    first = First(every_shape[1:], dict.fromkeys(every_shape, names), 0.0, dict.fromkeys(every_shape, doubted))
    noise = chance.choice(measured)
    result = Result(f"drawn-{number}", tuple(ways), (first,))
    inside = {names: log for names, log in logs.items() if names not in failing}
    return World(result, inside, frozenset(failing), noise.rounds, noise.left)


def worths_in(world: World) -> list[float]:
    """Of each setting: by that of the unchanged job, where it is turned alone."""
    return [world.log_of(way) - world.log_of(()) for way in world.ways if len(way) == 1]


def setting(knob: str, at: int, shape: tuple[int, int] | None = None) -> Setting:
    name = f"{knob}: {at}"
    return Setting(knob, name, Change(environment=((knob, name),)), MayChange.ORDER, shape=shape)


def products(shapes: Sequence[Setting], knobs: Sequence[Sequence[Setting]]) -> list[Way]:
    """The unchanged job first."""
    turned = itertools.product(*([(), *((one,) for one in knob)] for knob in knobs))
    several = [tuple(itertools.chain(*each)) for each in turned]
    return [(*shape, *way) for shape in ((), *((one,) for one in shapes)) for way in several]


def broken(ways: Sequence[Way], settings: Sequence[Setting], chance: Random) -> set[frozenset[str]]:
    sets = [{one.name} for one in settings if chance.random() < FAILS]
    if len(settings) > 1 and chance.random() < FAIL_TOGETHER:
        sets.append({one.name for one in chance.sample(list(settings), 2)})
    return {same_way(way) for way in ways if any(names <= same_way(way) for names in sets)}
