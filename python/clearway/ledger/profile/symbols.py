"""The functions of a program or a library, as its ELF file has them (System V ABI, chapters 4 and 5; 64 bits).

What is stripped keeps only the names of what other files may call. Red Hat's and its relatives' keep the others too,
compressed (`.gnu_debugdata`).
"""

from __future__ import annotations

import lzma
import struct
from dataclasses import dataclass
from functools import lru_cache
from pathlib import Path

import numpy as np
from numpy.typing import NDArray

HEADER = struct.Struct("16sHHIQQQIHHHHHH")
SECTION = np.dtype(
    [
        ("name", "u4"),
        ("type", "u4"),
        *((name, "u8") for name in ("flags", "address", "offset", "bytes")),
        ("link", "u4"),
        ("info", "u4"),
        ("align", "u8"),
        ("entry_bytes", "u8"),
    ]
)
SEGMENT = np.dtype(
    [
        ("type", "u4"),
        ("flags", "u4"),
        *((name, "u8") for name in ("offset", "address", "physical", "bytes", "memory_bytes", "align")),
    ]
)
SYMBOL = np.dtype(
    [("name", "u4"), ("info", "u1"), ("other", "u1"), ("section", "u2"), ("value", "u8"), ("bytes", "u8")]
)
SYMTAB, DYNSYM, LOAD = 2, 11, 1
NO_TYPE, FUNC, IFUNC = 0, 2, 10
ALIASES = 8  # symbols of one address, and small functions inside a large one: so many are looked at
MOST_BYTES = 1 << 31  # of a file: more is not read


@dataclass(frozen=True, slots=True)
class Place:
    """What is known of an address: the function that it is in; else the named ones before and behind it."""

    function: str = ""
    before: str = ""
    behind: str = ""


class Symbols:
    """The functions of one file, in the order of their addresses."""

    def __init__(self, content: bytes) -> None:
        self._segments = _table(content, 5, SEGMENT)
        parts = [_functions(content), _functions(_debug_data(content))]
        found = np.concatenate([symbols for symbols, _ in parts])
        self._names = [names for _, names in parts]
        self._part = np.repeat(np.arange(len(parts)), [len(symbols) for symbols, _ in parts])
        order = np.argsort(found["value"], kind="stable")
        self._found, self._part = found[order], self._part[order]

    def places(self, file_offsets: NDArray[np.uint64]) -> list[Place]:
        """By offset into the file."""
        last, inside = self._inside(self._addresses(file_offsets))
        kinds, which = np.unique(np.stack([last, inside]), axis=1, return_inverse=True)
        made = [self._place(int(index), bool(is_inside)) for index, is_inside in kinds.T]
        return [made[number] for number in which.ravel()]

    def _addresses(self, offsets: NDArray[np.uint64]) -> NDArray[np.uint64]:
        addresses = offsets.copy()
        for segment in self._segments[self._segments["type"] == LOAD]:
            inside = (offsets >= segment["offset"]) & (offsets - segment["offset"] < segment["bytes"])
            addresses[inside] = offsets[inside] - segment["offset"] + segment["address"]
        return addresses

    def _inside(self, addresses: NDArray[np.uint64]) -> tuple[NDArray[np.int64], NDArray[np.int64]]:
        """The function that has each, and 1; or the last before it, and 0."""
        before = np.searchsorted(self._found["value"], addresses, side="right").astype(np.int64) - 1
        found, inside = before.copy(), np.zeros(len(before), np.int64)
        for back in range(ALIASES):
            candidate = before - back
            open_still = (inside == 0) & (candidate >= 0)
            of = candidate[open_still]
            has = addresses[open_still] < self._found["value"][of] + self._found["bytes"][of]
            hits = np.flatnonzero(open_still)[has]
            found[hits], inside[hits] = candidate[hits], 1
        return found, inside

    def _place(self, index: int, is_inside: bool) -> Place:
        if is_inside:
            return Place(self._name(index))
        return Place(before=self._name(index), behind=self._name(index + 1))

    def _name(self, index: int) -> str:
        if not 0 <= index < len(self._found):
            return ""
        names = self._names[self._part[index]]
        begin = int(self._found["name"][index])
        name: bytes = names[begin : names.find(b"\0", begin)]
        return name.decode("utf-8", errors="replace")


@lru_cache(maxsize=64)
def symbols_of(path: str, file_bytes: int, modified_s: int) -> Symbols | None:
    """None where the file is not there, or is another one than the program had."""
    try:
        status = Path(path).stat()
        if status.st_size != file_bytes or int(status.st_mtime) != modified_s or file_bytes > MOST_BYTES:
            return None
        return Symbols(Path(path).read_bytes())
    except (OSError, ValueError, struct.error, lzma.LZMAError):
        return None


def _table(content: bytes, which: int, element: np.dtype[np.void]) -> NDArray[np.void]:
    """The segments (5) or sections (6) that the header points to."""
    if not content.startswith(b"\x7fELF\x02\x01"):
        return np.empty(0, element)
    header = HEADER.unpack_from(content)
    number = header[10] if which == 5 else header[12]
    return np.frombuffer(content, element, number, header[which])


def _functions(content: bytes) -> tuple[NDArray[np.void], bytes]:
    """The symbols of the fuller table that it has, and their names."""
    sections = _table(content, 6, SECTION)
    for wanted in (SYMTAB, DYNSYM):
        for section in sections[sections["type"] == wanted]:
            symbols = np.frombuffer(content, SYMBOL, int(section["bytes"]) // SYMBOL.itemsize, int(section["offset"]))
            names = sections[int(section["link"])]
            kind = symbols["info"] & 15
            defined = (symbols["section"] != 0) & (symbols["value"] != 0)
            functions = symbols[defined & ((kind == FUNC) | (kind == IFUNC))]
            if len(functions):
                return functions, content[int(names["offset"]) : int(names["offset"]) + int(names["bytes"])]
    return np.empty(0, SYMBOL), b""


def _debug_data(content: bytes) -> bytes:
    header = HEADER.unpack_from(content) if len(content) >= HEADER.size else None
    sections = _table(content, 6, SECTION)
    if header is None or not 0 < header[13] < len(sections):
        return b""
    names = int(sections[header[13]]["offset"])
    for section in sections:
        if content.startswith(b".gnu_debugdata\0", names + int(section["name"])):
            return lzma.decompress(content[int(section["offset"]) : int(section["offset"]) + int(section["bytes"])])
    return b""
