"""What a host tells, as lines among a job's output, and back: launchers cut and mix what hosts print.

A line is short, goes out alone and carries a checksum, so a launcher passes it on whole or it is noticed.
"""

from __future__ import annotations

import base64
import re
import sys
import time
import zlib
from dataclasses import dataclass

from clearway.base.errors import ClearwayError

MARK = "clearway-host"
LINE_BYTES = 3000  # with its head less than the 4096 that launchers read at once
PAUSE_S = 0.05
MOST_BYTES = 10_000_000  # of a host's text; its facts take some 20 kB
LINE = re.compile(rf"{MARK} (\d+)/(\d+) (\d+) ([0-9a-f]{{8}}) ([A-Za-z0-9+/=]+)")


@dataclass(frozen=True, slots=True)
class Told:
    """What came back."""

    texts: tuple[str, ...]  # that came whole, each once
    damaged: bool  # others did not


def encode(told: str) -> list[str]:
    """Lines of the form: clearway-host PART/PARTS TEXT CHECKSUM PIECE, where TEXT is a number for the text."""
    packed = zlib.compress(told.encode(), 9)
    number, text = zlib.crc32(packed), base64.b64encode(packed).decode()
    parts = [text[at : at + LINE_BYTES] for at in range(0, len(text), LINE_BYTES)]
    return [
        f"{MARK} {at}/{len(parts)} {number} {zlib.crc32(part.encode()):08x} {part}" for at, part in enumerate(parts, 1)
    ]


def send(told: str) -> None:
    for line in encode(told):
        sys.stdout.write(f"{line}\n")
        sys.stdout.flush()
        time.sleep(PAUSE_S)


def decode(output: str) -> Told:
    """From all that a job printed. Raises ClearwayError for what no host of ours said."""
    parts: dict[int, dict[int, str]] = {}
    wanted: dict[int, int] = {}
    for at, count, number, checksum, piece in LINE.findall(output):
        if zlib.crc32(piece.encode()) == int(checksum, 16):
            parts.setdefault(int(number), {})[int(at)] = piece
            wanted[int(number)] = int(count)
    torn = output.count(f"{MARK} ") - sum(len(each) for each in parts.values())
    whole = [parts[number] for number in parts if len(parts[number]) == wanted[number]]
    damaged = len(whole) < len(parts) or (torn > 0 and not whole)
    return Told(tuple(_unpacked("".join(piece for _, piece in sorted(each.items()))) for each in whole), damaged)


def _unpacked(text: str) -> str:
    """Not beyond what a host can say."""
    try:
        unpacking = zlib.decompressobj()
        packed = unpacking.decompress(base64.b64decode(text, validate=True), MOST_BYTES)
        if unpacking.unconsumed_tail:
            raise ValueError(f"it is longer than {MOST_BYTES} bytes")
        return packed.decode()
    except (ValueError, zlib.error) as error:
        raise not_understood(error) from None


def not_understood(error: Exception) -> ClearwayError:
    return ClearwayError(
        f"cannot read a line that a host printed: {error}", "install the same version of Clearway on all hosts"
    )
