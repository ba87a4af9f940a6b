"""Writes what the linker is shown of older libraries: `python3 stubs.py functions.table MACHINE FOLDER`.

For each library of the table NAME.s, with its functions, empty, and NAME.map, with their versions. Linked together they
are a stub of it: what is linked with that asks for the library, and for the older versions. Nothing ever loads a stub.
"""

from __future__ import annotations

import sys
from collections import defaultdict
from pathlib import Path

# Machines that came to glibc later have none of its older versions.
FIRST_VERSION = {"aarch64": "GLIBC_2.17"}


def read_table(path: Path, machine: str) -> dict[str, dict[str, list[str]]]:
    """By library and version, the functions."""
    table: dict[str, dict[str, list[str]]] = defaultdict(lambda: defaultdict(list))
    for line in path.read_text().splitlines():
        if line and not line.startswith("#"):
            library, version, function = line.split()
            table[library][FIRST_VERSION.get(machine, version)].append(function)
    return table


def assembler(functions: list[str]) -> str:
    lines = ['.section .note.GNU-stack,"",%progbits', ".text"]
    lines += [f".globl {name}\n.type {name}, %function\n{name}:\n.byte 0" for name in functions]
    return "\n".join(lines) + "\n"


def version_map(versions: dict[str, list[str]]) -> str:
    return "\n".join(f"{version} {{ {'; '.join(names)}; }};" for version, names in versions.items()) + "\n"


def main() -> None:
    table, machine, folder = Path(sys.argv[1]), sys.argv[2], Path(sys.argv[3])
    for library, versions in read_table(table, machine).items():
        (folder / f"{library}.s").write_text(assembler([name for names in versions.values() for name in names]))
        (folder / f"{library}.map").write_text(version_map(versions))


if __name__ == "__main__":
    main()
