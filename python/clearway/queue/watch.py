"""How submitted work goes on, for people: a sentence, or one after another until all is done."""

from __future__ import annotations

import sys
import time
from pathlib import Path

from clearway.base import quantities as q
from clearway.base.pasted import pasted
from clearway.queue.advance import Standing, advance
from clearway.queue.work import Work

LOOK_S = (1.0, 5.0)  # squeue is a question to the controller, which all users share: at first, and later
SOON_S = 30.0


def follow(directory: Path, work: Work) -> Standing:
    """Until all is done, or a person is needed. Ctrl-C ends the looking, and nothing else."""
    told, began = "", time.monotonic()
    while True:
        standing = advance(directory, work, by_a_person=False)
        if (words := words_of(standing)) != told:
            told = words
            print(f"clearway: {words}", file=sys.stderr, flush=True)
        if standing.is_complete or not (standing.running or standing.waiting):
            return standing
        time.sleep(LOOK_S[time.monotonic() - began > SOON_S])


def words_of(standing: Standing) -> str:
    """ "3 of 10 done, 1 running, 6 waiting: job 17"."""
    parts = [f"{q.count(standing.done)} of {q.count(standing.wanted)} done"]
    for count, what in ((standing.running, "running"), (standing.waiting, "waiting")):
        parts += [f"{q.count(count)} {what}"] if count else []
    if standing.missing:
        why = "cancelled" if standing.cancelled else "failed repeatedly" if standing.worn_out else "not submitted"
        ended = (
            " (" + ", ".join(each.lower().replace("_", " ") for each in standing.ended) + ")" if standing.ended else ""
        )
        parts.append(f"{q.count(len(standing.missing))} {why}{ended}")
    numbers = ", ".join(map(str, standing.jobs))
    return ", ".join(parts) + (f": job{'s' if len(standing.jobs) > 1 else ''} {numbers}" if numbers else "")


def what_next(standing: Standing, directory: Path, command: str) -> str:
    """The hint below it; empty where nothing need be typed any more."""
    if standing.is_complete:
        return ""
    again = f"clearway {command} --resume {pasted(str(directory))}"
    if standing.missing and not (standing.running or standing.waiting):
        return f"why: {directory}/logs; `{again}` submits what is missing"
    return f"`{again}` shows the results so far, `{again} --watch` stays until everything is done"


def tell(standing: Standing, directory: Path, command: str) -> None:
    print(f"clearway: {words_of(standing)}", file=sys.stderr)
    if hint := what_next(standing, directory, command):
        print(f"clearway: {hint}", file=sys.stderr)
