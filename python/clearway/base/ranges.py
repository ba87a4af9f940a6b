"""Lists of names and numbers as people and batch systems shorten them: node[01-04,07], 0-3,8, 0-60:4."""

from __future__ import annotations

import re
from collections.abc import Sequence
from itertools import product

from clearway.base.errors import ClearwayError
from clearway.base.whole import MOST_DIGITS

MOST = 100_000  # a slip of the finger must not fill the memory
_FIGURES = f"([0-9]{{1,{MOST_DIGITS}}})"
_PART = re.compile(f"{_FIGURES}(?:-{_FIGURES}(?::{_FIGURES})?)?")


def numbers(text: str) -> list[int]:
    """The numbers of "0-3,8,16-28:4", in that order. Raises ClearwayError."""
    return [int(each) for each in _padded(text)]


def numbers_of(text: str, least: int = 0) -> list[int]:
    """As `numbers`, and nothing where it is no list of numbers from `least` on."""
    try:
        found = numbers(text)
    except ClearwayError:
        return []
    return found if min(found) >= least else []


def names(text: str) -> list[str]:
    """The names of "node[01-04,07],gpu[1-2]". Raises ClearwayError."""
    return [name for part in _split(text) for name in _expand(part)]


def short_numbers(values: Sequence[int]) -> str:
    """The shortest text of which `numbers` makes `values`, as far as runs of equal steps go."""
    parts = []
    at = 0
    while at < len(values):
        end = _run_end(values, at)
        step = values[at + 1] - values[at] if end > at else 1
        if end - at >= 2 or (end > at and step == 1):
            parts.append(f"{values[at]}-{values[end]}" + (f":{step}" if step > 1 else ""))
            at = end + 1
        else:
            parts.append(str(values[at]))
            at += 1
    return ",".join(parts)


def short_names(values: Sequence[str]) -> str:
    """A text of which `names` makes `values`: with brackets where only a number differs."""
    split = [re.fullmatch(r"(.*?)(\d+)(\D*)", value) for value in values]
    matches = [match for match in split if match]
    if len(values) < 2 or len(matches) < len(values) or len({(match[1], match[3]) for match in matches}) > 1:
        return ",".join(values)
    figures = [match[2] for match in matches]
    width = len(figures[0]) if any(re.match(r"0\d", figure) for figure in figures) else 0
    if width and any(len(figure) != width for figure in figures):
        return ",".join(values)
    shortened = re.sub(
        r"\d+", lambda figure: figure[0].zfill(width), short_numbers([int(figure) for figure in figures])
    )
    return f"{matches[0][1]}[{shortened}]{matches[0][3]}"


def _run_end(values: Sequence[int], begin: int) -> int:
    """The last place to which steps from `begin` on are equal and upwards."""
    end = begin
    while end + 1 < len(values):
        step = values[end + 1] - values[end]
        if step <= 0 or (end > begin and step != values[begin + 1] - values[begin]):
            break
        end += 1
    return end


def _padded(text: str) -> list[str]:
    """The numbers as text, with the zeros that they are written with."""
    found: list[str] = []
    for part in text.split(","):
        match = _PART.fullmatch(part.strip())
        if match is None:
            raise ClearwayError(f"'{part.strip()}' in '{text}' is neither a number nor a range", "for example 0-3,8")
        first, last, step = match[1], match[2] or match[1], int(match[3] or 1)
        if int(last) < int(first) or step == 0 or (int(last) - int(first)) // step > MOST:
            raise ClearwayError(f"'{part.strip()}' in '{text}' is not a range", "for example 0-3")
        width = len(first) if first.startswith("0") else 0
        found += [str(number).zfill(width) for number in range(int(first), int(last) + 1, step)]
    return found


def _split(text: str) -> list[str]:
    """At commas outside of brackets."""
    if not re.fullmatch(r"(?:[^\[\]]|\[[^\[\]]*\])*", text):
        raise ClearwayError(f"'{text}': a bracket is not closed", "for example node[01-04,07]")
    return re.findall(r"(?:[^\[\],]|\[[^\[\]]*\])+", text.replace(" ", ""))


def _expand(part: str) -> list[str]:
    pieces = re.split(r"\[(.*?)\]", part)  # every second one was in brackets
    choices = [_padded(piece) if at % 2 else [piece] for at, piece in enumerate(pieces)]
    count = 1
    for choice in choices:
        count *= len(choice)
    if count > MOST:
        raise ClearwayError(f"'{part}' names {count} hosts", f"at most {MOST}")
    return ["".join(words) for words in product(*choices)]
