"""Which instructions stand behind one that changes memory in one step (x86: with the prefix `lock`).

A processor finishes such an instruction before it takes an interrupt, and takes tens of times as long for it as for
others: so samples are found behind it. Intel 64 Software Developer's Manual, volume 2, 2.1 and LOCK.
"""

from __future__ import annotations

import mmap
from pathlib import Path

import numpy as np
from numpy.typing import NDArray

LOCK = 0xF0
LONGEST = 15  # bytes, of an instruction
ONE_BYTE = {0x00, 0x01, 0x08, 0x09, 0x10, 0x11, 0x18, 0x19, 0x20, 0x21, 0x28, 0x29, 0x30, 0x31, 0xFE, 0xFF, 0xF6, 0xF7}
WITH_BYTE = {0x80, 0x83}  # and one byte of a constant
WITH_WORD = {0x81}  # and four
TWO_BYTES = {0xAB, 0xB3, 0xBB, 0xB0, 0xB1, 0xC0, 0xC1, 0xC7}  # behind 0x0f
TWO_WITH_BYTE = {0xBA}


def behind_atomic(path: str, offsets: NDArray[np.uint64]) -> list[bool]:
    """Of each offset into the file."""
    try:
        with Path(path).open("rb") as file, mmap.mmap(file.fileno(), 0, access=mmap.ACCESS_READ) as content:
            return [_is_behind(content[max(offset - LONGEST, 0) : offset]) for offset in offsets.tolist()]
    except (OSError, ValueError):
        return [False] * len(offsets)


def _is_behind(code: bytes) -> bool:
    """`code` ends where the sample is: whether its last instruction is a locked one, of just that length."""
    return LOCK in code and any(
        code[at] == LOCK and _locked_bytes(code[at:]) == len(code) - at
        for at in range(max(len(code) - 13, 0), len(code))
    )


def _locked_bytes(code: bytes) -> int:
    """How long the locked instruction at the begin is; 0: it is none."""
    at = 1
    if at < len(code) and 0x40 <= code[at] <= 0x4F:  # REX
        at += 1
    constant = 0
    if code[at : at + 1] == b"\x0f":
        at += 1
        known, constants = TWO_BYTES | TWO_WITH_BYTE, dict.fromkeys(TWO_WITH_BYTE, 1)
    else:
        known = ONE_BYTE | WITH_BYTE | WITH_WORD
        constants = dict.fromkeys(WITH_BYTE, 1) | dict.fromkeys(WITH_WORD, 4)
    if at + 1 >= len(code) or code[at] not in known:
        return 0
    constant = constants.get(code[at], 0)
    mode = code[at + 1]
    return at + 2 + _address_bytes(mode, code[at + 2 : at + 3]) + constant if mode >> 6 != 3 else 0


def _address_bytes(mode: int, scale: bytes) -> int:
    """Behind the byte ModRM: SIB and displacement."""
    has_scale = mode & 7 == 4
    kind = mode >> 6
    displacement = {1: 1, 2: 4}.get(kind, 0)
    if kind == 0 and (mode & 7 == 5 or (has_scale and scale and scale[0] & 7 == 5)):
        displacement = 4
    return has_scale + displacement
