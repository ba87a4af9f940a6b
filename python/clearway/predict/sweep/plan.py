"""What a sweep asks: the options that all predictions share, and those that are varied."""

from __future__ import annotations

import argparse
import copy
import json
import math
import re
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from clearway.base.errors import ClearwayError, reason
from clearway.base.json import plain
from clearway.base.output_file import whole_file
from clearway.base.ranges import numbers
from clearway.base.read_back import from_text

PLAN = "sweep.json"
MOST = 100_000  # predictions: a slip of the finger is not to fill a queue
MOST_LOOKED_AT = 20  # values of an option, before anything is made; whatever is wrong with the others is told of each
SWEEPS = ("vary", "submit", "at_once", "tasks", "watch", "resume", "output")
OUTPUTS = ("json", "csv", "plot", "html", "run", "quiet")
OWN = frozenset((*SWEEPS, *OUTPUTS))  # what says nothing of the question
Parse = Callable[[Sequence[str]], argparse.Namespace]


@dataclass(frozen=True, slots=True)
class Axis:
    name: str  # of the option, without dashes
    values: tuple[str, ...]


@dataclass(frozen=True, slots=True)
class SweepPlan:
    asked: dict[str, str | int | float | bool | list[str] | None]  # options as argparse understood them
    axes: tuple[Axis, ...]

    @property
    def count(self) -> int:
        return math.prod(len(axis.values) for axis in self.axes)

    def settings(self, piece: int) -> dict[str, str]:
        """Those of prediction number `piece`; the last axis varies fastest."""
        told = {}
        for axis in reversed(self.axes):
            piece, at = divmod(piece, len(axis.values))
            told[axis.name] = axis.values[at]
        return dict(reversed(told.items()))


def plan_of(arguments: argparse.Namespace, parse: Parse) -> SweepPlan:
    """Raises ClearwayError where something cannot be varied."""
    axes = tuple(map(_axis, arguments.vary))
    names = [axis.name for axis in axes]
    for axis in axes:
        if axis.name in OWN or axis.name in ("from", "cluster") or names.count(axis.name) > 1:
            raise ClearwayError(f"--vary {axis.name}: this option cannot be varied", "--vary rate=1gbit,10gbit")
        for value in axis.values[:MOST_LOOKED_AT]:
            with_settings(arguments, {axis.name: value}, parse)
    shared = {name: value for name, value in vars(arguments).items() if name not in OWN}
    plan = SweepPlan(shared, axes)
    if plan.count > MOST:
        raise ClearwayError(f"this sweep has {plan.count:,} predictions", f"at most {MOST:,}")
    return plan


def with_settings(asked: argparse.Namespace, settings: Mapping[str, str], parse: Parse) -> argparse.Namespace:
    """As if these had been typed as well. Raises ClearwayError where there is no such option."""
    made = copy.deepcopy(asked)
    for name, value in settings.items():
        key = name.replace("-", "_")
        if not hasattr(asked, key):
            raise ClearwayError(f"--vary {name}: there is no option --{name}", "clearway predict --help")
        said: Any = getattr(parse([f"--{name}={value}"]), key)
        setattr(made, key, [*getattr(asked, key), *said] if isinstance(said, list) else said)
    return made


def write_plan(directory: Path, plan: SweepPlan) -> None:
    with whole_file(directory / PLAN) as stream:
        json.dump(plain(plan), stream, indent=1)
        stream.write("\n")


def read_plan(directory: Path) -> SweepPlan:
    try:
        return from_text(SweepPlan, (directory / PLAN).read_text(encoding="utf-8"))
    except (OSError, ValueError) as error:
        raise ClearwayError(
            f"'{directory}' has no sweep: {reason(error)}", "give the directory that --submit or -o named"
        ) from None


def _axis(text: str) -> Axis:
    """ "buffer=16k,64k", "seed=1-1000"."""
    name, equals, said = text.partition("=")
    values = tuple(said.split(","))
    if re.fullmatch(r"\d+-\d+(:\d+)?", said):
        values = tuple(map(str, numbers(said)))
    if not equals or not name or not all(values):
        raise ClearwayError(f"--vary {text} is not NAME=VALUE,VALUE", "--vary rate=1gbit,10gbit, --vary seed=1-100")
    return Axis(name.removeprefix("--"), values)
