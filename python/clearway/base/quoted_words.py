"""Words of a command line, or of options, that are one text: in an option's value, or in a file."""

from __future__ import annotations

import shlex

from clearway.base.errors import ClearwayError


def quoted_words(text: str, what: str, example: str) -> list[str]:
    """As a shell would split it. `what` names the text in the message. Raises ClearwayError."""
    try:
        return shlex.split(text)
    except ValueError:  # its own words for the two ways: "No closing quotation", "No escaped character"
        fault = "a quotation mark is never closed" if not text.endswith("\\") else "it ends with a backslash"
        raise ClearwayError(f"{what} '{text}' cannot be divided into words: {fault}", example) from None
