"""How Slurm writes how long a job may run: 30, 30:00, 4:00:00, 2-12, 2-12:30."""

from __future__ import annotations

import re
from collections.abc import Sequence

S_PER_MINUTE, MINUTES_PER_HOUR, HOURS_PER_DAY = 60, 60, 24
_FORM = re.compile(r"(?:(?P<days>\d{1,9})-)?(?P<first>\d{1,9})(?::(?P<second>\d{1,9}))?(?::(?P<third>\d{1,9}))?")


def minutes(text: str) -> int | None:
    """Rounded up; None where it is no time, or no limit."""
    match = _FORM.fullmatch(text)
    if match is None:
        return None
    first, second, third = (int(match[name] or 0) for name in ("first", "second", "third"))
    if match["days"] is not None:  # days-hours:minutes:seconds
        hours, rest, seconds = int(match["days"]) * HOURS_PER_DAY + first, second, third
    elif match["third"] is not None:  # hours:minutes:seconds
        hours, rest, seconds = first, second, third
    else:  # minutes:seconds
        hours, rest, seconds = 0, first, second
    return hours * MINUTES_PER_HOUR + rest + -(-seconds // S_PER_MINUTE)


def times(options: Sequence[str], factor: int) -> list[str]:
    """sbatch's options with a time limit for so many runs of the job, one after another."""
    made: list[str] = []
    value_follows = False
    for word in options:
        name, equals, value = word.partition("=")
        if value_follows:
            made.append(_multiplied(word, factor))
            value_follows = False
        elif name == "--time" and equals:
            made.append(f"--time={_multiplied(value, factor)}")
        elif word.startswith("-t") and len(word) > 2:
            made.append(f"-t{_multiplied(word[2:].lstrip('='), factor)}")
        else:
            value_follows = word in ("--time", "-t")
            made.append(word)
    return made


def _multiplied(text: str, factor: int) -> str:
    told = minutes(text)
    return text if not told else str(told * factor)
