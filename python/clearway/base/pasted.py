"""A file's name as a word of a command that a person can paste into a shell."""

from __future__ import annotations

import os
import shlex

from clearway.base.visible import visible


def pasted(path: str) -> str:
    """Quoted as far as it must be; never an option; what cannot be seen as $'\\x0a' (bash, zsh)."""
    path = f"./{path}" if path.startswith("-") else path
    if visible(path) == path:
        return shlex.quote(path)
    return f"$'{''.join(map(_in_ansi_quotes, os.fsencode(path)))}'"


def _in_ansi_quotes(byte: int) -> str:
    return chr(byte) if 0x20 <= byte < 0x7F and chr(byte) not in "'\\" else f"\\x{byte:02x}"
