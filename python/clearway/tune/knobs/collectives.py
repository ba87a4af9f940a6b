"""Algorithms of the MPI for collectives, and `--flow` for all-to-alls and allgathers: what the simulator says of them
decides which are tried, and in what order.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence

from clearway.tune.foretold import FLOW, Foretold
from clearway.tune.seen import Seen
from clearway.tune.setting import Knob, MayChange, Setting

MOST_TRIED = 2  # of one function


def knobs(seen: Seen) -> Iterator[Knob]:
    """One a function; what gives most first."""
    for function in dict.fromkeys(one.function for one in seen.foretold):
        yield _knob([one for one in seen.foretold if one.function == function])


def _knob(ways: Sequence[Foretold]) -> Knob:
    name = f"algorithm of {ways[0].function}" if ways[0].function else "order of collectives"
    own_s = ways[0].own_s
    own = [] if own_s is None else [f"by its own choice {own_s / ways[0].recorded_s:.2f}"]
    said = ", ".join([*own, *(f"{one.way} {one.simulated_s / one.recorded_s:.2f}" for one in ways)])
    because = f"times of these calls, simulated ÷ recorded: {said}"
    paying = [one for one in ways if one.gives > 0][:MOST_TRIED]
    return Knob(name, tuple(_setting(name, one) for one in paying), ways[0].gives, because)


def _setting(knob: str, one: Foretold) -> Setting:
    """What only moves data leaves it as it is. Sums may be rounded otherwise."""
    name = f"{one.function} {one.way}" if one.function else FLOW
    return Setting(knob, name, one.change, MayChange.ORDER if one.sums else MayChange.NOTHING)
