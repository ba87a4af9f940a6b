"""Variants from options: every value of --vary with every other, with every MPI, with every number of ranks."""

from __future__ import annotations

import itertools
from collections.abc import Sequence
from dataclasses import replace

from clearway.base.errors import ClearwayError
from clearway.base.ranges import numbers_of
from clearway.experiment.plan import Variant
from clearway.job.change import Change, combined, describe

AGAIN = "unchanged, again"


def variants_of(
    settings: Sequence[Change], mpis: Sequence[str] = (), ranks: Sequence[int] = (), bare: bool = False
) -> tuple[Variant, ...]:
    """`settings` beside the job without them; each with each MPI and each number of ranks. The baseline is first.

    One MPI alone, or one number of ranks, stands beside the job's own.

    `bare`: the job once more, unchanged: what it differs by is chance.
    """
    axes = [
        _beside([Change(launcher=mpi) for mpi in mpis]),
        [Change(), *settings],
        _beside([Change(ranks=number) for number in ranks]),
    ]
    variants = [named(combined(*changes)) for changes in itertools.product(*axes)]
    return (*variants[:1], *([replace(variants[0], name=AGAIN)] if bare else []), *variants[1:])


def _beside(changes: list[Change]) -> list[Change]:
    return changes if len(changes) > 1 else [Change(), *changes]


def named(change: Change) -> Variant:
    return Variant(describe(change), change)


def settings_of(texts: Sequence[str]) -> list[Change]:
    """`NAME=A,B,C` of each --vary: all values of one name with all of the others."""
    axes = [_values(text) for text in texts]
    return [combined(*changes) for changes in itertools.product(*axes)] if axes else []


def _values(text: str) -> list[Change]:
    name, equals, values = text.partition("=")
    if not equals or not name.replace("_", "").isalnum() or not all(values.split(",")):
        raise ClearwayError(f"'--vary {text}' has no NAME=VALUE,VALUE", "--vary btl_tcp_sndbuf=16k,64k,512k")
    return [one_setting(name, value) for value in values.split(",")]


def one_setting(name: str, value: str) -> Change:
    """A name in capitals is a variable of the environment, another one a parameter of Open MPI."""
    return Change(environment=((name, value),)) if name.isupper() else Change(parameters=((name, value),))


def rank_numbers(text: str) -> list[int]:
    """ "1,2,4,8", smallest first."""
    found = numbers_of(text, least=1)
    if not found:
        raise ClearwayError(f"'--ranks {text}' is not a list of numbers of ranks", "--ranks 1,2,4,8")
    return sorted(set(found))
