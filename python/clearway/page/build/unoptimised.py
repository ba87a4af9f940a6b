"""A program that was built without optimisation: GCC writes its options into the debugging information."""

from __future__ import annotations

import re

# In no section but those of debugging information; compressed ones tell nothing.
# "GNU C++17 12.2.0 -mtune=generic -march=x86-64 -g -O2": one for each source file, if their options differ.
PRODUCER = re.compile(rb"GNU (?:C|C\+\+|Fortran)\S* \d+\.\d[^\0]*")
OPTIMISED = re.compile(rb" -O(?:[123sz]|fast)?(?: |$)")


def unoptimised(name: str, content: bytes) -> list[str]:
    """A note on the program of that name and content, if all source files that tell were compiled so."""
    producers = set(PRODUCER.findall(content))
    if not producers or any(OPTIMISED.search(each) for each in producers):
        return []
    says = (
        f"{name} was built without optimisation: its debugging information has no -O among the compiler's options."
        f" No finding counts what that costs; with -O2 programs that compute are often several times as fast."
    )
    return [says]
