"""What clearway-simulate said before: the same program and the same question give the same answer, byte by byte.

It depends on the program's own bytes, its command line, its input.
"""

from __future__ import annotations

import hashlib
import json
from functools import cache
from pathlib import Path

from clearway.base import kept_answers
from clearway.base.kept_answers import Cache

__all__ = ["Cache", "key_of", "user_cache"]


def user_cache() -> Cache:
    """In the user's cache folder."""
    return kept_answers.user_cache("predict")


def key_of(program: Path, arguments: list[str]) -> str:
    """Files that the arguments name count by what is in them."""
    parts = [_hash_of_program(program), *(_content(argument) for argument in arguments)]
    return hashlib.sha256(json.dumps(parts).encode()).hexdigest()


def _content(argument: str) -> str:
    if "/" not in argument:
        return argument
    try:
        return hashlib.sha256(Path(argument).read_bytes()).hexdigest()
    except OSError:
        return argument


@cache
def _hash_of_program(program: Path) -> str:
    return hashlib.sha256(program.read_bytes()).hexdigest()
