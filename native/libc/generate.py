"""Writes a header with the doors of each library from calls.table: `python3 generate.py calls.table FOLDER`.

FOLDER gets recorder_doors.hpp, cache_doors.hpp and sockets_doors.hpp; door.hpp says what is in them.
"""

from __future__ import annotations

import re
import sys
from dataclasses import dataclass
from pathlib import Path

LIBRARIES = ("recorder", "cache", "sockets")
LINE = re.compile(r"((?:(?:recorder|cache|sockets) )+) *(\w.*?)(\w+)\((.*?)\)(?:  = (\w+)\((.*)\)|  ([\w ]+))?")


@dataclass(frozen=True)
class Call:
    """One function of libc's."""

    name: str
    libraries: frozenset[str]
    result: str
    parameters: tuple[str, ...]  # as "const char* path"; the last may be "..."
    aliases: tuple[str, ...]  # further names of the same function
    target: str  # the function that it comes to, or ""
    target_arguments: str

    @property
    def is_variadic(self) -> bool:
        """Whether a va_list has to be made of what follows."""
        return self.parameters[-1:] == ("...",)

    @property
    def arguments(self) -> tuple[str, ...]:
        """The names of the parameters."""
        return tuple(re.findall(r"\w+$", p)[0] for p in self.parameters if p != "...")

    @property
    def head(self) -> str:
        """Of the door's definition."""
        return f"{self.result} door_{self.name}({', '.join(self.parameters)})"


def read_table(path: Path) -> list[Call]:
    """The functions of calls.table."""
    calls = []
    for number, line in enumerate(path.read_text().splitlines(), 1):
        if not line.strip() or line.startswith("#"):
            continue
        match = LINE.fullmatch(line)
        if match is None:
            raise SystemExit(f"{path}:{number}: not 'libraries result name(parameters)  names': {line}")
        libraries, result, name, parameters, target, arguments, aliases = match.groups()
        calls.append(
            Call(
                name,
                frozenset(libraries.split()),
                result.strip(),
                tuple(p for p in parameters.split(", ") if p),
                tuple((aliases or "").split()),
                target or "",
                arguments or "",
            )
        )
    return calls


EXPORTED = 'extern "C" [[gnu::visibility("default")]]'


def declarations(call: Call) -> str:
    """The door under libc's name, and the real function."""
    door = f'{EXPORTED} {call.head} __asm__("{call.name}");\n'
    if call.target or call.is_variadic:
        return door
    types = f"{call.result}({', '.join(call.parameters)})"
    return f'{door}namespace clearway::real {{\ninline constinit Real<{types}> {call.name}{{"{call.name}"}};\n}}\n'


def forwarding(call: Call) -> str:
    """The whole door of a function that comes to another."""
    if not call.is_variadic:
        return f"{call.head} {{ return serve_{call.target}({call.target_arguments}); }}"
    return (
        f"{call.head} {{ va_list values; va_start(values, {call.arguments[-1]});"
        f" const {call.result} result = serve_{call.target}({call.target_arguments});"
        " va_end(values); return result; }"
    )


def macros(call: Call, comes_to_it: list[Call]) -> str:
    """CLEARWAY_DOOR and CLEARWAY_REAL of it; with its door go those of the functions that come to it."""
    parts = [
        f'extern "C" [[gnu::visibility("default"), gnu::alias("{call.name}")]]'
        f' decltype(door_{call.name}) door_{alias} __asm__("{alias}");'
        for alias in call.aliases
    ]
    head = call.head
    if comes_to_it:
        serve = f"[[gnu::always_inline]] static inline {call.result} serve_{call.name}({', '.join(call.parameters)})"
        own = f"{call.head} {{ return serve_{call.name}({', '.join(call.arguments)}); }}"
        parts += [serve + ";", own, *map(forwarding, comes_to_it)]
        head = serve
    body = " \\\n    ".join([*parts, head])
    door = f"#define CLEARWAY_DOOR_{call.name} \\\n    {body}\n"
    if call.is_variadic:
        return door
    return f"{door}#define CLEARWAY_REAL_{call.name} ::clearway::real::{call.name}({', '.join(call.arguments)})\n"


def finder(calls: list[Call]) -> str:
    """What finds all real functions at once."""
    names = [call.name for call in calls if not call.target and not call.is_variadic]
    body = "".join(f"    real::{name}.find_early();\n" for name in names)
    body = f"    const NoSignals undisturbed;\n{body}"
    return f"namespace clearway {{\ninline void find_real_functions() {{\n{body}}}\n}}\n"


def header(library: str, calls: list[Call]) -> str:
    """The whole header of one library."""
    own = [call for call in calls if library in call.libraries]
    by_hand = [call for call in own if not call.target]
    return "\n".join(
        [
            f"// Written by native/libc/generate.py from calls.table: the doors of the {library}. Do not edit.",
            '#pragma once\n\n#include "libc/door.hpp"\n',
            *map(declarations, own),
            finder(own),
            *(macros(call, [other for other in own if other.target == call.name]) for call in by_hand),
        ]
    )


def main() -> None:
    table, folder = Path(sys.argv[1]), Path(sys.argv[2])
    calls = read_table(table)
    for library in LIBRARIES:
        (folder / f"{library}_doors.hpp").write_text(header(library, calls))


if __name__ == "__main__":
    main()
