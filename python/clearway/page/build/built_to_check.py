"""A program that was built to be looked at or checked, not to be fast: it names what its own code calls for that."""

from __future__ import annotations

import re
from collections.abc import Iterator

# A name that the linker left in the program, of one that is built so; `strip` takes none of these away.
BUILDS = (
    (rb"\0_ZNK?11__gnu_debug", "-D_GLIBCXX_DEBUG", "each access to a container of C++'s library is checked"),
    (rb"\0_?mcount(?:@[^\0]*)?\0", "-pg", "each call of a function is counted, for gprof"),
    (rb"libgcov profiling error", "--coverage", "each branch is counted, for gcov"),
    (rb"\0__asan_init\0", "-fsanitize=address", "each access to memory is checked"),
    (rb"\0__tsan_init\0", "-fsanitize=thread", "each access to memory is noted"),
    (rb"\0__ubsan_handle_", "-fsanitize=undefined", "arithmetic and accesses are checked"),
)


def built_to_check(name: str, content: bytes) -> Iterator[str]:
    """A note on each such way in which the program of that name and content was built."""
    for mark, option, does in BUILDS:
        if re.search(mark, content):
            yield (
                f"{name} was built with {option}: {does}. No finding counts what that costs; such programs are often "
                f"several times as slow, and a build without it shows by how much."
            )
