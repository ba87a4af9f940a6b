"""A program that was built to be looked at or checked, not to be fast: it names what its own code calls for that."""

from __future__ import annotations

from collections.abc import Iterator

# Names that the linker leaves in a program that is built so; `strip` takes none of these away. To look for plain bytes
# took half as long as regular expressions (65 ms for pw.x's 8 MiB).
BUILDS = (
    ((b"\0_ZN11__gnu_debug", b"\0_ZNK11__gnu_debug"), "-D_GLIBCXX_DEBUG", "each access to a C++ container is checked"),
    ((b"\0mcount\0", b"\0mcount@", b"\0_mcount\0", b"\0_mcount@"), "-pg", "each call of a function is counted (gprof)"),
    ((b"libgcov profiling error",), "--coverage", "each branch is counted (gcov)"),
    ((b"\0__asan_init\0",), "-fsanitize=address", "each access to memory is checked"),
    ((b"\0__tsan_init\0",), "-fsanitize=thread", "each access to memory is noted"),
    ((b"\0__ubsan_handle_",), "-fsanitize=undefined", "arithmetic and accesses are checked"),
)


def built_to_check(name: str, content: bytes) -> Iterator[str]:
    """A note on each such way in which the program of that name and content was built."""
    for marks, option, does in BUILDS:
        if any(mark in content for mark in marks):
            yield (
                f"{name} was built with {option}: {does}. No finding counts what that costs; such programs are often "
                f"several times as slow, and a build without it shows by how much."
            )
