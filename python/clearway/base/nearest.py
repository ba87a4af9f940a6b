"""What a person most likely meant by a mistyped name."""

from __future__ import annotations

from collections.abc import Iterable


def did_you_mean(typed: str, names: Iterable[str], otherwise: str) -> str:
    """A hint: the name most like it, else `otherwise`."""
    import difflib  # only where something was mistyped: `clearway --version` must not wait for it

    near = difflib.get_close_matches(typed, list(names), n=1)
    return f"did you mean {near[0]}?" if near else otherwise
