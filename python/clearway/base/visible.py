"""Text that came from a job, made safe to look at.

File names, host names and command lines are whatever the job made of them: they may steer the terminal, reverse
the reading direction, or not be text at all. What cannot be seen is shown as an escape; nothing is dropped.
"""

from __future__ import annotations

import unicodedata

# Control, format (direction marks, zero width), surrogate (bytes that are no UTF-8), private, unassigned, line breaks.
UNSEEN = frozenset({"Cc", "Cf", "Cs", "Co", "Cn", "Zl", "Zp"})
ELLIPSIS = "…"


def escape(character: str) -> str:
    code = ord(character)
    if 0xDC80 <= code <= 0xDCFF:
        return f"\\x{code - 0xDC00:02x}"  # how Python carries a byte that is no UTF-8
    if code <= 0xFF:
        return f"\\x{code:02x}"
    return f"\\u{code:04x}" if code <= 0xFFFF else f"\\U{code:08x}"


def visible(text: str, limit: int | None = None) -> str:
    """`text` with every unseen character escaped, cut in the middle to `limit` characters."""
    if limit is not None and len(text) > limit:
        text = shorten(text, limit)
    if text.isascii() and text.isprintable():
        return text
    shown = "".join(escape(c) if unicodedata.category(c) in UNSEEN else c for c in text)
    return shown if limit is None else shorten(shown, limit)


def shorten(text: str, limit: int) -> str:
    """Cuts the middle out: the end of a path tells most, its beginning the file system."""
    if len(text) <= limit:
        return text
    if limit <= 1:
        return ELLIPSIS[:limit]
    head = (limit - 1) // 3
    return text[:head] + ELLIPSIS + text[len(text) - (limit - 1 - head) :]


def storable(text: str) -> str:
    """`text` for a file of data: unchanged but for bytes that are no UTF-8, which no data format can carry."""
    try:
        text.encode()
    except UnicodeEncodeError:
        return "".join(escape(c) if 0xD800 <= ord(c) <= 0xDFFF else c for c in text)
    return text
