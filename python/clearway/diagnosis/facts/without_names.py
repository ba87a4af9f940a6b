"""What is known of a function whose name its file does not tell: the functions that have one, before and behind it.

What stands between them is mostly of the same source file: SHA-1's rounds between SHA1_Init and SHA224_Init.
"""

from __future__ import annotations

import re

from clearway.ledger.profile import Function
from clearway.ledger.profile.plain_names import plain

LIBC = re.compile(r"libc([.-].*)?\.so.*")
# The C library has these once for each kind of processor, behind all else; none of them has a name that others see.
LAST_OF_LIBC, OF_MEMORY = "__libc_freeres", "memcpy, memset, strlen and the like"


def near(function: Function) -> str:
    """In words; empty where it has a name, or none is known on both sides."""
    if function.name or not function.before or not function.behind:
        return ""
    if function.behind == LAST_OF_LIBC and LIBC.fullmatch(function.path.rpartition("/")[2]):
        return OF_MEMORY
    return f"between {plain(function.before)} and {plain(function.behind)}"
