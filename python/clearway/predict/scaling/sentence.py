"""The sentence at the top: what it would take, how sure that is, and what it would be lost to."""

from __future__ import annotations

from clearway.base import quantities as q
from clearway.predict.scaling.answer import Answer, Figure, Target

WORTH_NAMING = 0.02  # of the wall-clock
WIDEST = 10.0  # of the upper bound to the lower one: beyond, one figure between them says nothing


def sentence_of(made: Answer) -> str:
    """Of the most ranks that were asked for."""
    target = made.targets[-1]
    place = f"At {q.count(target.ranks)} rank{'s' if target.ranks > 1 else ''}"
    if target.wall.expected is None:
        return (
            f"{place} the job takes between {q.seconds(target.wall.low)} and {q.seconds(target.wall.high)}; so few "
            f"Runs give no more than bounds."
        )
    if target.wall.high > WIDEST * target.wall.low:
        return (
            f"These Runs do not tell what the job takes at {q.count(target.ranks)} ranks: it may be anything from "
            f"{between(target.wall)}. Add Runs on more ranks, or longer ones."
        )
    return (
        f"{place} the job is expected to take {q.seconds(target.wall.expected)} ({between(target.wall)}); "
        f"{_loss(target)}."
    )


def between(figure: Figure) -> str:
    return f"{q.seconds(figure.low)} to {q.seconds(figure.high)}"


def _loss(target: Target) -> str:
    if not target.losses or target.losses[0].share < WORTH_NAMING:
        return "there is no large loss"
    first = target.losses[0]
    return f"the largest loss is {first.words}, {q.percent(first.share)} of it"
